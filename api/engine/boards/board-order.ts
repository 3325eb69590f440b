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

/** A call with its label and id, by which calls of the same time are sorted. */
export interface PlacedCall {
  readonly call: BoardCall;
  readonly known: KnownCall;
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
  sortIfNeeded(rest, (a, b) => a.time.expected - b.time.expected);
  // Of the calls in the same second as `after`, none to all may have been shown already.
  const sameSecond = after ? rest.filter(({ time }) => time.expected === after.time).length : 0;
  const lastTime = rest[limit + sameSecond]?.time.expected ?? Number.POSITIVE_INFINITY;
  const findKnown = openKnownCalls(published);
  const needed: PlacedCall[] = [];
  for (const call of rest) {
    if (call.time.expected > lastTime) break;
    needed.push({ call, known: findKnown(call.datedCall) });
  }
  sortIfNeeded(needed, comparePlaced);
  const left = after ? needed.filter((placed) => comparePlaces(getPlace(placed), after) > 0) : needed;
  const isCut = left.length > limit;
  return { calls: isCut ? left.slice(0, limit) : left, isCut };
}

export function getPlace({ call, known }: PlacedCall): BoardPlace {
  return { time: call.time.expected, label: known.label, id: known.id };
}

/** As `comparePlaces`, without places, because most times differ. */
function comparePlaced(a: PlacedCall, b: PlacedCall): number {
  return a.call.time.expected - b.call.time.expected || comparePlaces(getPlace(a), getPlace(b));
}

function comparePlaces(a: BoardPlace, b: BoardPlace): number {
  return a.time - b.time || compareText(a.label, b.label) || compareText(a.id, b.id);
}

/** Calls of the timetable are found in order, and sorting would copy them twice. */
function sortIfNeeded<Item>(items: Item[], compare: (a: Item, b: Item) => number): void {
  for (let i = 1; i < items.length; i++) {
    if (compare(items[i - 1]!, items[i]!) > 0) return void items.sort(compare);
  }
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
