import { variation } from '../variation.ts';
import type { PlannedRun } from './planned-run.ts';
import type { RunHistory } from './run-history.ts';

/** Times of a run as they are known at a moment: what happened up to then, and what is expected after it. */
export interface KnownTimes {
  /** Seconds of the service day, one per call; neither ever falls along the run. Up to now: what happened. */
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
}

/** What lies further ahead is told from the delay of now alone; nearer by, ever more of it can be seen coming. */
const SIGHT_SECONDS = 900;
/** Half-way home of a delay that nothing new is added to: operators expect their vehicles to catch up. */
const DECAY_SECONDS = 5400;
/** How far forecasts of a running vehicle waver that look half an hour ahead. */
const WAVER_SECONDS = 70;
const WAVER_KNOT_SECONDS = 600;

/**
 * What a control room would say at a moment. An event that has not happened is always expected later than now.
 * @param now seconds of the service day
 */
export function forecastRun(run: PlannedRun, history: RunHistory, now: number, seed: number): KnownTimes {
  if (history.departures.at(-1)! <= now) return history;
  const view: View = { run, now, ...latestDelay(run, history, now), waver: waverAt(run, now, seed) };
  const arrivals = history.arrivals.slice();
  const departures = history.departures.slice();
  const { earlySeconds } = run.line.manners;
  let earliest = now + 1;
  run.times.forEach(({ arrivalSeconds, departureSeconds }, i) => {
    if (history.arrivals[i]! > now) {
      arrivals[i] = Math.max(earliest, expect(view, run.startSeconds + arrivalSeconds, history.arrivals[i]!));
      earliest = arrivals[i]!;
    }
    if (history.departures[i]! > now) {
      const planned = run.startSeconds + departureSeconds;
      const isEnd = i === 0 || i === run.times.length - 1;
      const soonest = isEnd ? earliest : Math.max(earliest, planned - earlySeconds);
      departures[i] = Math.max(soonest, expect(view, planned, history.departures[i]!));
      earliest = departures[i]!;
    }
  });
  return { arrivals, departures };
}

/** What the control room has before it. */
interface View {
  readonly run: PlannedRun;
  readonly now: number;
  /** Delay of what happened last; 0 for a run that has not begun. */
  readonly delaySeconds: number;
  readonly hasBegun: boolean;
  /** From -1 to 1. */
  readonly waver: number;
}

function expect({ run, now, delaySeconds, hasBegun, waver }: View, planned: number, actual: number): number {
  const ahead = actual - now;
  if (!hasBegun && ahead >= SIGHT_SECONDS) return planned;
  const sight = Math.max(0, 1 - ahead / SIGHT_SECONDS);
  const carriedOn = delaySeconds * Math.exp(-ahead / DECAY_SECONDS);
  const wavering = hasBegun ? waver * WAVER_SECONDS * Math.min(1, ahead / (2 * SIGHT_SECONDS)) : 0;
  const delay = sight * (actual - planned) + (1 - sight) * (carriedOn + wavering);
  const step = run.line.manners.forecastStepSeconds;
  return planned + Math.round(delay / step) * step;
}

function latestDelay(
  run: PlannedRun,
  { arrivals, departures }: RunHistory,
  now: number,
): Pick<View, 'delaySeconds' | 'hasBegun'> {
  const call = departures.findLastIndex((departure) => departure <= now);
  if (call === -1) return { delaySeconds: 0, hasBegun: false };
  const next = call + 1;
  const { startSeconds, times } = run;
  if (next < times.length && arrivals[next]! <= now) {
    return { delaySeconds: arrivals[next]! - startSeconds - times[next]!.arrivalSeconds, hasBegun: true };
  }
  return { delaySeconds: departures[call]! - startSeconds - times[call]!.departureSeconds, hasBegun: true };
}

/** A slow wave, so that forecasts drift rather than jump from one question to the next. */
function waverAt(run: PlannedRun, now: number, seed: number): number {
  const knot = Math.floor(now / WAVER_KNOT_SECONDS);
  const part = now / WAVER_KNOT_SECONDS - knot;
  const before = variation(seed, `waver ${run.key} ${knot}`);
  const after = variation(seed, `waver ${run.key} ${knot + 1}`);
  return 2 * (before + (after - before) * part) - 1;
}
