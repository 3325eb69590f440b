import { getLabel, openTrip, type TripView } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import type { BoardCall } from './board-calls.ts';

/** Sort key of a row: by time, then line, then id; a total order, because ids are unique. */
export interface BoardPlace {
  /** Realtime where known, else scheduled. */
  readonly time: number;
  readonly label: string;
  /** Unique on the board, and stable while the call is known. */
  readonly id: string;
}

export interface PlacedCall {
  readonly call: BoardCall;
  readonly trip: TripView;
  readonly place: BoardPlace;
}

/**
 * Sorts calls as far as a page needs it: most of a busy hour is cut off by time alone, before any call is named or
 * compared by name.
 * @param after only calls after it; null for all
 */
export function sortCalls(
  published: Published,
  calls: BoardCall[],
  limit: number,
  after: BoardPlace | null,
): { readonly calls: readonly PlacedCall[]; readonly isCut: boolean } {
  const rest = after ? calls.filter(({ time }) => time.expected >= after.time) : calls;
  rest.sort((a, b) => a.time.expected - b.time.expected);
  // Of the calls in the same second as `after`, none to all may have been shown already.
  const sameSecond = after ? rest.filter(({ time }) => time.expected === after.time).length : 0;
  const lastTime = rest[limit + sameSecond]?.time.expected ?? Number.POSITIVE_INFINITY;
  const needed = rest.filter(({ time }) => time.expected <= lastTime).map((call) => placeCall(published, call));
  needed.sort((a, b) => comparePlaces(a.place, b.place));
  const left = after ? needed.filter(({ place }) => comparePlaces(place, after) > 0) : needed;
  return { calls: left.slice(0, limit), isCut: left.length > limit };
}

function comparePlaces(a: BoardPlace, b: BoardPlace): number {
  return a.time - b.time || compareText(a.label, b.label) || compareText(a.id, b.id);
}

/** JavaScript compares UTF-16 code units, which misplaces only code points beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const [pointsA, pointsB] = [[...a], [...b]];
  for (let i = 0; i < pointsA.length && i < pointsB.length; i++) {
    const difference = pointsA[i]!.codePointAt(0)! - pointsB[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return pointsA.length - pointsB.length;
}

function placeCall(published: Published, call: BoardCall): PlacedCall {
  const { datedCall, time } = call;
  const trip = openTrip(published, datedCall);
  const id = nameCall(trip.tripKey, datedCall.day, datedCall.position);
  return { call, trip, place: { time: time.expected, label: getLabel(trip), id } };
}

function nameCall(tripKey: bigint, day: number, position: number): string {
  return `${tripKey.toString(16).padStart(16, '0')}.${day}.${position}`;
}
