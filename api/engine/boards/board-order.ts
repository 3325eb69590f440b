import type { Published } from '../read/realtime.ts';
import type { BoardCall, BoardPage } from './board-calls.ts';
import { type KnownCall, openKnownCalls } from './known-calls.ts';

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
  readonly known: KnownCall;
  readonly place: BoardPlace;
}

interface PlacedPage extends BoardPage {
  readonly after: BoardPlace | null;
}

/**
 * Sorts calls as far as a page needs it: most of a busy hour is cut off by time alone, before any call is named or
 * compared by name.
 */
export function sortCalls(
  published: Published,
  calls: BoardCall[],
  { limit, after }: PlacedPage,
): { readonly calls: readonly PlacedCall[]; readonly isCut: boolean } {
  const rest = after ? calls.filter(({ time }) => time.expected >= after.time) : calls;
  rest.sort((a, b) => a.time.expected - b.time.expected);
  // Of the calls in the same second as `after`, none to all may have been shown already.
  const sameSecond = after ? rest.filter(({ time }) => time.expected === after.time).length : 0;
  const lastTime = rest[limit + sameSecond]?.time.expected ?? Number.POSITIVE_INFINITY;
  const findKnown = openKnownCalls(published);
  const needed = rest.filter(({ time }) => time.expected <= lastTime).map((call) => placeCall(findKnown, call));
  needed.sort((a, b) => comparePlaces(a.place, b.place));
  const left = after ? needed.filter(({ place }) => comparePlaces(place, after) > 0) : needed;
  return { calls: left.slice(0, limit), isCut: left.length > limit };
}

function comparePlaces(a: BoardPlace, b: BoardPlace): number {
  return a.time - b.time || compareText(a.label, b.label) || compareText(a.id, b.id);
}

/** Compares code points; JavaScript compares UTF-16 code units, which misplaces only those beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitA !== unitB) return rankUnit(unitA) - rankUnit(unitB);
  }
  return a.length - b.length;
}

/** Surrogates, which begin at D800, stand for code points after those up to FFFF. */
function rankUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function placeCall(findKnown: ReturnType<typeof openKnownCalls>, call: BoardCall): PlacedCall {
  const known = findKnown(call.datedCall);
  return { call, known, place: { time: call.time.expected, label: known.label, id: known.id } };
}
