import type { TimetableTables } from './timetable-contract.ts';
import { runsOn } from './timetable-lookups.ts';

/**
 * Whether a dated trip continues as another trip, and whether it continues one, with its passengers on board.
 */
export function findJoinedEnds(
  tables: TimetableTables,
  trip: number,
  day: number,
): { readonly continues: boolean; readonly isContinuation: boolean } {
  const { fromTrip, toTrip, dayOffset, service } = tables.continuations;
  const back = tables.continuationsBack.continuation;
  const count = fromTrip.length;
  let continues = false;
  for (let row = findFirst(count, (at) => fromTrip[at]!, trip); row < count && fromTrip[row] === trip; row++) {
    continues ||= runsOn(tables, service[row]!, day);
  }
  let isContinuation = false;
  for (let at = findFirst(count, (i) => toTrip[back[i]!]!, trip); at < count && toTrip[back[at]!] === trip; at++) {
    isContinuation ||= runsOn(tables, service[back[at]!]!, day - dayOffset[back[at]!]!);
  }
  return { continues, isContinuation };
}

/** @returns the first position of a sorted list that is not before a value */
function findFirst(count: number, read: (position: number) => number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (read(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
