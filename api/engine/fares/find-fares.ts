import type { TimetableTables } from '../../../pipeline/snapshots/contract.ts';
import type { Fare } from '../../contract/v2-trip.ts';
import type { Timetable } from '../timetable.ts';
import { type FareLeg, type FareRide, listRides, type Purchase } from './fare-rides.ts';
import { findClassFares } from './find-class-fares.ts';
import { findProductFares } from './find-product-fares.ts';

export type { FareLeg } from './fare-rides.ts';

/**
 * What the rides of a trip cost together, for one rider without a reduction, at the cheapest: one entry for each ticket
 * that is bought, in the order of travel, the same ticket twice as two entries. Whoever wants the price of the trip adds
 * them up, currency by currency.
 *
 * A list is always of the whole trip. It is empty where the fare of any ride is unknown, as a part of a price would
 * mislead; and where everything is free. What is free among the rest is left out, and what a change makes cheaper is
 * taken off the ticket that is bought with it, or else before it.
 *
 * Each feed is asked for its own rides, as if those of others were not between them: first its fares v2; where these do
 * not cover all of its rides, its fares v1. A feed's rides are paid in one currency: the first by its code of those in
 * which all of them can be.
 *
 * `amountCents` is hundredths of the currency's unit, whatever its coins: 200 yen are 20000.
 * @param legs in the order of travel
 */
export function findFares({ tables }: Pick<Timetable, 'tables'>, legs: readonly FareLeg[]): Fare[] {
  const bought: Purchase[] = [];
  for (const rides of groupBySource(listRides(tables, legs) ?? [])) {
    const ofFeed = findFeedFares(tables, rides);
    if (!ofFeed) return [];
    bought.push(...ofFeed);
  }
  return bought
    .filter(({ amountCents }) => amountCents > 0)
    .sort((a, b) => a.leg - b.leg)
    .map(({ name, amountCents, currency }) => ({ name, amountCents, currency }));
}

function findFeedFares(tables: TimetableTables, rides: readonly FareRide[]): readonly Purchase[] | null {
  return findProductFares(tables, rides) ?? findClassFares(tables, rides);
}

function groupBySource(rides: readonly FareRide[]): FareRide[][] {
  const groups = new Map<number, FareRide[]>();
  for (const ride of rides) {
    const group = groups.get(ride.feed);
    if (group) group.push(ride);
    else groups.set(ride.feed, [ride]);
  }
  return [...groups.values()];
}
