import { distanceMeters } from '../../model/geo.ts';
import type { SampleLine, SampleLineCall, SampleMode } from './lookups.ts';
import { variation } from './variation.ts';

/** Times of a call, in seconds after the trip's first departure. */
export interface TimedCall {
  readonly arrivalSeconds: number;
  readonly departureSeconds: number;
}

interface Motion {
  /** Along a straight line; detours of tracks and streets are included. */
  readonly metersPerSecond: number;
  /** Time per leg for braking, doors and starting. */
  readonly lostSeconds: number;
  /** Dwell at an interchange, and anywhere else. */
  readonly hubDwellSeconds: number;
  readonly dwellSeconds: number;
}

const motions: Readonly<Record<SampleMode, Motion>> = {
  metro: { metersPerSecond: 11, lostSeconds: 20, hubDwellSeconds: 30, dwellSeconds: 0 },
  tram: { metersPerSecond: 5.4, lostSeconds: 20, hubDwellSeconds: 30, dwellSeconds: 0 },
  bus: { metersPerSecond: 6, lostSeconds: 20, hubDwellSeconds: 30, dwellSeconds: 0 },
  night_bus: { metersPerSecond: 6.5, lostSeconds: 15, hubDwellSeconds: 60, dwellSeconds: 0 },
  s_bahn: { metersPerSecond: 14, lostSeconds: 40, hubDwellSeconds: 60, dwellSeconds: 30 },
  rail: { metersPerSecond: 25, lostSeconds: 60, hubDwellSeconds: 120, dwellSeconds: 60 },
  funicular: { metersPerSecond: 3, lostSeconds: 30, hubDwellSeconds: 0, dwellSeconds: 0 },
  cableway: { metersPerSecond: 7, lostSeconds: 60, hubDwellSeconds: 0, dwellSeconds: 0 },
  ship: { metersPerSecond: 5, lostSeconds: 300, hubDwellSeconds: 1200, dwellSeconds: 1200 },
};

/** A night train has long dwells, so that no arrival is at three in the morning. */
const NIGHT_TRAIN_ROUTE_TYPE = 105;
const NIGHT_TRAIN_DWELL_SECONDS = 480;

const SHORTEST_LEG_SECONDS = 60;
const GRID_SECONDS = 30;

/**
 * Times of one trip over a line. Legs with published minutes keep them; others follow from distance and mode, varied by
 * the seed by a few per cent. A leg takes the same time in both directions.
 * @param slowdown 1 on empty streets; more at the peak
 * @param hubs ids of the interchanges
 * @returns one per call, ascending, in whole half minutes
 */
export function timeCalls(
  line: SampleLine,
  direction: 0 | 1,
  slowdown: number,
  hubs: ReadonlySet<string>,
  seed: number,
): TimedCall[] {
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  let clock = 0;
  return calls.map((call, i) => {
    if (i === 0) return { arrivalSeconds: 0, departureSeconds: 0 };
    const isLast = i === calls.length - 1;
    const dwell = isLast ? 0 : dwellSeconds(line, hubs.has(call.place.id));
    const leg = legSeconds(line, [calls[i - 1]!, call], { slowdown, dwell, seed });
    clock += leg;
    return { arrivalSeconds: clock - Math.min(dwell, leg / 2), departureSeconds: clock };
  });
}

function dwellSeconds(line: SampleLine, isHub: boolean): number {
  if (line.routeType === NIGHT_TRAIN_ROUTE_TYPE) return NIGHT_TRAIN_DWELL_SECONDS;
  const motion = motions[line.mode];
  return isHub ? motion.hubDwellSeconds : motion.dwellSeconds;
}

/** From one departure to the next, dwell included. */
function legSeconds(
  line: SampleLine,
  [from, to]: readonly [SampleLineCall, SampleLineCall],
  { slowdown, dwell, seed }: { readonly slowdown: number; readonly dwell: number; readonly seed: number },
): number {
  if (from.minutes !== null && to.minutes !== null) return Math.abs(to.minutes - from.minutes) * 60;
  const motion = motions[line.mode];
  const meters = distanceMeters(from.place.lat, from.place.lon, to.place.lat, to.place.lon);
  // The same key in both directions.
  const key = [line.id, ...[from.place.id, to.place.id].sort()].join(' ');
  const luck = 0.97 + 0.06 * variation(seed, key);
  const seconds = (meters / motion.metersPerSecond) * luck * slowdown + motion.lostSeconds + dwell;
  return Math.max(SHORTEST_LEG_SECONDS, Math.round(seconds / GRID_SECONDS) * GRID_SECONDS);
}

// The steps are small enough that no trip of the city lines, which depart minutes apart, overtakes the previous one.
const SLOWDOWN_STEPS: readonly (readonly [hour: number, slowdown: number])[] = [
  [0, 1],
  [6, 1.03],
  [6.75, 1.06],
  [7.25, 1.09],
  [9, 1.06],
  [9.75, 1.03],
  [15, 1.06],
  [16, 1.09],
  [18, 1.06],
  [19, 1.03],
  [20.5, 1],
];

/** Slowdown by street traffic for a trip that starts at this time; separate tracks have no peak. */
export function slowdownAt(mode: SampleMode, startSeconds: number): number {
  if (mode !== 'tram' && mode !== 'bus') return 1;
  return SLOWDOWN_STEPS.findLast(([hour]) => hour * 3600 <= startSeconds)?.[1] ?? 1;
}
