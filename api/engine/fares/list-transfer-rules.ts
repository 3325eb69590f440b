import { namedAs, type TimetableTables } from '../../../pipeline/timetable/snapshot/contract.ts';
import type { FareRide } from './fare-rides.ts';
import { findRows } from './fare-rides.ts';

/** A change from ride `to - 1` to ride `to`, each paid by a leg rule, and what went before. */
export interface Change {
  readonly to: number;
  readonly fromLegRule: number;
  readonly toLegRule: number;
  /** The ride since which every change was made by some transfer rule. */
  readonly firstOfAll: number;
  /** The ride since which, besides, all rides are of one leg group. */
  readonly firstOfGroup: number;
}

/**
 * Transfer rules that fit a change: where they count changes, those alone that allow the fewest.
 * @param isUsable says whether a rule has a price
 * @returns rows of `fareTransferRules`; empty when the rides are paid one by one
 * @see GTFS Schedule reference, fare_transfer_rules.txt
 */
export function listTransferRules(
  tables: TimetableTables,
  rides: readonly FareRide[],
  change: Change,
  isUsable: (rule: number) => boolean,
): number[] {
  const { transferCount } = tables.fareTransferRules;
  const fitting = listFitting(tables, rides, change).filter(isUsable);
  const countOf = (rule: number) => (transferCount[rule]! < 0 ? Number.POSITIVE_INFINITY : transferCount[rule]!);
  const fewest = Math.min(...fitting.map(countOf));
  return fitting.filter((rule) => countOf(rule) === fewest);
}

function listFitting(tables: TimetableTables, rides: readonly FareRide[], change: Change): number[] {
  const { fareTransferRules: rules } = tables;
  const fitting: number[] = [];
  for (const from of listGroups(tables, change.fromLegRule, namedAs.from)) {
    for (const to of listGroups(tables, change.toLegRule, namedAs.to)) {
      const first = findFirstRide(change, from, to);
      const { feed } = rides[first]!;
      const found = findRows([rules.feed, rules.fromGroup, rules.toGroup], [feed, from, to]);
      for (let rule = found.first; rule < found.end; rule++) {
        const limit = rules.transferCount[rule]!;
        const isCounted = limit < 0 || change.to - first <= limit;
        if (isCounted && isInTime(tables, rule, rides[first]!, rides[change.to]!)) fitting.push(rule);
      }
    }
  }
  return fitting;
}

/** What a transfer rule may say where a leg group is meant; -1, an empty field, means groups that no rule names there. */
function listGroups({ fareLegRules }: TimetableTables, legRule: number, as: number): number[] {
  const group = fareLegRules.legGroup[legRule]!;
  if (group < 0) return [];
  return (fareLegRules.groupNamed[legRule]! & as) === 0 ? [group, -1] : [group];
}

/** Where counting begins for rules of these groups: a rule from a group to itself goes on over several changes. */
function findFirstRide({ to, firstOfAll, firstOfGroup }: Change, fromGroup: number, toGroup: number): number {
  if (fromGroup !== toGroup) return to - 1;
  return fromGroup < 0 ? firstOfAll : firstOfGroup;
}

function isInTime(
  { fareTransferRules: { durationSeconds, durationType } }: TimetableTables,
  rule: number,
  first: FareRide,
  last: FareRide,
): boolean {
  const limit = durationSeconds[rule]!;
  if (limit < 0) return true;
  const type = durationType[rule]!;
  const begin = type === 0 || type === 1 ? first.departure : first.arrival;
  const end = type === 0 || type === 3 ? last.arrival : last.departure;
  return end - begin <= limit;
}
