import { lowerBound, partitionPoint } from '../model/binary-search.ts';
import type { EpochDay } from '../model/service-time.ts';
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
  for (let row = lowerBound(fromTrip, trip); row < count && fromTrip[row] === trip; row++) {
    continues ||= runsOn(tables, service[row]!, day);
  }
  let isContinuation = false;
  const first = partitionPoint(0, count, (at) => toTrip[back[at]!]! < trip);
  for (let at = first; at < count && toTrip[back[at]!] === trip; at++) {
    isContinuation ||= runsOn(tables, service[back[at]!]!, day - dayOffset[back[at]!]!);
  }
  return { continues, isContinuation };
}

/** Lists the dated trips as which a dated trip continues, with its passengers on board. */
export function listContinuations(
  tables: TimetableTables,
  trip: number,
  day: EpochDay,
): { readonly trip: number; readonly day: EpochDay }[] {
  const { fromTrip, toTrip, dayOffset, service } = tables.continuations;
  const next: { readonly trip: number; readonly day: EpochDay }[] = [];
  for (let row = lowerBound(fromTrip, trip); fromTrip[row] === trip; row++) {
    if (runsOn(tables, service[row]!, day)) next.push({ trip: toTrip[row]!, day: (day + dayOffset[row]!) as EpochDay });
  }
  return next;
}
