/**
 * Prices by enumerating every way to pay, directly from the rows of a feed; shares no code with the engine. Empty
 * fields are ''.
 */

export interface NaiveRide {
  readonly route: string;
  readonly stops: readonly string[];
  /** Seconds. */
  readonly departure: number;
  readonly arrival: number;
}

/** Zones, areas and networks. */
export interface NaiveTown {
  /** Zone by stop. */
  readonly zones: Readonly<Record<string, string>>;
  /** Effective areas by stop: those of a station are copied to its platforms. */
  readonly areas: Readonly<Record<string, readonly string[]>>;
  readonly stations: Readonly<Record<string, string>>;
  readonly agencies: Readonly<Record<string, string>>;
  /** Network by route; '' for none. */
  readonly networks: Readonly<Record<string, string>>;
}

export interface NaiveClass {
  readonly id: string;
  readonly cents: number;
  readonly transfers: number | '';
  readonly seconds: number | '';
  readonly agency: string;
  /** Null: valid everywhere. */
  readonly rules: readonly NaiveClassRule[] | null;
}

interface NaiveClassRule {
  readonly route: string;
  readonly origin: string;
  readonly destination: string;
  /** Null: any. */
  readonly contains: readonly string[];
}

const cheapest = (prices: readonly (number | null)[]): number | null =>
  prices.reduce((least, price) => (price !== null && (least === null || price < least) ? price : least), null);

/** @returns cents; null if some ride has no fare */
export function priceByClasses(
  town: NaiveTown,
  classes: readonly NaiveClass[],
  rides: readonly NaiveRide[],
): number | null {
  if (rides.length === 0) return 0;
  const ways: (number | null)[] = [];
  for (let count = 1; count <= rides.length; count++) {
    const rest = priceByClasses(town, classes, rides.slice(count));
    for (const one of classes) {
      if (rest !== null && isValid(town, one, rides.slice(0, count))) ways.push(one.cents + rest);
    }
  }
  return cheapest(ways);
}

function isValid(town: NaiveTown, one: NaiveClass, run: readonly NaiveRide[]): boolean {
  if (one.transfers !== '' && run.length > one.transfers + 1) return false;
  if (one.seconds !== '' && run.at(-1)!.departure > run[0]!.departure + one.seconds) return false;
  if (one.agency && run.some(({ route }) => town.agencies[route] !== one.agency)) return false;
  const visited = [...new Set(run.flatMap(({ stops }) => stops.map((stop) => town.zones[stop]!)))].sort().join();
  return run.every(
    ({ route }) =>
      !one.rules ||
      one.rules.some(
        (rule) =>
          (!rule.route || rule.route === route) &&
          (!rule.origin || rule.origin === town.zones[run[0]!.stops[0]!]) &&
          (!rule.destination || rule.destination === town.zones[run.at(-1)!.stops.at(-1)!]) &&
          (rule.contains.length === 0 || [...rule.contains].sort().join() === visited),
      ),
  );
}

// ---- Fares V2 ----------------------------------------------------------------------------------

export interface NaiveProducts {
  readonly hasPriorities: boolean;
  /** Cents by product. */
  readonly prices: Readonly<Record<string, number>>;
  readonly legs: readonly NaiveLegRule[];
  readonly joins: readonly (readonly [fromNetwork: string, toNetwork: string])[];
  readonly transfers: readonly NaiveTransferRule[];
}

interface NaiveLegRule {
  readonly group: string;
  readonly network: string;
  readonly from: string;
  readonly to: string;
  readonly product: string;
  readonly priority: number;
}

interface NaiveTransferRule {
  readonly from: string;
  readonly to: string;
  /** -1 or '': no limit. */
  readonly count: number | '';
  readonly seconds: number | '';
  readonly limitType: number;
  readonly type: number;
  readonly product: string;
}

interface Joined {
  readonly rides: readonly NaiveRide[];
}

/** @returns cents; null if some ride has no fare */
export function priceByProducts(town: NaiveTown, fares: NaiveProducts, rides: readonly NaiveRide[]): number | null {
  const joined: Joined[] = [];
  for (const ride of rides) {
    const before = joined.at(-1);
    if (before && isJoined(town, fares, before.rides.at(-1)!, ride)) {
      joined.splice(-1, 1, { rides: [...before.rides, ride] });
    } else joined.push({ rides: [ride] });
  }
  return payFrom(
    fares,
    joined,
    joined.map((one) => listRules(town, fares, one)),
    [],
  );
}

function isJoined(town: NaiveTown, fares: NaiveProducts, before: NaiveRide, after: NaiveRide): boolean {
  const isSameStation = town.stations[before.stops.at(-1)!] === town.stations[after.stops[0]!];
  return (
    isSameStation &&
    fares.joins.some(([from, to]) => from === town.networks[before.route] && to === town.networks[after.route])
  );
}

function listRules(town: NaiveTown, fares: NaiveProducts, { rides }: Joined): readonly NaiveLegRule[] {
  const networks = [...new Set(rides.map(({ route }) => town.networks[route]!))];
  const has = (field: 'network' | 'from' | 'to', wanted: string, values: readonly string[]) => {
    if (wanted) return values.includes(wanted);
    return fares.hasPriorities || !fares.legs.some((rule) => values.filter(Boolean).includes(rule[field]));
  };
  const fitting = fares.legs.filter(
    (rule) =>
      // If there are several networks, none applies to the ride.
      (rule.network === '' || networks.length === 1) &&
      has('network', rule.network, networks) &&
      has('from', rule.from, town.areas[rides[0]!.stops[0]!]!) &&
      has('to', rule.to, town.areas[rides.at(-1)!.stops.at(-1)!]!),
  );
  const highest = Math.max(...fitting.map(({ priority }) => priority));
  return fares.hasPriorities ? fitting.filter(({ priority }) => priority === highest) : fitting;
}

interface Step {
  readonly rule: NaiveLegRule;
  /** The transfer rule by which the ride was reached; null: a new ticket. */
  readonly transfer: NaiveTransferRule | null;
}

/** The price of the cheapest continuation after some steps. */
function payFrom(
  fares: NaiveProducts,
  joined: readonly Joined[],
  choices: readonly (readonly NaiveLegRule[])[],
  steps: readonly Step[],
): number | null {
  const at = steps.length;
  if (at === joined.length) return sumUp(fares, steps);
  const ways = choices[at]!.flatMap((rule): Step[] => {
    const transfers = at === 0 ? [] : listTransfers(fares, joined, steps, rule);
    return transfers.length > 0 ? transfers.map((transfer) => ({ rule, transfer })) : [{ rule, transfer: null }];
  });
  return cheapest(ways.map((step) => payFrom(fares, joined, choices, [...steps, step])));
}

function listTransfers(
  fares: NaiveProducts,
  joined: readonly Joined[],
  steps: readonly Step[],
  next: NaiveLegRule,
): readonly NaiveTransferRule[] {
  const before = steps.at(-1)!.rule;
  const matches = (field: 'from' | 'to', wanted: string, group: string) =>
    group !== '' && (wanted ? wanted === group : !fares.transfers.some((rule) => rule[field] === group));
  const fitting = fares.transfers.filter((rule) => {
    if (!matches('from', rule.from, before.group) || !matches('to', rule.to, next.group)) return false;
    let first = steps.length - 1;
    if (rule.from === rule.to) {
      while (steps[first]!.transfer && (rule.from === '' || steps[first - 1]!.rule.group === rule.from)) first--;
    }
    const isCounted =
      rule.from !== rule.to || rule.count === '' || rule.count < 0 || steps.length - first <= rule.count;
    return isCounted && isInTime(rule, joined[first]!.rides, joined[steps.length]!.rides);
  });
  const countOf = ({ from, to, count }: NaiveTransferRule) =>
    from !== to || count === '' || count < 0 ? 1_000_000 : count;
  const fewest = Math.min(...fitting.map(countOf));
  return fitting.filter((rule) => countOf(rule) === fewest);
}

function isInTime({ seconds, limitType }: NaiveTransferRule, first: readonly NaiveRide[], last: readonly NaiveRide[]) {
  if (seconds === '') return true;
  const begin = [0, 1].includes(limitType) ? first[0]!.departure : first.at(-1)!.arrival;
  const end = [0, 3].includes(limitType) ? last.at(-1)!.arrival : last[0]!.departure;
  return end - begin <= seconds;
}

function sumUp({ prices }: NaiveProducts, steps: readonly Step[]): number {
  let sum = 0;
  for (const [i, { rule, transfer }] of steps.entries()) {
    const own = prices[rule.product]!;
    if (!transfer) {
      sum += own;
      continue;
    }
    const ofTransfer = transfer.product ? prices[transfer.product]! : 0;
    const before = steps[i - 1]!;
    if (transfer.type === 2 && !before.transfer) sum -= prices[before.rule.product]!;
    sum += ofTransfer + (transfer.type === 1 ? own : 0);
  }
  return sum;
}
