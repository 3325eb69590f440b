import { straightWalkMeters } from '../model/walking.ts';
import { MAX_PLACES_ASKED } from './engine-config.ts';
import { crowMeters } from './straight-path.ts';
import type { StreetEngine } from './street-engine.ts';
import { askMatrix, findOnStreets, type MatrixAnswer } from './street-questions.ts';
import { isDetour, sumWay } from './street-way.ts';
import { MAX_MEASURED_METERS } from './walk-limits.ts';
import type { Point, WalkProfile } from './walk-router.ts';

type Meters = number | null;

/** See `WalkRouter.measure`. What lies beyond `maxMeters` as the crow flies is not asked for. */
export async function measureWalks(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
  maxMeters: number,
): Promise<Meters[]> {
  const limit = Math.min(maxMeters, MAX_MEASURED_METERS);
  const meters: Meters[] = to.map((place) => (crowMeters(from, place) === 0 ? 0 : null));
  const near = [...to.keys()].filter((i) => meters[i] === null && crowMeters(from, to[i]!) <= limit);
  for (let at = 0; at < near.length; at += MAX_PLACES_ASKED) {
    const asked = near.slice(at, at + MAX_PLACES_ASKED);
    const places = asked.map((i) => to[i]!);
    const measured = await measurePlaces(engine, from, places, profile);
    for (const [rank, i] of asked.entries()) meters[i] = measured[rank]!;
  }
  return meters.map((length) => (length !== null && length <= limit ? length : null));
}

/** The engine answers for all places or for none: those away from streets are set apart when it comes to that. */
async function measurePlaces(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
): Promise<Meters[]> {
  const measured = await measureOnStreets(engine, from, to, profile);
  if (measured !== 'offStreets') return measured;
  const [isFromOnStreets, ...isOnStreets] = await findOnStreets(engine, [from, ...to], profile);
  if (!isFromOnStreets) return to.map((place, i) => (isOnStreets[i] ? null : straightMeters(from, place)));
  const known = to.filter((_, i) => isOnStreets[i]);
  const others = known.length > 0 ? await measureOnStreets(engine, from, known, profile) : [];
  let rank = 0;
  return to.map((_, i) => (isOnStreets[i] && others !== 'offStreets' ? others[rank++]! : null));
}

/**
 * The engine lets a way begin, but not end, in a street that is too rough for a wheelchair. So there it is asked both
 * ways: the way back is as long.
 */
async function measureOnStreets(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
): Promise<Meters[] | 'offStreets'> {
  const there = await askMatrix(engine, [from], to, profile);
  if (there === 'offStreets') return there;
  const meters = there === 'noWay' ? to.map(() => null) : readMeters(readThere(there), from, to);
  if (profile === 'foot') return meters;
  const back = await askMatrix(engine, to, [from], profile);
  if (typeof back === 'string') return meters;
  return readMeters(readBack(back), from, to).map((length, i) => shorter(length, meters[i]!));
}

/** Ways between a place on a street and others, whichever way they were asked for. */
interface StreetDistances {
  readonly here: Point;
  readonly others: readonly Point[];
  readonly kilometers: readonly (number | null)[];
}

function readThere({ sources, targets, sources_to_targets }: MatrixAnswer): StreetDistances {
  return { here: sources[0]!, others: targets, kilometers: sources_to_targets[0]!.map(({ distance }) => distance) };
}

function readBack({ sources, targets, sources_to_targets }: MatrixAnswer): StreetDistances {
  return { here: targets[0]!, others: sources, kilometers: sources_to_targets.map(([only]) => only!.distance) };
}

function readMeters({ here, others, kilometers }: StreetDistances, from: Point, to: readonly Point[]): Meters[] {
  const before = crowMeters(from, here);
  return to.map((place, i) => {
    const length = kilometers[i]!;
    if (length === null) return null;
    const way = { before, between: length * 1000, after: crowMeters(others[i]!, place) };
    return isDetour(way, from, place) ? straightMeters(from, place) : sumWay(way);
  });
}

function shorter(one: Meters, other: Meters): Meters {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function straightMeters(from: Point, to: Point): number {
  return straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
}
