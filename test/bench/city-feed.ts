import {
  DAY_KINDS,
  type MadeUpFeed,
  provideFeed,
  SERVICES,
  type TimetabledVariant,
  toTripColumns,
} from './made-up-feed.ts';
import { makeRandom, makeStops, pickFrom } from './made-up-stops.ts';
import { type Mode, metersBetween, type Route, type Station, type Variant } from './national-network.ts';

// A large city with its suburbs: streets in a grid that is dense in the centre, each crossing with a stop for either
// direction. Lines follow main streets, which many of them share, and leave them near their ends.

/** Increase this whenever generated data changes, so that older feeds are regenerated. */
const FEED_VERSION = 2;
const SEED = 20_261_127;
/** Crossings per row and per column: 8,978 stops. */
const ROWS = 67;
const MAIN_STREET_EVERY = 4;
const STOP_TIMES = 1_830_000;
const MIDDLE = { lat: 48.2, lon: 16.37 };
/** Half the width of the city, and how much denser the centre is: with these, 76,000 walks between stops. */
const RADIUS_DEGREES = 0.21;
const CENTRE_EXPONENT = 1.6;

const RAIL_TYPE = 109;

/** What a line is like: minutes between its trips by day and in the evening; `null`: it does not run then. */
interface LineKind {
  readonly share: number;
  readonly routeType: number;
  readonly label: (number: number) => string;
  readonly day: number | null;
  readonly evening: number | null;
  readonly night: number | null;
  /** Crossings from end to end. */
  readonly crossings: readonly [number, number];
  /** Share of the rows and columns, around the centre, in which its ends are. */
  readonly spread: number;
  /** Leaves the main streets to others. */
  readonly isLocal: boolean;
  readonly kilometresPerHour: number;
}

const bus: LineKind = {
  share: 0.24,
  routeType: 3,
  label: (number) => `${number}A`,
  day: 12,
  evening: 20,
  night: null,
  crossings: [18, 40],
  spread: 0.6,
  isLocal: false,
  kilometresPerHour: 20,
};
const tram: LineKind = { ...bus, share: 0.08, routeType: 0, label: (number) => `${1 + number}`, day: 8, evening: 15 };
const suburban: LineKind = { ...bus, spread: 1, isLocal: true, kilometresPerHour: 26 };

const lineKinds: readonly LineKind[] = [
  bus,
  { ...tram, crossings: [25, 45], spread: 0.5 },
  { ...suburban, share: 0.36, label: (number) => `${number}B`, day: 60, evening: 90, crossings: [14, 40] },
  { ...suburban, share: 0.2, label: (number) => `${200 + number}`, day: 180, evening: null, crossings: [15, 50] },
  { ...bus, share: 0.07, label: (number) => `N${number}`, day: null, evening: null, night: 30, crossings: [25, 50] },
  {
    ...suburban,
    share: 0.05,
    routeType: RAIL_TYPE,
    label: (number) => `S${number}`,
    day: 20,
    evening: 30,
    crossings: [40, 90],
    isLocal: false,
    kilometresPerHour: 38,
  },
];

/** Provides the zip of a generated city, see `provideFeed`. */
export function provideCityFeed(progress: (line: string) => void): Promise<string> {
  return provideFeed(`city-v${FEED_VERSION}`, makeCityFeed, progress);
}

function makeCityFeed(): MadeUpFeed {
  const random = makeRandom(SEED);
  const stations = makeCrossings(random);
  const variants: TimetabledVariant[] = [];
  for (let number = 0, stopTimes = 0; stopTimes < STOP_TIMES; number++) {
    const kind = pickKind(random());
    for (const timetabled of makeLine(stations, kind, number, random)) {
      variants.push(timetabled);
      stopTimes += timetabled.service.length * timetabled.variant.stations.length;
    }
  }
  return { stations, variants, transfers: null };
}

function pickKind(share: number): LineKind {
  let passed = 0;
  for (const kind of lineKinds) {
    passed += kind.share;
    if (share < passed) return kind;
  }
  return lineKinds[1]!;
}

// ---- Streets -----------------------------------------------------------------------------------

/** @returns stations by row, then column */
function makeCrossings(random: () => number): Station[] {
  const names = makeStops(ROWS * ROWS, random);
  const half = (ROWS - 1) / 2;
  const place = (at: number) => {
    const share = (at - half + (random() - 0.5) * 0.4) / half;
    return Math.sign(share) * Math.abs(share) ** CENTRE_EXPONENT * RADIUS_DEGREES;
  };
  return names.map((stop, i) => {
    const id = `at:49:${1000 + i}`;
    const lat = MIDDLE.lat + place(Math.floor(i / ROWS));
    const lon = MIDDLE.lon + place(i % ROWS) / Math.cos((MIDDLE.lat * Math.PI) / 180);
    return { ...stop, lat, lon, id, platformIds: [`${id}:0:1`, `${id}:0:2`] };
  });
}

interface Crossing {
  readonly row: number;
  readonly column: number;
}

function pickCrossing(spread: number, random: () => number): Crossing {
  const pick = () => Math.floor(((1 - spread) / 2 + random() * spread) * ROWS);
  return { row: pick(), column: pick() };
}

/** Lists the stations of a line between two crossings that are as far apart as its kind wants. */
function layLine(
  stations: readonly Station[],
  { crossings, spread, isLocal }: LineKind,
  random: () => number,
): Station[] {
  for (;;) {
    const [from, to] = [pickCrossing(spread, random), pickCrossing(spread, random)];
    const [row, column] = isLocal ? [from.row, to.column] : [toMainStreet(from.row), toMainStreet(to.column)];
    const corners = [from, { row, column: from.column }, { row, column }, { row: to.row, column }, to];
    const line = new Set<Station>();
    for (let i = 0; i + 1 < corners.length; i++) {
      for (const { row, column } of walkStreet(corners[i]!, corners[i + 1]!)) line.add(stations[row * ROWS + column]!);
    }
    if (line.size >= crossings[0] && line.size <= crossings[1]) return [...line];
  }
}

function toMainStreet(at: number): number {
  return Math.min(Math.round(at / MAIN_STREET_EVERY) * MAIN_STREET_EVERY, ROWS - 1);
}

/** Lists the crossings of a straight street, both ends included. */
function walkStreet(from: Crossing, to: Crossing): Crossing[] {
  const steps = Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column));
  const [down, right] = [Math.sign(to.row - from.row), Math.sign(to.column - from.column)];
  return Array.from({ length: steps + 1 }, (_, i) => ({ row: from.row + i * down, column: from.column + i * right }));
}

// ---- Lines -------------------------------------------------------------------------------------

/** Trains pass most crossings. */
const RAIL_EVERY = 3;
/** Shares of lines with a shorter variant, and of the trips that run only as far. */
const SHORT_LINES = 0.5;
const SHORT_TRIPS = 0.3;

function makeLine(
  stations: readonly Station[],
  kind: LineKind,
  number: number,
  random: () => number,
): TimetabledVariant[] {
  const isRail = kind.routeType === RAIL_TYPE;
  const whole = layLine(stations, kind, random).filter((_, i) => !isRail || i % RAIL_EVERY === 0);
  const begin = Math.floor(random() * whole.length * 0.3);
  const short = whole.slice(begin, begin + Math.ceil(whole.length * 0.6));
  const parts = random() < SHORT_LINES && short.length > 3 ? [whole, short] : [whole];
  const lines = parts.flatMap((part) => [part, part.toReversed()]);
  const variants = lines.map((line, i) => makeVariant(line, kind, i % 2 === 0 ? 0 : 1));
  const mode: Mode = {
    ...MODE,
    routeType: kind.routeType,
    hasRails: isRail,
    kilometresPerHour: kind.kilometresPerHour,
  };
  const route: Route = { id: `C${number}`, mode, label: kind.label(number), agency: 1, variants };
  return variants.map((variant, i) => {
    const share = parts.length === 1 ? 1 : i < 2 ? 1 - SHORT_TRIPS : SHORT_TRIPS;
    return makeTrips({ route, variant, number: i }, kind, share, random);
  });
}

/** Members of a mode that the tables do not read. */
const MODE = { label: () => '', share: 0, calls: [0, 0], tripsPerDay: [0, 0], dwellMinutes: 0, agencies: [1] } as const;

function makeVariant(stations: readonly Station[], kind: LineKind, direction: 0 | 1): Variant {
  const [metres, seconds] = [[0], [0]];
  for (let call = 1; call < stations.length; call++) {
    const step = Math.max(250, 1.2 * metersBetween(stations[call - 1]!, stations[call]!));
    metres.push(metres[call - 1]! + Math.round(step));
    seconds.push(seconds[call - 1]! + step / (kind.kilometresPerHour / 3.6));
  }
  const platformIds = stations.map((station) => station.platformIds[direction]!);
  const minutes = seconds.map((one) => Math.round(one / 60));
  return { shapeId: null, direction, stations, platformIds, minutes, metres };
}

/** Hours of service with the column of a line kind that gives the minutes between trips. */
const HOURS = [
  { from: 4.75, to: 6, period: 'evening' },
  { from: 6, to: 20, period: 'day' },
  { from: 20, to: 24.25, period: 'evening' },
  { from: 23.75, to: 28.75, period: 'night' },
] as const;
/** Holidays, school days and construction work have their own services. */
const SERVICES_PER_LINE = 2;

function makeTrips(
  { route, variant, number }: { readonly route: Route; readonly variant: Variant; readonly number: number },
  kind: LineKind,
  share: number,
  random: () => number,
): TimetabledVariant {
  const trips: { service: number; minute: number }[] = [];
  for (const [day, { share: ofDay }] of DAY_KINDS.entries()) {
    const services = Array.from(
      { length: SERVICES_PER_LINE },
      () => day + DAY_KINDS.length * Math.floor(random() * (SERVICES / DAY_KINDS.length)),
    );
    for (const { from, to, period } of HOURS) {
      const headway = kind[period];
      if (headway === null) continue;
      const apart = headway / (share * (period === 'night' ? 1 : ofDay));
      for (let minute = from * 60 + random() * apart; minute < to * 60; minute += apart) {
        trips.push({ service: pickFrom(services, random), minute: Math.floor(minute) });
      }
    }
  }
  return {
    route,
    variant,
    tripPrefix: `.${number}.${route.id}`,
    headsign: variant.stations.at(-1)!.name,
    ...toTripColumns(trips),
    isSparse: false,
    hasVia: false,
  };
}
