import type { FeedPlan } from './austria-plan.ts';
import { type AustrianStation, FOREIGN_STATE } from './austria-stations.ts';
import { listDepartures, type TimetabledVariant, toTripColumns } from './made-up-feed.ts';
import { pickFrom } from './made-up-stops.ts';
import {
  between,
  type Mode,
  makeMap,
  metersBetween,
  type Route,
  type StationMap,
  type Variant,
  wander,
} from './national-network.ts';

/** A route as its feed publishes it. */
export interface AustrianRoute extends Route {
  /** Null: routes.txt has none. */
  readonly shortName: string | null;
  readonly longName: string;
}

/** One direction of a route, with its trips. */
export interface AustrianVariant extends TimetabledVariant {
  readonly route: AustrianRoute;
  /** trip_short_name by trip; null: none. */
  readonly tripNames: readonly string[] | null;
  /** Stations that its shape covers; null: all. */
  readonly shapedStations: readonly AustrianStation[] | null;
}

/** By which rule a train of the railway is found again in the feeds of the associations; null: they do not publish it. */
type SharedBy = 'number' | 'line' | null;

/** A train of the railway. */
export interface Train extends AustrianVariant {
  readonly sharedBy: SharedBy;
}

const MODE: Mode = {
  routeType: 3,
  label: () => '',
  share: 0,
  calls: [0, 0],
  tripsPerDay: [0, 0],
  kilometresPerHour: 32,
  dwellMinutes: 0,
  agencies: [0],
  hasRails: false,
};
const BUSES_PER_DAY = [8, 44] as const;

const [MIN_CALLS, MAX_CALLS] = [3, 60];

/** Makes lines until the feed has its trips, with as many calls each as bring it to its rows. */
function* planLines(
  { trips, stopTimes }: Pick<FeedPlan, 'trips' | 'stopTimes'>,
  random: () => number,
): Generator<number, void, readonly TimetabledVariant[]> {
  let [tripsLeft, rowsLeft] = [trips, stopTimes];
  while (tripsLeft > 0) {
    const mean = rowsLeft / tripsLeft;
    const variants = yield Math.min(MAX_CALLS, Math.max(MIN_CALLS, Math.round(mean * (0.5 + random()))));
    for (const { service, variant } of variants) {
      tripsLeft -= service.length;
      rowsLeft -= service.length * variant.stations.length;
    }
  }
}

/** @param made how many calls a line has; gets the variants that were made of it */
function collectLines<Made extends TimetabledVariant>(
  plan: Pick<FeedPlan, 'trips' | 'stopTimes'>,
  random: () => number,
  make: (number: number, calls: number) => readonly Made[],
): Made[] {
  const made: Made[] = [];
  const lines = planLines(plan, random);
  let last: readonly Made[] = [];
  for (let number = 0; ; number++) {
    const { value: calls, done } = lines.next(last);
    if (done) return made;
    last = make(number, calls);
    made.push(...last);
  }
}

/** Bus lines of an association between its stations. */
export function makeBuses(
  plan: Pick<FeedPlan, 'trips' | 'stopTimes'>,
  stations: readonly AustrianStation[],
  random: () => number,
): AustrianVariant[] {
  const map = makeMap(stations);
  return collectLines(plan, random, (number, calls) => {
    const line = shorten(layLine(map, calls, random));
    if (line === null) return [];
    const perDay = between(BUSES_PER_DAY, random);
    const route = makeRoute(`b${number}`, { ...MODE }, `${100 + number}`, [line[0]!, line.at(-1)!]);
    return [line, line.toReversed()].map((one, direction) =>
      makeVariant(route, one, direction as 0 | 1, listDepartures(perDay, random)),
    );
  });
}

/** Shares of lines; one long-distance line is one train. */
const trainKinds = [
  { share: 0.72, names: ['RJX', 'RJ', 'IC', 'EC', 'NJ', 'D'], kilometresPerHour: 120, perDay: [3, 3], sharedBy: null },
  { share: 0.2, names: ['R', 'REX', 'CJX'], kilometresPerHour: 60, perDay: [10, 30], sharedBy: 'number' },
  { share: 0.08, names: ['S'], kilometresPerHour: 50, perDay: [20, 44], sharedBy: 'line' },
] as const;
type TrainKind = (typeof trainKinds)[number];
/** Share of long-distance trains that cross the border. */
const ABROAD = 0.3;
const LONG_DISTANCE_CALLS = 1.2;

/**
 * Trains of the railway. Long-distance trains have a route each, named by their number; of regional trains only the
 * trips are named; of the S-Bahn only the lines.
 */
export function makeTrains(
  plan: Pick<FeedPlan, 'trips' | 'stopTimes'>,
  stations: readonly AustrianStation[],
  random: () => number,
): Train[] {
  const map = makeMap(stations.filter(({ isRail, state }) => isRail && state !== FOREIGN_STATE));
  const abroad = stations.filter(({ state }) => state === FOREIGN_STATE);
  const numbers: TrainNumbers = { next: 100, nextLine: 1 };
  return collectLines(plan, random, (number, calls) => {
    const kind = pickKind(random());
    const line = layLine(map, kind.sharedBy === null ? Math.ceil(calls * LONG_DISTANCE_CALLS) : calls, random);
    if (line === null) return [];
    if (kind.sharedBy === null) return [makeLongDistance({ number, line, abroad, numbers }, random)];
    return makeRegional({ number, line, numbers }, kind, random);
  });
}

/** A line with trains in both directions. */
function makeRegional(
  { number, line, numbers }: Omit<LongDistanceLine, 'abroad'>,
  kind: Exclude<TrainKind, { sharedBy: null }>,
  random: () => number,
): Train[] {
  const isNamed = kind.sharedBy === 'line';
  const mode = { ...MODE, routeType: 2, hasRails: true, kilometresPerHour: kind.kilometresPerHour, dwellMinutes: 1 };
  const [first, middle, last] = [line[0]!, line[line.length >> 1]!, line.at(-1)!];
  const shortName = isNamed ? `S${numbers.nextLine++}` : null;
  const route = makeRoute(`t${number}`, mode, shortName, isNamed ? [first, last] : [first, middle, last]);
  const category = pickFrom<string>(kind.names, random);
  const perDay = between(kind.perDay, random);
  return [line, line.toReversed()].map((one, direction): Train => {
    const variant = makeVariant(route, one, direction as 0 | 1, listDepartures(perDay, random));
    const tripNames = isNamed ? null : Array.from(variant.service, () => `${category} ${numbers.next++}`);
    return { ...variant, tripNames, sharedBy: kind.sharedBy };
  });
}

interface TrainNumbers {
  /** Of the next train. */
  next: number;
  /** Of the next line of the S-Bahn. */
  nextLine: number;
}

interface LongDistanceLine {
  readonly number: number;
  readonly line: readonly AustrianStation[];
  readonly abroad: readonly AustrianStation[];
  readonly numbers: TrainNumbers;
}

/** A train that runs at one time on all days, by one service for each kind of day. */
function makeLongDistance({ number, line, abroad, numbers }: LongDistanceLine, random: () => number): Train {
  const kind = trainKinds[0];
  const isAbroad = random() < ABROAD;
  const stations = isAbroad ? [...line, pickFrom(abroad, random)] : line;
  const mode = { ...MODE, routeType: 2, hasRails: true, kilometresPerHour: kind.kilometresPerHour, dwellMinutes: 2 };
  const label = `${pickFrom<string>(kind.names, random)} ${numbers.next++}`;
  const route = makeRoute(`t${number}`, mode, label, [stations[0]!, stations[stations.length >> 1]!, stations.at(-1)!]);
  const minute = Math.floor((5 + random() * 14) * 60);
  const departures = [0, 1, 2].map((service) => ({ service, minute }));
  const variant = makeVariant(route, stations, 0, departures);
  return { ...variant, tripNames: null, sharedBy: null, shapedStations: isAbroad ? line : null };
}

function pickKind(share: number): TrainKind {
  let passed = 0;
  for (const kind of trainKinds) {
    passed += kind.share;
    if (share < passed) return kind;
  }
  return trainKinds[1];
}

/** A line past neighbouring stations; null where there are too few. */
function layLine(map: StationMap, calls: number, random: () => number): AustrianStation[] | null {
  const line = wander(map, pickFrom(map.stations, random), calls, random);
  return line.length < 3 ? null : (line as AustrianStation[]);
}

/** Where a small country has few stations, a bus would run for days. */
const MAX_BUS_METERS = 300_000;

function shorten(line: readonly AustrianStation[] | null): AustrianStation[] | null {
  if (line === null) return null;
  let meters = 0;
  const within = line.filter((station, i) => {
    meters += i === 0 ? 0 : metersBetween(line[i - 1]!, station);
    return meters <= MAX_BUS_METERS;
  });
  return within.length < 2 ? null : within;
}

function makeRoute(
  id: string,
  mode: Mode,
  shortName: string | null,
  places: readonly AustrianStation[],
): AustrianRoute {
  const longName = places.map(({ name }) => name.replace(/ Bahnhof$/, '')).join(' - ');
  return { id, mode, label: shortName ?? '', agency: 0, variants: [], shortName, longName };
}

function makeVariant(
  route: AustrianRoute,
  stations: readonly AustrianStation[],
  direction: 0 | 1,
  departures: readonly { readonly service: number; readonly minute: number }[],
): AustrianVariant {
  const { kilometresPerHour, dwellMinutes } = route.mode;
  const [metres, minutes] = [[0], [0]];
  for (let call = 1; call < stations.length; call++) {
    const step = Math.max(250, 1.3 * metersBetween(stations[call - 1]!, stations[call]!));
    metres.push(metres[call - 1]! + Math.round(step));
    const drive = Math.max(1, Math.round((step / 1000 / kilometresPerHour) * 60));
    minutes.push(minutes[call - 1]! + drive + dwellMinutes);
  }
  const platformIds = stations.map((station) => station.platformIds[direction]!);
  const variant: Variant = { shapeId: `${route.id}.${direction}`, direction, stations, platformIds, minutes, metres };
  return {
    route,
    variant,
    tripPrefix: `.${direction}.${route.id}`,
    headsign: stations.at(-1)!.name,
    ...toTripColumns(departures),
    isSparse: false,
    hasVia: false,
    tripNames: null,
    shapedStations: null,
  };
}

/**
 * The part of a train that an association publishes: its longest section in the states of the association.
 * @returns null without two calls there
 */
export function cutTrain(train: Train, { states }: FeedPlan): AustrianVariant | null {
  const stations = train.variant.stations as readonly AustrianStation[];
  let [from, until] = [0, 0];
  for (let start = 0; start < stations.length; start++) {
    let end = start;
    while (end < stations.length && states.includes(stations[end]!.state)) end++;
    if (end - start > until - from) [from, until] = [start, end];
  }
  if (until - from < 2) return null;
  const cut = <Value>(list: readonly Value[]) => list.slice(from, until);
  const { variant, route, sharedBy } = train;
  // An association numbers trains without their category, under a separate line.
  const shortName = sharedBy === 'line' ? route.shortName : `Z${route.id.slice(1)}`;
  return {
    ...train,
    route: { ...route, shortName },
    variant: {
      ...variant,
      shapeId: null,
      stations: cut(stations),
      platformIds: cut(variant.platformIds),
      minutes: cut(variant.minutes),
      metres: cut(variant.metres),
    },
    headsign: stations[until - 1]!.name,
    tripNames: train.tripNames?.map((name) => name.split(' ')[1]!) ?? null,
    shapedStations: null,
  };
}
