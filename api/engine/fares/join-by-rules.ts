import type { TimetableTables } from '../../../pipeline/snapshots/contract.ts';
import { type FareRide, joinRides } from './fare-rides.ts';
import { findRows } from './find-rows.ts';

/**
 * Joins rides that a feed takes for one in spite of the change between them.
 * @param rides of one feed
 * @see GTFS Schedule reference, fare_leg_join_rules.txt
 */
export function joinByRules(tables: TimetableTables, rides: readonly FareRide[]): FareRide[] {
  const joined: FareRide[] = [];
  for (const ride of rides) {
    const before = joined.at(-1);
    if (before && isJoined(tables, before, ride)) joined.splice(-1, 1, joinRides(before, ride));
    else joined.push(ride);
  }
  return joined;
}

function isJoined(tables: TimetableTables, before: FareRide, after: FareRide): boolean {
  const { fareJoinRules: rules, fareRoutes } = tables;
  const [alighted, boarded] = [before.stops.at(-1)!, after.stops[0]!];
  if (alighted < 0 || boarded < 0) return false;
  for (const from of new Set([fareRoutes.network[before.routes.at(-1)!]!, -1])) {
    for (const to of new Set([fareRoutes.network[after.routes[0]!]!, -1])) {
      const { first, end } = findRows([rules.feed, rules.fromNetwork, rules.toNetwork], [before.feed, from, to]);
      for (let rule = first; rule < end; rule++) {
        if (isAt(tables, rule, alighted, boarded)) return true;
      }
    }
  }
  return false;
}

/** A rule that names no stops is about changes within a station. */
function isAt({ fareJoinRules, stops }: TimetableTables, rule: number, alighted: number, boarded: number): boolean {
  const [from, to] = [fareJoinRules.fromStop[rule]!, fareJoinRules.toStop[rule]!];
  if (from < 0) return stops.station[alighted] === stops.station[boarded];
  return (from === alighted || from === stops.station[alighted]) && (to === boarded || to === stops.station[boarded]);
}
