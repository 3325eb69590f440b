import { isSameName, isSimilarName, type PlaceName, type PlaceNames } from './place-names.ts';
import { callCountOf, stopAt, type TimetableIndex } from './timetable-index.ts';

/**
 * How far a told destination speaks for a trip, seen from one of its calls.
 * - `destination`: it is what the trip shows there, or its last stop
 * - `likeDestination`: nearly
 * - `onTheWay`: a stop further on: the vehicle turns early, or shows where it goes through
 * - `silent`: nothing was told, or nothing known
 * - `against`: it is behind
 */
export const directionRanks = { against: 0, silent: 1, onTheWay: 2, likeDestination: 3, destination: 4 } as const;

export function rankDirection(
  { tables }: TimetableIndex,
  names: PlaceNames,
  headsign: string | null,
  trip: number,
  position: number,
): number {
  if (headsign === null) return directionRanks.silent;
  const told = names.get(headsign);
  const nameAt = (at: number) => names.get(tables.stops.publishedName.get(stopAt(tables, trip, at)));
  const last = callCountOf(tables, trip) - 1;
  const destinations = [...listSigns(tables, trip, position).map(names.get), nameAt(last)];
  if (destinations.some((name) => isSameName(told, name))) return directionRanks.destination;
  if (destinations.some((name) => isSimilarName(told, name))) return directionRanks.likeDestination;
  if (hasName(told, nameAt, position + 1, last)) return directionRanks.onTheWay;
  return hasName(told, nameAt, 0, position) ? directionRanks.against : directionRanks.silent;
}

/** What the vehicle shows at the call: the sign of the call, and that of the trip. */
function listSigns({ trips, patterns, patternCalls, texts }: TimetableIndex['tables'], trip: number, position: number) {
  const ofCall = patternCalls.headsign[patterns.firstCall[trips.pattern[trip]!]! + position]!;
  return [ofCall, trips.headsign[trip]!].filter((text) => text >= 0).map((text) => texts.text.get(text));
}

function hasName(told: PlaceName, nameAt: (position: number) => PlaceName, from: number, to: number): boolean {
  for (let position = from; position <= to; position++) if (isSameName(told, nameAt(position))) return true;
  return false;
}

/**
 * Whether all that a line's trips do at some stops is to go on to the same place: then no destination is needed to tell
 * which way a vehicle goes.
 */
export function isOneWay(
  { tables }: TimetableIndex,
  routes: ReadonlySet<number>,
  stopsOfCall: Iterable<number>,
): boolean {
  const { stops, stopCalls, patterns, patternCalls } = tables;
  const next = new Set<number>();
  for (const stop of stopsOfCall) {
    const first = stops.firstStopCall[stop]!;
    for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      const position = stopCalls.position[i]!;
      if (!routes.has(patterns.route[pattern]!) || position === patterns.callCount[pattern]! - 1) continue;
      next.add(stops.station[patternCalls.stop[patterns.firstCall[pattern]! + position + 1]!]!);
    }
  }
  return next.size <= 1;
}
