import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Fare } from '../../contract/v2-trip.ts';
import type { Timetable } from '../read/timetable.ts';
import { type FareLeg, type FareRide, findRows, listRides, type Purchase } from './fare-rides.ts';
import { findProductFares } from './find-product-fares.ts';
import type { OtherRide } from './other-rides.ts';

/** A fare class that covers rides `from` to `to`, inclusive. */
interface Offer {
  readonly from: number;
  readonly to: number;
  readonly fareClass: number;
}

/**
 * The cheapest fares v1 for the rides of one feed: every ride is covered by one fare class, each class covers
 * consecutive rides.
 * @returns null when some ride is covered by none
 * @see GTFS Schedule reference, fare_attributes.txt and fare_rules.txt
 */
function findClassFares(tables: TimetableTables, rides: readonly FareRide[]): Purchase[] | null {
  const offers = listOffers(tables, rides);
  const { currency } = tables.fareClasses;
  const currencies = [...new Set(offers.map(({ fareClass }) => currency.get(fareClass)))].sort();
  for (const code of currencies) {
    const inCurrency = offers.filter(({ fareClass }) => currency.get(fareClass) === code);
    const chosen = chooseCheapest(tables, rides.length, inCurrency);
    if (chosen) return chosen.map((offer) => buy(tables, rides, offer));
  }
  return null;
}

function buy({ fareClasses }: TimetableTables, rides: readonly FareRide[], { from, fareClass }: Offer): Purchase {
  return {
    leg: rides[from]!.leg,
    name: fareClasses.fareId.get(fareClass),
    amountCents: fareClasses.amountCents[fareClass]!,
    currency: fareClasses.currency.get(fareClass),
  };
}

interface Cover {
  readonly cents: number;
  readonly offers: readonly Offer[];
}

/** Offers that cover each ride once, for the lowest price; among equals, the first. */
function chooseCheapest(
  { fareClasses }: TimetableTables,
  rideCount: number,
  offers: readonly Offer[],
): readonly Offer[] | null {
  const best: (Cover | null)[] = [{ cents: 0, offers: [] }];
  for (let end = 1; end <= rideCount; end++) {
    const covers = offers
      .filter(({ to }) => to + 1 === end)
      .flatMap((offer) => {
        const before = best[offer.from];
        if (!before) return [];
        const cents = before.cents + fareClasses.amountCents[offer.fareClass]!;
        return [{ cents, offers: [...before.offers, offer] }];
      });
    best[end] = covers.reduce<Cover | null>((least, one) => (least && least.cents <= one.cents ? least : one), null);
  }
  return best[rideCount]?.offers ?? null;
}

function listOffers(tables: TimetableTables, rides: readonly FareRide[]): Offer[] {
  const offers: Offer[] = [];
  const everywhere = listClassesWithoutRules(tables, rides[0]!.feed);
  for (let from = 0; from < rides.length; from++) {
    for (let to = from; to < rides.length; to++) {
      const run = rides.slice(from, to + 1);
      const classes = [...everywhere, ...listClassesByRules(tables, run)].sort((a, b) => a - b);
      for (const fareClass of classes) {
        if (allows(tables, fareClass, run)) offers.push({ from, to, fareClass });
      }
    }
  }
  return offers;
}

/** Checks the conditions of a class itself: agency, number of transfers, duration. */
function allows({ fareClasses, routes }: TimetableTables, fareClass: number, run: readonly FareRide[]): boolean {
  const agency = fareClasses.agency[fareClass]!;
  const transfers = fareClasses.transfers[fareClass]!;
  const seconds = fareClasses.transferSeconds[fareClass]!;
  return (
    (transfers < 0 || run.length - 1 <= transfers) &&
    (seconds < 0 || run.at(-1)!.departure - run[0]!.departure <= seconds) &&
    (agency < 0 || run.every((ride) => ride.routes.every((route) => routes.agency[route] === agency)))
  );
}

function listClassesWithoutRules({ fareClasses }: TimetableTables, source: number): number[] {
  const { first, end } = findRows([fareClasses.feed], [source]);
  const rows = Array.from({ length: end - first }, (_, i) => first + i);
  return rows.filter((row) => fareClasses.hasRules[row] === 0);
}

/**
 * Classes with a matching rule for each trip of the rides. The ends of these rides count, not those of the whole trip.
 */
function listClassesByRules(tables: TimetableTables, run: readonly FareRide[]): number[] {
  const zones = listZones(tables, run);
  const routes = new Set(run.flatMap((ride) => ride.routes));
  const [first, ...others] = [...routes].map((route) => listClassesOfRoute(tables, run[0]!.feed, route, zones));
  return [...first!].filter((fareClass) => others.every((classes) => classes.has(fareClass)));
}

/** Zones of consecutive rides; -1 where unknown. */
interface RunZones {
  readonly origin: number;
  readonly destination: number;
  /** Sorted; null where a stop is unknown. Stops without a zone do not count. */
  readonly visited: readonly number[] | null;
}

function listZones({ fareStops }: TimetableTables, run: readonly FareRide[]): RunZones {
  const stops = run.flatMap((ride) => ride.stops);
  const zoneOf = (stop: number) => (stop < 0 ? -1 : fareStops.zone[stop]!);
  const zones = new Set(stops.map(zoneOf).filter((zone) => zone >= 0));
  return {
    origin: zoneOf(stops[0]!),
    destination: zoneOf(stops.at(-1)!),
    visited: stops.includes(-1) ? null : [...zones].sort((a, b) => a - b),
  };
}

function listClassesOfRoute(
  tables: TimetableTables,
  source: number,
  route: number,
  { origin, destination, visited }: RunZones,
): Set<number> {
  const { fareRules: rules } = tables;
  const classes = new Set<number>();
  for (const ofRoute of [route, -1]) {
    for (const from of new Set([origin, -1])) {
      for (const to of new Set([destination, -1])) {
        const sorted = [rules.feed, rules.route, rules.origin, rules.destination];
        const { first, end } = findRows(sorted, [source, ofRoute, from, to]);
        for (let row = first; row < end; row++) {
          if (isThrough(tables, row, visited)) classes.add(rules.fareClass[row]!);
        }
      }
    }
  }
  return classes;
}

/** Whether the visited zones are exactly those of a rule. */
function isThrough(tables: TimetableTables, rule: number, visited: readonly number[] | null): boolean {
  const { firstZone, zoneCount } = tables.fareRules;
  const [first, count] = [firstZone[rule]!, zoneCount[rule]!];
  if (count === 0) return true;
  return visited?.length === count && visited.every((zone, i) => zone === tables.fareRuleZones.zone[first + i]);
}

/**
 * The cheapest price of the rides of a trip together, for one rider without a reduction: one entry per ticket, in the
 * order of travel, the same ticket twice as two entries. The price of the trip is their sum by currency.
 *
 * A list is always of the whole trip. It is empty where the fare of any ride is unknown, as a part of a price would
 * mislead; and where everything is free. Free tickets are left out, and a reduction by a transfer is subtracted from
 * the ticket bought with it, or else from an earlier one.
 *
 * Each feed prices its own rides, as if those of others were not between them: first by its fares v2; where these do
 * not cover all of its rides, by its fares v1. A feed's rides are paid in one currency: the first by code among those
 * in which all of them can be paid.
 *
 * `amountCents` is hundredths of the currency's unit, whatever its coins: 200 yen are 20000.
 * @param legs in the order of travel
 */
export function findFares({ tables }: Pick<Timetable, 'tables'>, legs: readonly FareLeg[]): Fare[] {
  const bought = buyAll(tables, legs) ?? buyOtherwise(tables, legs) ?? [];
  return bought
    .filter(({ amountCents }) => amountCents > 0)
    .sort((a, b) => a.leg - b.leg)
    .map(({ name, amountCents, currency }) => ({ name, amountCents, currency }));
}

/** @returns null where the fare of a ride is unknown */
function buyAll(tables: TimetableTables, legs: readonly FareLeg[]): Purchase[] | null {
  const bought: Purchase[] = [];
  for (const rides of groupBySource(listRides(tables, legs) ?? [])) {
    const ofFeed = findFeedFares(tables, rides);
    if (!ofFeed) return null;
    bought.push(...ofFeed);
  }
  return bought;
}

/** By the fares of the first feed that publishes duplicates of some trips and knows the fares of all. */
function buyOtherwise(tables: TimetableTables, legs: readonly FareLeg[]): Purchase[] | null {
  const others = legs.map(({ listOthers }) => listOthers?.() ?? []);
  const feedOf = ({ route }: OtherRide) => tables.routes.feed[route]!;
  for (const feed of [...new Set(others.flat().map(feedOf))].sort((a, b) => a - b)) {
    const inFeed = legs.map((leg, i) => ({ ...leg, ...others[i]!.find((ride) => feedOf(ride) === feed) }));
    const bought = buyAll(tables, inFeed);
    if (bought) return bought;
  }
  return null;
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
