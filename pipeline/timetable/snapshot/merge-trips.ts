import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import { rememberDays } from '../../model/zone-days.ts';
import {
  alignCalls,
  type ComparedTrips,
  comparePair,
  type DuplicatePair,
  findDuplicates,
  isRicher,
  type TripMergeRules,
  type TripRule,
  type TripSchedule,
} from '../merging/find-duplicates.ts';
import { addCalls, type CallColumns } from './add-calls.ts';
import type { MergedColumns } from './merged-columns.ts';
import { nameTrips } from './named-trips.ts';
import type { FeedColumns } from './read-feeds.ts';
import type { ServiceBook } from './service-tables.ts';

/** Trips of all feeds, at merged stations. */
type StationedFeeds = FeedColumns & Pick<MergedColumns, 'stops'>;

/** A trip that is hidden behind another one on the days of a service; both are rows of the feeds. */
interface Duplicate {
  readonly trip: number;
  readonly shownTrip: number;
  /** Service date of `shownTrip` minus that of `trip` in days. */
  readonly dayOffset: number;
  /** Row of the services. */
  readonly service: number;
  readonly rule: TripRule;
}

export interface MergedTrips {
  /** By `trip`. */
  readonly duplicates: readonly Duplicate[];
  readonly columns: Pick<FeedColumns, 'texts' | keyof CallColumns> & {
    readonly trips: FeedColumns['trips'] & { readonly publishedService: Int32Array };
  };
}

/**
 * Hides trips on days on which another trip is the same. Facts that the shown trip lacks come from the hidden one if
 * the two are the same on all days of the shown trip.
 */
export function mergeTrips(
  feeds: StationedFeeds,
  productOfRoute: Uint8Array,
  services: ServiceBook,
  rules: TripMergeRules,
): MergedTrips {
  const schedule = describeTrips(feeds, productOfRoute);
  const pairs = findDuplicates(schedule, rules, openOverlaps(feeds, services));
  const { service, duplicates, extended } = divideDays(feeds, schedule, pairs, services);
  const trips = { ...feeds.trips, service, publishedService: feeds.trips.service };
  if (duplicates.length === 0) return { duplicates, columns: { ...feeds, trips } };
  const filled = { ...feeds, ...fillGaps({ ...feeds, trips }, schedule, duplicates, services) };
  return { duplicates, columns: { ...filled, ...addCalls(filled, schedule, extended) } };
}

// ---- What is compared --------------------------------------------------------------------------

function describeTrips(feeds: StationedFeeds, productOfRoute: Uint8Array): TripSchedule {
  const { calls, trips, stops } = feeds;
  const isExcluded = new Uint8Array(trips.route.length);
  for (const { trip } of feeds.frequencies) isExcluded[trip] = 1;
  const shift = listShifts(feeds);
  const arrival = calls.arrival.slice();
  const departure = calls.departure.slice();
  for (let trip = 0; trip < trips.route.length; trip++) {
    const seconds = shift[trips.route[trip]!]!;
    if (seconds === 0) continue;
    for (let call = calls.tripFirstCall[trip]!; call < calls.tripFirstCall[trip + 1]!; call++) {
      arrival[call]! += seconds;
      departure[call]! += seconds;
    }
  }
  // Loops over all calls call no functions, which would take several times as long.
  const station = new Int32Array(calls.stop.length);
  for (let call = 0; call < station.length; call++) station[call] = stops.station[calls.stop[call]!]!;
  return {
    ...nameTrips(feeds, productOfRoute),
    source: trips.source,
    firstCall: calls.tripFirstCall,
    station,
    arrival,
    departure,
    isExcluded,
    facts: countFacts(feeds),
  };
}

/** Seconds by route between the days of its time zone and those of the first one: zones of one continent change together. */
function listShifts({ routes, serviceDates }: FeedColumns): number[] {
  const zones = new Map<string, number>();
  const day = serviceDates.day[0] ?? 0;
  const first = rememberDays(routes.zone[0] ?? 'UTC').startOf(day);
  return routes.zone.map((zone) => {
    if (!zones.has(zone)) zones.set(zone, rememberDays(zone).startOf(day) - first);
    return zones.get(zone)!;
  });
}

function countFacts({ trips, calls, stops }: FeedColumns): Uint8Array {
  const hasPlatform = Uint8Array.from(stops.platformCode, (code) => Number(code !== ''));
  const facts = new Uint8Array(trips.route.length);
  for (let trip = 0; trip < facts.length; trip++) {
    facts[trip] =
      Number(trips.headsign[trip]! >= 0) +
      Number(trips.shortName[trip]! >= 0) +
      Number(trips.direction[trip]! >= 0) +
      Number(trips.shapeKey[trip]! >= 0) +
      Number(trips.wheelchairAccessible[trip]! > 0) +
      Number(trips.bikesAllowed[trip]! > 0) +
      hasPlatform[calls.stop[calls.tripFirstCall[trip]!]!]!;
  }
  return facts;
}

/** Caches overlaps: most pairs of services are compared many times. */
function openOverlaps(
  { trips }: FeedColumns,
  services: ServiceBook,
): (one: number, other: number, dayOffset: number) => boolean {
  const known = new Map<number, boolean>();
  const { count } = services;
  return (one, other, dayOffset) => {
    const [a, b] = [trips.service[one]!, trips.service[other]!];
    const key = (a * count + b) * 3 + 1 + dayOffset;
    const overlap = known.get(key) ?? services.haveCommonDay(a, b, dayOffset);
    known.set(key, overlap);
    return overlap;
  };
}

// ---- Days --------------------------------------------------------------------------------------

interface DividedDays {
  /** By trip: the days on which it is shown. */
  readonly service: Int32Array<ArrayBuffer>;
  readonly duplicates: readonly Duplicate[];
  /** By shown trip: the pair of which it gets the calls that only the hidden trip has. */
  readonly extended: ReadonlyMap<number, ComparedTrips>;
}

/**
 * Hides a duplicate behind the richest trip that is itself shown on the day. Calls that only the duplicate has are
 * added to the shown trip: once, and only if the two are the same on all days of the shown trip.
 */
function divideDays(
  feeds: FeedColumns,
  schedule: TripSchedule,
  pairs: readonly DuplicatePair[],
  services: ServiceBook,
): DividedDays {
  const service = feeds.trips.service.slice();
  const byOther = new Map<number, DuplicatePair[]>();
  for (const pair of pairs) {
    const list = byOther.get(pair.other);
    if (list) list.push(pair);
    else byOther.set(pair.other, [pair]);
  }
  // The richest first: whether a trip is shown is known before poorer ones are compared with it.
  const others = [...byOther.keys()].sort((a, b) => (isRicher(schedule, a, b) ? -1 : 1));
  const datedServices = { services, isUniform: openUniformDays(feeds) };
  const divide = openDivision(datedServices);
  const duplicates: Duplicate[] = [];
  const extended = new Map<number, ComparedTrips>();
  const canExtend = ({ shown, other, dayOffset }: DuplicatePair) =>
    !extended.has(shown) &&
    !extended.has(other) &&
    isWithin(datedServices, service[shown]!, { service: service[other]!, dayOffset: 0 - dayOffset });
  for (const trip of others) {
    const richer = byOther.get(trip)!.filter((pair) => pair.isComplete || canExtend(pair));
    const { rest, common } = divide(
      service[trip]!,
      richer.map(({ shown, dayOffset }) => ({ service: service[shown]!, dayOffset })),
    );
    service[trip] = rest;
    for (const [i, pair] of richer.entries()) {
      const days = common[i];
      if (days == null) continue;
      const { shown, dayOffset, rule, isComplete } = pair;
      duplicates.push({ trip, shownTrip: shown, dayOffset, service: days, rule });
      if (!isComplete) extended.set(shown, comparePair(pair));
    }
  }
  duplicates.sort((a, b) => a.trip - b.trip || a.shownTrip - b.shownTrip);
  return { service, duplicates, extended };
}

interface DatedServices {
  readonly services: ServiceBook;
  /** Whether the clocks do not change between a service date and the one `dayOffset` days later. */
  isUniform(day: number, dayOffset: number): boolean;
}

/** Times of two service dates differ by whole days unless the clocks change between them. */
function openUniformDays({ routes }: FeedColumns): DatedServices['isUniform'] {
  const zone = rememberDays(routes.zone[0] ?? 'UTC');
  return (day, dayOffset) =>
    dayOffset === 0 || zone.startOf(day + dayOffset) - zone.startOf(day) === dayOffset * SECONDS_PER_DAY;
}

/** A service whose days count from another service date. */
interface ShiftedService {
  readonly service: number;
  readonly dayOffset: number;
}

/** Whether the other service runs `dayOffset` days after a day, at the same instants. */
function runsBeside({ services, isUniform }: DatedServices, { service, dayOffset }: ShiftedService, day: number) {
  return services.runsOn(service, day + dayOffset) && isUniform(day, dayOffset);
}

/** Whether a service runs on no day on which the other one does not. */
function isWithin(dated: DatedServices, inner: number, outer: ShiftedService): boolean {
  if (inner === outer.service && outer.dayOffset === 0) return true;
  return dated.services.listDays(inner).every((day) => runsBeside(dated, outer, day));
}

interface Division {
  /** Days on which none of the others runs. */
  readonly rest: number;
  /** By other service: the days that it takes; null for none. */
  readonly common: readonly (number | null)[];
}

function openDivision(dated: DatedServices): (service: number, others: readonly ShiftedService[]) => Division {
  const known = new Map<string, Division>();
  return (service, others) => {
    const key = [service, ...others.map((other) => `${other.service}/${other.dayOffset}`)].join(' ');
    const made = known.get(key) ?? divideService(dated, service, others);
    known.set(key, made);
    return made;
  };
}

function divideService(dated: DatedServices, service: number, others: readonly ShiftedService[]): Division {
  const { services } = dated;
  let rest = services.listDays(service);
  const common = others.map((other) => {
    const days = rest.filter((day) => runsBeside(dated, other, day));
    if (days.length === 0) return null;
    rest = rest.filter((day) => !runsBeside(dated, other, day));
    return services.getService(days);
  });
  // Of equal services, the trip keeps that of its feed.
  const isWhole = common.every((days) => days === null);
  return { rest: isWhole ? service : services.getService(rest), common };
}

// ---- Gaps --------------------------------------------------------------------------------------

/** Fills facts that the shown trip lacks from the hidden one. */
function fillGaps(
  feeds: FeedColumns & MergedTrips['columns'],
  schedule: TripSchedule,
  duplicates: readonly Duplicate[],
  services: ServiceBook,
): Pick<MergedTrips['columns'], 'trips' | 'calls' | 'texts'> {
  const { trips, calls } = feeds;
  const filled = {
    headsign: trips.headsign.slice(),
    shortName: trips.shortName.slice(),
    direction: trips.direction.slice(),
    shapeKey: trips.shapeKey.slice(),
    wheelchairAccessible: trips.wheelchairAccessible.slice(),
    bikesAllowed: trips.bikesAllowed.slice(),
  };
  const platforms = openPlatforms(feeds);
  const booking = calls.booking.slice();
  for (const { trip, shownTrip, dayOffset, service } of duplicates) {
    // On its other days, the shown trip is not the hidden one.
    if (services.countDays(service) !== services.countDays(trips.service[shownTrip]!)) continue;
    // As published: facts that the hidden trip got from a third one apply on other days.
    for (const name of ['headsign', 'shortName', 'direction', 'shapeKey'] as const) {
      if (filled[name][shownTrip]! < 0) filled[name][shownTrip] = trips[name][trip]!;
    }
    for (const name of ['wheelchairAccessible', 'bikesAllowed'] as const) {
      if (filled[name][shownTrip] === 0) filled[name][shownTrip] = trips[name][trip]!;
    }
    const compared = comparePair({ shown: shownTrip, other: trip, dayOffset });
    const positions = alignCalls(schedule, compared)!;
    if (isOtherLonger(schedule, compared)) filled.headsign[shownTrip] = trips.headsign[trip]!;
    positions.forEach((position, i) => {
      if (position < 0) return;
      const [shownCall, call] = [calls.tripFirstCall[shownTrip]! + position, calls.tripFirstCall[trip]! + i];
      platforms.fill(shownCall, calls.stop[call]!);
      if (booking[shownCall] === -1) booking[shownCall] = calls.booking[call]!;
    });
  }
  return {
    trips: { ...trips, ...filled },
    calls: { ...calls, platform: platforms.platform, booking },
    texts: platforms.texts,
  };
}

/** Whether the other trip continues beyond the last call of the shown one. */
function isOtherLonger({ firstCall, arrival, departure }: TripSchedule, { shown, other, shiftSeconds }: ComparedTrips) {
  return arrival[firstCall[other + 1]! - 1]! + shiftSeconds > departure[firstCall[shown + 1]! - 1]! + 60;
}

function openPlatforms({ calls, stops, texts }: FeedColumns) {
  const platform = calls.platform.slice();
  const further = new Map<string, number>();
  const extended = [...texts];
  return {
    platform,
    texts: extended,
    fill(call: number, stop: number): void {
      const code = stops.platformCode[stop]!;
      if (code === '' || stops.platformCode[calls.stop[call]!] !== '' || platform[call] !== -1) return;
      if (!further.has(code)) further.set(code, extended.push(code) - 1);
      platform[call] = further.get(code)!;
    },
  };
}
