import fc from 'fast-check';
import type { Product } from '../../../pipeline/model/product.ts';
import type { NaivePlanFeed } from './naive-plan-feed.ts';
import type { NaivePlace } from './naive-plan-places.ts';
import { isRepeated } from './naive-plan-stays.ts';
import type { Town } from './naive-plan-town.ts';
import type { ExtraCall, NaiveCallReport, NaiveExtraReport, NaiveReports, NaiveTripReport } from './naive-reports.ts';

// Random small networks with all features of real ones; numbers are small, so that trips often meet.

/** Service dates, and the times around which the queries are. */
const RANDOM_DAYS = ['20260317', '20260318'] as const;
export const BUSY_HOUR = Date.parse('2026-03-17T08:00:00+01:00') / 1000;

/** Some near one another, some in a station, one without coordinates. */
const STOPS = ['a', 'b', 'c', 'd', 'e', 'near', 'far', 's1', 's2', 's3', 'lost'];
export const NAMED_PLACES = [...STOPS, 's', 's', 's'];
const ROUTES = ['r1', 'r2', 'r3', 'tram'];
const LINES = 5;
const TRIPS_OF_LINE = 4;

const one = (...values: string[]) => fc.constantFrom(...values);
const rarely = <Value>(value: fc.Arbitrary<Value>, other: Value, weight = 6) =>
  fc.oneof({ weight, arbitrary: fc.constant(other) }, { weight: 1, arbitrary: value });

const stop = one(...STOPS);
const line = fc.record({
  route: one(...ROUTES),
  stops: fc.array(stop, { minLength: 2, maxLength: 6 }),
  pickups: fc.array(rarely(one('1', '2'), '', 9), { minLength: 6, maxLength: 6 }),
  dropOffs: fc.array(rarely(one('1', '3'), '', 9), { minLength: 6, maxLength: 6 }),
});
const trip = fc.record({
  line: fc.nat(LINES - 1),
  /** Minutes: most in the busy hour, some in the evening and after midnight. */
  start: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 450, max: 540 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1400, max: 1520 }) },
  ),
  hops: fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 6, maxLength: 6 }),
  /** Most feeds have whole minutes. */
  seconds: rarely(fc.integer({ min: 1, max: 59 }), 0, 2),
  stays: fc.array(rarely(fc.integer({ min: 1, max: 5 }), 0, 3), { minLength: 6, maxLength: 6 }),
  service: one('both', 'both', 'both', 'first', 'second'),
  block: rarely(one('x', 'y'), '', 1),
  wheelchair: rarely(one('1', '2'), '', 4),
  headway: rarely(fc.constantFrom('600,0', '420,1'), '', 14),
});
const named = (from: string[], weight: number) => rarely(one(...from), '', weight);
const rule = fc.record({
  from: one(...NAMED_PLACES),
  to: one(...NAMED_PLACES),
  type: one('', '0', '1', '2', '2', '2', '3'),
  seconds: one('', '0', '60', '180', '600'),
  fromRoute: named(ROUTES, 2),
  toRoute: named(ROUTES, 2),
  fromTrip: named(tripNames(), 3),
  toTrip: named(tripNames(), 3),
});
const stay = fc.record({ type: one('4', '4', '5'), fromTrip: one(...tripNames()), toTrip: one(...tripNames()) });

function tripNames(): string[] {
  return Array.from({ length: LINES * TRIPS_OF_LINE }, (_, i) => `t${i}`);
}

/** A network in the notation of the small towns. */
export const randomTown: fc.Arbitrary<Town> = fc
  .record({
    lines: fc.array(line, { minLength: LINES, maxLength: LINES }),
    trips: fc.array(trip, { minLength: 6, maxLength: LINES * TRIPS_OF_LINE }),
    rules: fc.array(rule, { maxLength: 10 }),
    stays: fc.array(stay, { maxLength: 5 }),
    closed: fc.subarray(['a', 'c', 's', 's2'], { maxLength: 2 }),
  })
  .map(({ lines, trips, rules, stays, closed }) => ({
    trips: trips.map((each, i) => describeTrip(`t${i}`, each, lines[each.line]!)),
    files: {
      'stops.txt': describeStops(closed),
      'calendar.txt': CALENDAR,
      'calendar_dates.txt': 'service_id,date,exception_type\n',
      'transfers.txt': describeRules(rules, stays),
      'frequencies.txt': describeHeadways(trips),
    },
  }));

type Arbitrated<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

function describeTrip(id: string, own: Arbitrated<typeof trip>, of: Arbitrated<typeof line>): string {
  let clock = own.start * 60 + own.seconds;
  const calls = of.stops.map((at, i) => {
    const arrival = clock + (i === 0 ? 0 : own.hops[i]! * 60);
    clock = arrival + own.stays[i]! * 60;
    const words = `${of.pickups[i] ? ` pickup=${of.pickups[i]}` : ''}${of.dropOffs[i] ? ` dropOff=${of.dropOffs[i]}` : ''}`;
    return `${at} ${toClock(arrival)}/${toClock(clock)}${words}`;
  });
  const words = [`route=${of.route}`, `service=${own.service}`, `block=${own.block}`, `wheelchair=${own.wheelchair}`];
  // Of four trips, one carries no bicycles and one does; of the others it is unknown.
  words.push(`bikes=${['2', '1', '', ''][own.start % 4]}`);
  return `${[id, ...words].join(' ')}: ${calls.join(', ')}`;
}

function toClock(seconds: number): string {
  const two = (n: number) => String(n % 60).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
}

const CALENDAR = `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
both,1,1,1,1,1,1,1,${RANDOM_DAYS[0]},${RANDOM_DAYS[1]}
first,1,1,1,1,1,1,1,${RANDOM_DAYS[0]},${RANDOM_DAYS[0]}
second,1,1,1,1,1,1,1,${RANDOM_DAYS[1]},${RANDOM_DAYS[1]}
`;

function describeStops(closed: readonly string[]): string {
  const rows = [
    'a,48.0,16.0,,',
    'b,48.0,16.02,,',
    'c,48.0,16.2,,',
    'd,48.0,16.3,,',
    'e,48.0,16.4,,',
    'near,48.0045,16.2,,',
    'far,48.008,16.2,,',
    's,48.1,16.1,1,',
    's1,48.1,16.1,0,s',
    's2,48.1005,16.1,0,s',
    's3,48.104,16.1,0,s',
    'lost,,,,',
  ];
  const lines = rows.map((row) => `${row},${row.split(',')[0]},${closed.includes(row.split(',')[0]!) ? '2' : ''}\n`);
  return `stop_id,stop_lat,stop_lon,location_type,parent_station,stop_name,wheelchair_boarding\n${lines.join('')}`;
}

function describeRules(rules: Arbitrated<typeof rule>[], stays: Arbitrated<typeof stay>[]): string {
  const lines = [
    ...rules.map(({ from, to, type, seconds, fromRoute, toRoute, fromTrip, toTrip }) =>
      // A trip belongs to one route, so a rule that names a trip does not name its route as well.
      [from, to, type, seconds, fromTrip ? '' : fromRoute, toTrip ? '' : toRoute, fromTrip, toTrip].join(','),
    ),
    ...stays.map(({ type, fromTrip, toTrip }) => `,,${type},,,,${fromTrip},${toTrip}`),
  ];
  return `from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id\n${lines.map((text) => `${text}\n`).join('')}`;
}

function describeHeadways(trips: Arbitrated<typeof trip>[]): string {
  const lines = trips.flatMap(({ headway, start }, i) => {
    const end = toClock((start + 40) * 60);
    return headway === '' ? [] : `t${i},${toClock(start * 60)},${end},${headway}\n`;
  });
  return `trip_id,start_time,end_time,headway_secs,exact_times\n${lines.join('')}`;
}

// ---- Queries -----------------------------------------------------------------------------------

/** stop_id in the town, or degrees. */
export type RandomPlace = string | readonly [lat: number, lon: number];

const place = fc.oneof(
  { weight: 5, arbitrary: one(...NAMED_PLACES) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<RandomPlace>([48.0009, 16.0], [48.0022, 16.2], [48.1008, 16.1], [48.0, 16.29]),
  },
);

const randomTerms = fc.record({
  maxTransfers: fc.oneof(fc.constant(8), fc.integer({ min: 0, max: 3 })),
  minTransferSeconds: rarely(fc.constantFrom(60, 180, 600), 0, 4),
  products: rarely<readonly string[] | null>(fc.constantFrom(['tram'], ['cityBus']), null, 5),
  walkSpeedKmh: fc.constantFrom(4.7, 4.7, 2, 7),
  maxWalkMeters: fc.constantFrom(1500, 1500, 0, 600, 5000),
  wheelchair: rarely(fc.constant(true), false, 4),
});

export const randomQuestion = fc.record({
  from: place,
  to: place,
  via: rarely(fc.array(place, { minLength: 1, maxLength: 2 }), [], 3),
  terms: randomTerms,
  /** Minutes after the busy hour. */
  minute: fc.oneof(fc.integer({ min: -40, max: 70 }), fc.integer({ min: -600, max: 3000 })),
  second: rarely(fc.integer({ min: 1, max: 59 }), 0, 2),
  timeMode: fc.constantFrom('departure' as const, 'arrival' as const),
  limit: fc.constantFrom(1, 2, 3, 6),
});

/** How the stops around an end are reached on wheels, by stop_id in the town. */
export interface RandomEnd {
  readonly onFoot: boolean;
  readonly rows: readonly { readonly stop: string; readonly mode: 'bike' | 'car'; readonly seconds: number }[];
}

const mode = fc.constantFrom('bike' as const, 'car' as const);
const end: fc.Arbitrary<RandomEnd> = fc.record({
  onFoot: fc.boolean(),
  rows: fc.array(fc.record({ stop, mode, seconds: fc.integer({ min: 0, max: 2400 }) }), { maxLength: 12 }),
});

export const randomModes = fc.record({
  access: fc.option(end, { freq: 4 }),
  egress: fc.option(end, { freq: 3 }),
  bikeOnBoard: rarely(fc.constant(true), false, 2),
  direct: fc.option(
    fc.record({
      onFoot: fc.boolean(),
      /** By stretch; the first ones count. */
      ways: fc.uniqueArray(
        fc.record({ mode, seconds: fc.array(fc.integer({ min: 60, max: 7200 }), { minLength: 3, maxLength: 3 }) }),
        { maxLength: 2, selector: (way) => way.mode },
      ),
    }),
    { freq: 3 },
  ),
});

/** Seconds after the busy hour, and length; fixed departures have none. */
const openTime = fc.tuple(
  fc.integer({ min: -7200, max: 10_800 }),
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3600 }), fc.constant(86_400)),
);
const onDemand = fc.array(
  fc.record({
    stop,
    seconds: fc.integer({ min: 60, max: 2400 }),
    open: fc.array(openTime, { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 6 },
);
export const randomOnDemand = fc.record({ access: onDemand, egress: onDemand });

// ---- Random reports ----------------------------------------------------------------------------

const delay = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 15 }).map((minutes) => minutes * 60) },
  { weight: 1, arbitrary: fc.integer({ min: -3600, max: 20_000 }) },
);
const reportedCall = fc.option(
  fc.record({
    isSkipped: rarely(fc.constant(true), false, 6),
    isMeasured: fc.constant(false),
    arrivalDelay: fc.option(delay, { freq: 5 }),
    departureDelay: fc.option(delay, { freq: 5 }),
    platform: fc.constant(null),
  }),
  { freq: 4 },
);
const reportedTrip = fc.record({
  trip: fc.nat(),
  day: fc.nat(1),
  kind: rarely<NaiveTripReport['kind']>(fc.constantFrom('cancelled', 'deleted'), 'scheduled', 4),
  calls: fc.array(reportedCall, { minLength: 6, maxLength: 6 }),
});
const reportedExtra = fc.record({
  replaces: rarely<number | null>(fc.nat(), null, 2),
  day: fc.nat(1),
  /** Minutes after the busy hour. */
  begin: fc.integer({ min: -30, max: 60 }),
  calls: fc.array(
    fc.record({
      stop: rarely<string | null>(fc.constant(null), 'any', 8),
      at: fc.nat(),
      gap: fc.integer({ min: 0, max: 15 }),
      delay: fc.option(delay, { freq: 2 }),
      isSkipped: rarely(fc.constant(true), false, 8),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});

export const randomWords = fc.record({
  trips: fc.array(reportedTrip, { maxLength: 12 }),
  extras: fc.array(reportedExtra, { maxLength: 3 }),
});

const DAY = 86_400;
const FIRST_DAY = Math.floor(BUSY_HOUR / DAY);

/** As one answer: at most one report per dated trip, on a day on which it runs. */
export function toReports(feed: NaivePlanFeed, words: Arbitrated<typeof randomWords>, at: number): NaiveReports {
  const single = feed.trips.filter((each) => !isRepeated(each));
  const taken = new Set<string>();
  const take = (which: number, day: number) => {
    const naive = single[which % single.length]?.naive;
    if (!naive?.days.has(FIRST_DAY + day) || taken.has(`${naive.id} ${day}`)) return null;
    taken.add(`${naive.id} ${day}`);
    return { trip: naive, day: FIRST_DAY + day };
  };
  const served = feed.stops.filter(({ isServed }) => isServed);
  const extras = words.extras.flatMap((extra, i): NaiveExtraReport | [] => {
    const replaces = extra.replaces === null ? null : take(extra.replaces, extra.day);
    if (extra.replaces !== null && replaces === null) return [];
    let scheduled = BUSY_HOUR + extra.begin * 60 + (replaces ? extra.day * DAY : 0);
    const calls = extra.calls.map((call): ExtraCall => {
      scheduled += call.gap * 60;
      const stopId = call.stop === null ? null : served[call.at % served.length]!.id;
      return { stopId, scheduled, delay: call.delay, isSkipped: call.isSkipped };
    });
    const product: Product = replaces ? (feed.productOf(replaces.trip.row.route_id!) as Product) : 'ship';
    return { name: `x${i}`, line: replaces?.trip.line ?? 'X', product, replaces, calls };
  });
  const trips = words.trips.flatMap((reported): NaiveTripReport | [] => {
    const dated = take(reported.trip, reported.day);
    if (dated === null) return [];
    const calls: (NaiveCallReport | null)[] = reported.calls.slice(0, dated.trip.calls.length);
    return { ...dated, kind: reported.kind, calls };
  });
  return { at, trips, extras };
}

export function toPlace(
  text: RandomPlace,
  placeStop: (id: string) => string,
  placeLon: (lon: number) => number,
): NaivePlace {
  return typeof text === 'string' ? { stopId: placeStop(text) } : { lat: text[0], lon: placeLon(text[1]) };
}
