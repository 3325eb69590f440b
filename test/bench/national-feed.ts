import { listDepartures, type MadeUpFeed, provideFeed, type TimetabledVariant, toTripColumns } from './made-up-feed.ts';
import { makeRandom } from './made-up-stops.ts';
import { between, makeRoutes, makeStations, type Route, type Station, type Variant } from './national-network.ts';
import { listTransfers } from './national-transfers.ts';

/** Increase this whenever generated data changes, so that older feeds are regenerated. */
const FEED_VERSION = 2;
const SEED = 20_251_026;
/** A separate seed, so that transfers do not affect other random values. */
const TRANSFERS_SEED = 20_251_214;

export interface NationalSize {
  readonly name: string;
  readonly stops: number;
  readonly stopTimes: number;
  readonly transfers: number;
  /** Running trips with realtime. */
  readonly runningTrips: number;
}

export const nationalSize: NationalSize = {
  name: 'national',
  stops: 100_000,
  stopTimes: 18_000_000,
  transfers: 200_000,
  runningTrips: 20_000,
};
/** A tenth of the country, for `--quick`. */
export const quickSize: NationalSize = {
  name: 'tenth of national',
  stops: 10_000,
  stopTimes: 1_800_000,
  transfers: 20_000,
  runningTrips: 2_000,
};

/** Provides the zip of a generated national feed, see `provideFeed`. */
export function provideNationalFeed(size: NationalSize, progress: (line: string) => void): Promise<string> {
  return provideFeed(`v${FEED_VERSION}-${size.stops}-${size.stopTimes}`, () => makeNationalFeed(size), progress);
}

function makeNationalFeed(size: NationalSize): MadeUpFeed {
  const random = makeRandom(SEED);
  const stations = makeStations(size.stops, random);
  const variants = makeTimetable(size, stations, random);
  const transfers = () => listTransfers(size.transfers, stations, variants, makeRandom(TRANSFERS_SEED));
  return { stations, variants, transfers };
}

// ---- Timetable ---------------------------------------------------------------------------------

function makeTimetable(size: NationalSize, stations: readonly Station[], random: () => number): TimetabledVariant[] {
  const variants: TimetabledVariant[] = [];
  let stopTimes = 0;
  for (const route of makeRoutes(stations, random)) {
    for (const [number, variant] of route.variants.entries()) {
      const timetabled = makeTrips(route, variant, number, random);
      variants.push(timetabled);
      stopTimes += timetabled.service.length * variant.stations.length;
    }
    if (stopTimes >= size.stopTimes) break;
  }
  return variants;
}

function makeTrips(route: Route, variant: Variant, number: number, random: () => number): TimetabledVariant {
  const departures = listDepartures(between(route.mode.tripsPerDay, random), random);
  return {
    route,
    variant,
    tripPrefix: `.T${number}.${route.id}`,
    headsign: variant.stations.at(-1)!.name,
    ...toTripColumns(departures),
    isSparse: random() < 0.05,
    hasVia: random() < 0.02,
  };
}
