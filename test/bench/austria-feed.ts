import {
  type AustrianRoute,
  type AustrianVariant,
  cutTrain,
  makeBuses,
  makeTrains,
  type Train,
} from './austria-lines.ts';
import { type FeedPlan, feedPlans, shrinkPlan } from './austria-plan.ts';
import { type AustrianStation, listPublished, makeAustrianStations, publishedId } from './austria-stations.ts';
import {
  type FeedFiles,
  listCalendar,
  listCalendarDates,
  listCallsByTrip,
  listFeedInfo,
  listShapes,
  provideZip,
  quote,
  STOP_TIMES_HEADER,
} from './made-up-feed.ts';
import { makeRandom } from './made-up-stops.ts';

// The country as nine publishers publish it: the railway, and associations that publish the railway's trains in their
// states once more. The generator knows what is the same, so the counts of an ingest can be compared with it.

/** Increase this whenever generated data changes, so that older feeds are regenerated. */
const FEED_VERSION = 1;
const SEED = 20_261_128;

export interface AustrianFeed {
  readonly plan: FeedPlan;
  readonly stations: readonly AustrianStation[];
  readonly variants: readonly AustrianVariant[];
  /** The trains of the railway that it publishes, by the rule that finds them. */
  readonly shared: readonly { readonly rule: 'number' | 'line'; readonly trips: number }[];
}

interface AustrianZip {
  readonly feed: AustrianFeed;
  readonly zip: string;
}

/** @param share of the stations, trips and rows of the country */
export function makeAustria(share: number): AustrianFeed[] {
  const random = makeRandom(SEED);
  const stations = makeAustrianStations(share, random);
  const plans = feedPlans.map((plan) => shrinkPlan(plan, share));
  const published = plans.map((plan, i) => listPublished(plan, plans[(i + 1) % plans.length]!, stations));
  const trains = makeTrains(plans[0]!, published[0]!, random);
  const railway = { plan: plans[0]!, stations: published[0]!, variants: trains, shared: [] };
  const associations = plans.slice(1).map((plan, i) => makeAssociation(plan, published[i + 1]!, trains, random));
  return [railway, ...associations];
}

function makeAssociation(
  plan: FeedPlan,
  stations: readonly AustrianStation[],
  trains: readonly Train[],
  random: () => number,
): AustrianFeed {
  const cuts: AustrianVariant[] = [];
  const shared: { rule: 'number' | 'line'; trips: number }[] = [];
  for (const train of plan.isCity ? [] : trains) {
    const cut = train.sharedBy === null ? null : cutTrain(train, plan);
    if (cut === null) continue;
    cuts.push(cut);
    shared.push({ rule: train.sharedBy!, trips: cut.service.length });
  }
  const rows = cuts.reduce((sum, { service, variant }) => sum + service.length * variant.stations.length, 0);
  const trips = cuts.reduce((sum, { service }) => sum + service.length, 0);
  const left = { trips: plan.trips - trips, stopTimes: plan.stopTimes - rows };
  return { plan, stations, variants: [...cuts, ...makeBuses(left, stations, random)], shared };
}

/** Provides the zips of all feeds, which later runs use again. */
export async function provideAustria(share: number, progress: (line: string) => void): Promise<AustrianZip[]> {
  const zips: AustrianZip[] = [];
  for (const [number, feed] of makeAustria(share).entries()) {
    const name = `austria-v${FEED_VERSION}-${share}-${feed.plan.id}`;
    zips.push({ feed, zip: await provideZip(name, () => listAustrianFiles(feed, number), progress) });
  }
  return zips;
}

/** @param number of the feed: publishers place a station some metres apart from each other */
export function listAustrianFiles(feed: AustrianFeed, number: number): FeedFiles {
  const { plan, variants } = feed;
  const shaped = variants.map((one) => ({
    ...one,
    variant: { ...one.variant, stations: one.shapedStations ?? one.variant.stations },
  }));
  return {
    'agency.txt': () => listAgencies(plan),
    'feed_info.txt': listFeedInfo,
    'stops.txt': () => listStops(feed, number),
    'calendar.txt': listCalendar,
    'calendar_dates.txt': listCalendarDates,
    'routes.txt': () => listRoutes(feed),
    'shapes.txt': () => listShapes(shaped),
    'trips.txt': () => listTrips(feed),
    'stop_times.txt': () => listStopTimes(feed),
    ...(plan.isFlex && flexFiles),
  };
}

// ---- Tables ------------------------------------------------------------------------------------

function* listAgencies({ id, lacksAgencies }: FeedPlan): Generator<string> {
  yield 'agency_id,agency_name,agency_url,agency_timezone,agency_lang\n';
  if (!lacksAgencies) yield `0,${id},https://example.com/${id},Europe/Vienna,de\n`;
}

const DEGREES_APART = 1e-4;

function* listStops({ plan, stations }: AustrianFeed, number: number): Generator<string> {
  yield 'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code\n';
  for (const station of stations) {
    const lat = (station.lat + number * DEGREES_APART).toFixed(6);
    const lon = station.lon.toFixed(6);
    const parent = parentId(station, plan);
    const name = quote(station.name);
    yield `${parent},${name},${lat},${lon},1,,\n`;
    for (const [i, platformId] of station.platformIds.entries()) {
      yield `${publishedId(station, plan, platformId)},${name},${lat},${lon},0,${parent},${i + 1}\n`;
    }
  }
}

/** Parents have a letter in front, except those with a number of the railway. */
function parentId(station: AustrianStation, plan: FeedPlan): string {
  const id = publishedId(station, plan, station.id);
  return id === station.id ? `P${id}` : id;
}

export function listFeedRoutes({ variants }: Pick<AustrianFeed, 'variants'>): readonly AustrianRoute[] {
  return [...new Map(variants.map(({ route }) => [route.id, route])).values()];
}

function* listRoutes(feed: AustrianFeed): Generator<string> {
  yield 'route_id,agency_id,route_short_name,route_long_name,route_type\n';
  for (const { id, shortName, longName, mode } of listFeedRoutes(feed)) {
    yield `${id},0,${shortName ?? ''},${quote(longName)},${mode.routeType}\n`;
  }
  if (feed.plan.isFlex) for (const line of flexLines) yield `${line},0,AST ${line},,715\n`;
}

function* listTrips({ plan, variants }: AustrianFeed): Generator<string> {
  yield 'route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id,shape_id\n';
  for (const { route, variant, tripPrefix, headsign, service, tripNames } of variants) {
    for (let trip = 0; trip < service.length; trip++) {
      const rest = `${quote(headsign)},${tripNames?.[trip] ?? ''},${variant.direction},${variant.shapeId ?? ''}`;
      yield `${route.id},S${service[trip]},${trip}${tripPrefix},${rest}\n`;
    }
  }
  if (plan.isFlex) for (const { trip, line, service } of flexTrips) yield `${line},S${service},${trip},,,,\n`;
}

// ---- Stop times --------------------------------------------------------------------------------

/** Columns of on-demand service. */
const FLEX_HEADER =
  'location_id,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_booking_rule_id,drop_off_booking_rule_id';

function* listStopTimes({ plan, variants }: AustrianFeed): Generator<string> {
  yield `${STOP_TIMES_HEADER}${plan.isFlex ? `,${FLEX_HEADER}` : ''}\n`;
  const renamed = variants.map((one) => ({ ...one, variant: renamePlatforms(one, plan) }));
  const rows = variants.reduce((sum, { service, variant }) => sum + service.length * variant.stations.length, 0);
  const copies = { each: Math.floor(plan.copies / rows), extra: plan.copies % rows };
  const filler = plan.isFlex ? ',,,,,,\n' : '\n';
  let [trip, row] = [0, 0];
  for (const text of listCallsByTrip(renamed)) {
    const lines = text.replaceAll('\n', filler).match(/[^\n]+\n/g)!;
    const extra = Math.max(0, Math.min(lines.length, copies.extra - row));
    yield copyLines(lines, copies.each, extra, trip % 2 === 0);
    if (trip < plan.conflicts) yield contradict(lines[1]!);
    trip += 1;
    row += lines.length;
  }
  if (plan.isFlex) yield* listFlexCalls();
}

function renamePlatforms({ variant }: AustrianVariant, plan: FeedPlan): AustrianVariant['variant'] {
  const stations = variant.stations as readonly AustrianStation[];
  return { ...variant, platformIds: variant.platformIds.map((id, call) => publishedId(stations[call]!, plan, id)) };
}

/** @param extra how many of the first lines have one copy more */
function copyLines(lines: readonly string[], each: number, extra: number, areAdjacent: boolean): string {
  if (areAdjacent) return lines.map((line, i) => line.repeat(1 + each + (i < extra ? 1 : 0))).join('');
  return lines.join('').repeat(1 + each) + lines.slice(0, extra).join('');
}

/** The same call half a minute later. */
function contradict(line: string): string {
  return line.replaceAll(/(\d:\d\d:)00,/g, '$130,');
}

// ---- On-demand service -------------------------------------------------------------------------

const flexLines = ['flex1', 'flex2', 'flex3'];
export const flexTrips = flexLines.flatMap((line, zone) =>
  [0, 1, 2].map((service) => ({ trip: `${line}.${service}`, line, zone: `zone${zone + 1}`, service })),
);
export const isToRallyingPoint = ({ service }: (typeof flexTrips)[number]) => service === 0;
/** From a zone into the same zone, or to a rallying point. */
export const FLEX_CALLS = 2;

function* listFlexCalls(): Generator<string> {
  for (const flex of flexTrips) {
    const { trip, zone } = flex;
    const to = isToRallyingPoint(flex) ? `,rallying-points` : `${zone},`;
    for (const [i, place] of [`${zone},`, to].entries()) {
      yield `${trip},,,,${i + 1},,2,2,,${place},06:00:00,22:00:00,call,call\n`;
    }
  }
}

const flexFiles: FeedFiles = {
  'location_groups.txt': () => ['location_group_id,location_group_name\nrallying-points,Sammelpunkte\n'],
  'booking_rules.txt': () => [
    'booking_rule_id,booking_type,prior_notice_duration_min,phone_number\ncall,1,60,+43 1 2345\n',
  ],
  'locations.geojson': () => [JSON.stringify({ type: 'FeatureCollection', features: flexLines.map(makeZone) })],
};

function makeZone(line: string, number: number) {
  const [west, south] = [14 + number / 10, 47.5];
  const ring = [
    [west, south],
    [west + 0.1, south],
    [west + 0.1, south + 0.1],
    [west, south + 0.1],
    [west, south],
  ];
  const geometry = { type: 'Polygon', coordinates: [ring] };
  return { type: 'Feature', id: `zone${number + 1}`, properties: { stop_name: `Gebiet ${line}` }, geometry };
}
