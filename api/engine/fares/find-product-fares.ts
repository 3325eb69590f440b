import { namedAs } from '../../../pipeline/snapshots/fare-tables.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { type FareRide, findRows, joinRides, type Purchase } from './fare-rides.ts';
import { listLegRules } from './list-leg-rules.ts';

/**
 * Joins rides that a feed counts as one in spite of the transfer between them.
 * @param rides of one feed
 * @see GTFS Schedule reference, fare_leg_join_rules.txt
 */
function joinByRules(tables: TimetableTables, rides: readonly FareRide[]): FareRide[] {
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

/** A rule without stops applies to transfers within a station. */
function isAt({ fareJoinRules, stops }: TimetableTables, rule: number, alighted: number, boarded: number): boolean {
  const [from, to] = [fareJoinRules.fromStop[rule]!, fareJoinRules.toStop[rule]!];
  if (from < 0) return stops.station[alighted] === stops.station[boarded];
  const isNamed = (stop: number, named: number) => named === stop || named === stops.publishedStation[stop];
  return isNamed(alighted, from) && isNamed(boarded, to);
}

/** The cheapest payment of all rides up to one, among those with the same options for the following rides. */
interface Paid {
  /** The rule that pays the ride, or would pay it alone. */
  readonly legRule: number;
  /** See `Change`. A ride that is its own `firstOfAll` is paid by itself. */
  readonly firstOfAll: number;
  readonly firstOfGroup: number;
  readonly cents: number;
  readonly bought: readonly Purchase[];
}

/** A leg rule, and the price of a ride by it alone; null where it has no price in the currency. */
interface LegChoice {
  readonly legRule: number;
  readonly price: Purchase | null;
}

/**
 * The cheapest fares v2 for the rides of one feed.
 * @returns null when the fare of some ride is unknown
 * @see GTFS Schedule reference, fare_products.txt to fare_transfer_rules.txt
 */
export function findProductFares(tables: TimetableTables, rides: readonly FareRide[]): Purchase[] | null {
  const joined = joinByRules(tables, rides);
  const legRules = joined.map((ride) => listLegRules(tables, ride));
  if (legRules.some((rules) => rules.length === 0)) return null;
  for (const currency of listCurrencies(tables, legRules.flat())) {
    const bought = payAll({ tables, rides: joined, currency }, legRules);
    if (bought) return takeOff(bought);
  }
  return null;
}

function listCurrencies({ fareLegRules, fareProducts }: TimetableTables, legRules: readonly number[]): string[] {
  const currencies = new Set<string>();
  for (const rule of legRules) {
    const { first, end } = findRows([fareProducts.product], [fareLegRules.product[rule]!]);
    for (let row = first; row < end; row++) currencies.add(fareProducts.currency.get(row));
  }
  return [...currencies].sort();
}

/** All rides of a trip, paid in one currency. */
interface PaidTrip {
  readonly tables: TimetableTables;
  readonly rides: readonly FareRide[];
  readonly currency: string;
}

function payAll(trip: PaidTrip, legRules: readonly (readonly number[])[]): readonly Purchase[] | null {
  const { tables, rides, currency } = trip;
  let paid: readonly Paid[] = [];
  for (const [ride, rules] of legRules.entries()) {
    const choices = listChoices(tables, rules, currency, rides[ride]!.leg);
    paid = keepCheapest(
      tables,
      ride === 0
        ? choices.flatMap((choice) => payAlone(null, 0, choice))
        : choices.flatMap((choice) => paid.flatMap((before) => payNext(trip, before, ride, choice))),
    );
  }
  return paid.reduce<Paid | null>((best, one) => (!best || one.cents < best.cents ? one : best), null)?.bought ?? null;
}

/** For each leg group the cheapest rule: transfer rules depend on the group only. */
function listChoices(
  tables: TimetableTables,
  rules: readonly number[],
  currency: string,
  leg: number,
): readonly LegChoice[] {
  const { legGroup, product } = tables.fareLegRules;
  const byGroup = new Map<number, LegChoice>();
  for (const legRule of rules) {
    const price = findPrice(tables, product[legRule]!, currency, leg);
    const known = byGroup.get(legGroup[legRule]!);
    const isCheaper = price && (!known?.price || price.amountCents < known.price.amountCents);
    if (!known || isCheaper) byGroup.set(legGroup[legRule]!, { legRule, price });
  }
  return [...byGroup.values()];
}

function findPrice({ fareProducts }: TimetableTables, product: number, currency: string, leg: number): Purchase | null {
  const { first, end } = findRows([fareProducts.product], [product]);
  for (let row = first; row < end; row++) {
    if (fareProducts.currency.get(row) !== currency) continue;
    return { leg, name: fareProducts.name.get(row), amountCents: fareProducts.amountCents[row]!, currency };
  }
  return null;
}

/** Pays a ride independently of the previous ones. */
function payAlone(before: Paid | null, ride: number, { legRule, price }: LegChoice): Paid[] {
  if (!price) return [];
  const cents = (before?.cents ?? 0) + price.amountCents;
  return [{ legRule, firstOfAll: ride, firstOfGroup: ride, cents, bought: [...(before?.bought ?? []), price] }];
}

/**
 * All payments of the next ride after a payment of the previous ones: by matching transfer rules, or alone without any.
 */
function payNext({ tables, rides, currency }: PaidTrip, before: Paid, to: number, choice: LegChoice): Paid[] {
  const { product, transferType } = tables.fareTransferRules;
  const { firstOfAll, firstOfGroup } = before;
  const priceOf = (rule: number) => findPrice(tables, product[rule]!, currency, rides[to]!.leg);
  const transfer = { to, fromLegRule: before.legRule, toLegRule: choice.legRule, firstOfAll, firstOfGroup };
  const rules = listTransferRules(tables, rides, transfer, (rule) => product[rule] === -1 || priceOf(rule) !== null);
  if (rules.length === 0) return payAlone(before, to, choice);
  const { legGroup } = tables.fareLegRules;
  const isSameGroup = legGroup[before.legRule] === legGroup[choice.legRule];
  return rules.flatMap((rule) => {
    const isAlone = before.firstOfAll === to - 1;
    const bought = payTransfer(before.bought, isAlone, priceOf(rule), transferType[rule]!, choice.price);
    if (!bought) return [];
    const cents = bought.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return [{ legRule: choice.legRule, firstOfAll, firstOfGroup: isSameGroup ? firstOfGroup : to, cents, bought }];
  });
}

/**
 * @param isAlone the previous ride was paid by itself, as the last purchase
 * @param type 0 adds the price of the transfer, 1 that of the next ride as well; 2 adds the price of the transfer,
 * which also replaces that of the previous ride, where that was paid by itself
 * @returns null when the next ride has no price but needs one
 */
function payTransfer(
  before: readonly Purchase[],
  isAlone: boolean,
  price: Purchase | null,
  type: number,
  next: Purchase | null,
): readonly Purchase[] | null {
  const change = price ? [price] : [];
  if (type === 2) return [...(isAlone ? before.slice(0, -1) : before), ...change];
  if (type === 0) return [...before, ...change];
  if (!next) return null;
  if (!price || price.amountCents >= 0) return [...before, ...change, next];
  return [...before, { ...next, amountCents: next.amountCents + price.amountCents }];
}

/** Keeps the cheapest payment of each set of equal options; among equals, the first. */
function keepCheapest({ fareLegRules }: TimetableTables, ways: readonly Paid[]): readonly Paid[] {
  const best = new Map<string, Paid>();
  for (const way of ways) {
    const key = `${fareLegRules.legGroup[way.legRule]} ${way.firstOfAll} ${way.firstOfGroup}`;
    const known = best.get(key);
    if (!known || way.cents < known.cents) best.set(key, way);
  }
  return [...best.values()];
}

/** Subtracts negative prices from earlier purchases. */
function takeOff(bought: readonly Purchase[]): Purchase[] {
  let off = 0;
  return bought
    .toReversed()
    .map((one) => {
      const amountCents = one.amountCents + off;
      off = Math.min(0, amountCents);
      return { ...one, amountCents: Math.max(0, amountCents) };
    })
    .reverse();
}

/** A transfer from ride `to - 1` to ride `to`, each paid by a leg rule, and the transfers before it. */
interface Change {
  readonly to: number;
  readonly fromLegRule: number;
  readonly toLegRule: number;
  /** The ride since which every transfer was paid by some transfer rule. */
  readonly firstOfAll: number;
  /** The ride since which, in addition, all rides are of one leg group. */
  readonly firstOfGroup: number;
}

/**
 * Transfer rules that match a transfer; of those that limit the number of transfers, only the ones with the lowest
 * limit.
 * @param isUsable whether a rule has a price
 * @returns rows of `fareTransferRules`; empty when the rides are paid one by one
 * @see GTFS Schedule reference, fare_transfer_rules.txt
 */
function listTransferRules(
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

/** Values of a leg group field that match; -1, an empty field, matches groups that no rule names there. */
function listGroups({ fareLegRules }: TimetableTables, legRule: number, as: number): number[] {
  const group = fareLegRules.legGroup[legRule]!;
  if (group < 0) return [];
  return (fareLegRules.groupNamed[legRule]! & as) === 0 ? [group, -1] : [group];
}

/** The ride from which transfers are counted: a rule from a group to itself applies to several transfers in a row. */
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
