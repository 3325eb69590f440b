import { createWriteStream, existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { agencies, type Route, type Station, type Variant } from './national-network.ts';

/** A generated feed, ready to be written. */
export interface MadeUpFeed {
  readonly stations: readonly Station[];
  readonly variants: readonly TimetabledVariant[];
  /** Lines of transfers.txt with their header; `null`: the feed has no such table. */
  readonly transfers: (() => Iterable<string>) | null;
}

/** A variant with its trips. */
export interface TimetabledVariant {
  readonly route: Route;
  readonly variant: Variant;
  readonly tripPrefix: string;
  readonly headsign: string;
  /** One entry per trip: its days, number of its service, minute of its first departure, speed. */
  readonly dayKind: Uint8Array;
  readonly service: Uint16Array;
  readonly firstMinute: Uint16Array;
  readonly pace: Uint8Array;
  /** Only every third intermediate call has a time, as small operators publish it. */
  readonly isSparse: boolean;
  readonly hasVia: boolean;
}

/** Factor for driving times: trips in the rush hour take longer, those at night less. */
const PACES = [1, 1.2, 0.9];
export const SERVICES = 240;
export const DAY_KINDS = [
  { share: 1, weekdays: '1,1,1,1,1,0,0' },
  { share: 0.6, weekdays: '0,0,0,0,0,1,0' },
  { share: 0.45, weekdays: '0,0,0,0,0,0,1' },
];

/** Trips of the rush hour take longer, those of the night less: index into the paces. */
function paceAt(minute: number): number {
  const hour = minute / 60;
  if ((hour >= 7 && hour < 9) || (hour >= 16 && hour < 18)) return 1;
  return hour < 5.5 || hour >= 22 ? 2 : 0;
}

/** Departures of a line in one direction: each day kind has its trips, which run on days of three services. */
export function listDepartures(perDay: number, random: () => number): { service: number; minute: number }[] {
  const departures: { service: number; minute: number }[] = [];
  for (const [kind, { share }] of DAY_KINDS.entries()) {
    const count = Math.max(1, Math.round(perDay * share));
    const headway = (19 * 60) / count;
    // Trips run on different days: holidays, school days, construction work.
    const services = [0, 1, 2].map(
      () => kind + DAY_KINDS.length * Math.floor(random() * (SERVICES / DAY_KINDS.length)),
    );
    for (let i = 0; i < count; i++) {
      departures.push({ service: services[i % 3]!, minute: Math.floor(4.6 * 60 + (i + random() * 0.3) * headway) });
    }
  }
  return departures;
}

/** The columns of the trips of a variant by its departures. */
export function toTripColumns(departures: readonly { readonly service: number; readonly minute: number }[]) {
  return {
    dayKind: Uint8Array.from(departures, ({ service }) => service % DAY_KINDS.length),
    service: Uint16Array.from(departures, ({ service }) => service),
    firstMinute: Uint16Array.from(departures, ({ minute }) => minute),
    pace: Uint8Array.from(departures, ({ minute }) => paceAt(minute)),
  };
}

/**
 * Provides the zip of a generated feed, reused from earlier runs. Text is streamed, with a few hundred kilobytes in
 * memory at most.
 * @param name unique for the generated data
 * @returns path below the temporary folder of the system
 */
export function provideFeed(name: string, make: () => MadeUpFeed, progress: (line: string) => void): Promise<string> {
  return provideZip(name, () => listTables(make()), progress);
}

/** Lines of each file of a feed by the name of the file, with their headers. */
export type FeedFiles = Readonly<Record<string, () => Iterable<string>>>;

/** Like `provideFeed`, for feeds whose files are written otherwise. */
export async function provideZip(
  name: string,
  make: () => FeedFiles,
  progress: (line: string) => void,
): Promise<string> {
  const file = path.join(os.tmpdir(), `taktgeber-bench-feed-${name}.zip`);
  if (existsSync(file)) return file;
  const started = performance.now();
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeZip(make(), unfinished);
  await rename(unfinished, file);
  progress(`generated ${file} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return file;
}

function listTables({ stations, variants, transfers }: MadeUpFeed): FeedFiles {
  return {
    'agency.txt': listAgencies,
    'feed_info.txt': listFeedInfo,
    'stops.txt': () => listStops(stations),
    'calendar.txt': listCalendar,
    'calendar_dates.txt': listCalendarDates,
    'routes.txt': () => listRoutes(variants),
    'shapes.txt': () => listShapes(variants),
    'trips.txt': () => listTrips(variants),
    'stop_times.txt': () => listStopTimes(variants),
    ...(transfers && { 'transfers.txt': transfers }),
  };
}

export async function writeZip(files: FeedFiles, file: string): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [name, list] of Object.entries(files)) {
    const options = { compressionLevel: COMPRESSION_LEVEL };
    zip.addReadStreamLazy(name, options, (done) => done(null, Readable.from(inBlocks(list()))));
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

/** Fast, and still compresses to a sixth. */
const COMPRESSION_LEVEL = 1;
const BLOCK_LETTERS = 1 << 18;

function* inBlocks(texts: Iterable<string>): Generator<Buffer> {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < BLOCK_LETTERS) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

// ---- Tables ------------------------------------------------------------------------------------

function* listAgencies(): Generator<string> {
  yield 'agency_id,agency_name,agency_url,agency_timezone,agency_lang\n';
  for (const [id, name] of agencies.entries()) yield `${id},${name},https://example.com/${id},Europe/Vienna,de\n`;
}

export function* listFeedInfo(): Generator<string> {
  yield 'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version\n';
  yield 'Made up for the bench,https://example.com,de,20251214,20261212,1\n';
}

function* listStops(stations: readonly Station[]): Generator<string> {
  yield 'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code\n';
  for (const [number, { id, name, lat, lon, platformIds }] of stations.entries()) {
    // Some publishers quote values, and some names contain a comma.
    const shown = number % 50 === 0 ? `"${name}, Steig"` : name;
    yield `${id},${shown},${lat.toFixed(6)},${lon.toFixed(6)},1,,\n`;
    for (const [i, platformId] of platformIds.entries()) {
      yield `${platformId},${shown},${(lat + i * 1e-4).toFixed(6)},${lon.toFixed(6)},0,${id},${i + 1}\n`;
    }
  }
}

export function* listCalendar(): Generator<string> {
  yield 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n';
  for (let service = 0; service < SERVICES; service++) {
    yield `S${service},${DAY_KINDS[service % DAY_KINDS.length]!.weekdays},20251214,20261212\n`;
  }
}

const HOLIDAYS =
  '20251225 20251226 20260101 20260106 20260406 20260501 20260514 20260525 20260604 20260815 20261026'.split(' ');

/** Sunday services run on holidays; every service has a few additional exceptions. */
export function* listCalendarDates(): Generator<string> {
  yield 'service_id,date,exception_type\n';
  for (let service = 0; service < SERVICES; service++) {
    const exception = service % DAY_KINDS.length === 2 ? 1 : 2;
    for (const date of HOLIDAYS) yield `S${service},${date},${exception}\n`;
    if (exception === 2) yield `S${service},2026${String(1 + (service % 12)).padStart(2, '0')}07,2\n`;
  }
}

function* listRoutes(variants: readonly TimetabledVariant[]): Generator<string> {
  yield 'route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color\n';
  for (const route of new Set(variants.map((one) => one.route))) {
    const stations = route.variants[0]!.stations;
    const name = `${stations[0]!.name} - ${stations.at(-1)!.name}`;
    yield `${route.id},${route.agency},${route.label},${name},${route.mode.routeType},E2002A,FFFFFF\n`;
  }
}

const POINTS_PER_STEP = 6;

export function* listShapes(variants: readonly TimetabledVariant[]): Generator<string> {
  yield 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n';
  for (const { variant } of variants) {
    if (variant.shapeId !== null) yield* listShape(variant, variant.shapeId);
  }
}

function* listShape({ stations, metres }: Variant, shapeId: string): Generator<string> {
  // Every third publisher omits distances.
  const hasDistances = shapeId.length % 3 !== 0;
  let sequence = 0;
  for (let call = 0; call < stations.length - 1; call++) {
    const [from, to] = [stations[call]!, stations[call + 1]!];
    for (let point = 0; point < POINTS_PER_STEP; point++) {
      const share = point / POINTS_PER_STEP;
      // A sideways bend, so that the shape is not a straight line.
      const bend = Math.sin(share * Math.PI) * 0.0008;
      const lat = from.lat + (to.lat - from.lat) * share + bend;
      const lon = from.lon + (to.lon - from.lon) * share - bend;
      const distance = Math.round(metres[call]! + (metres[call + 1]! - metres[call]!) * share);
      yield `${shapeId},${lat.toFixed(6)},${lon.toFixed(6)},${++sequence},${hasDistances ? distance : ''}\n`;
    }
  }
  const last = stations.at(-1)!;
  yield `${shapeId},${last.lat},${last.lon},${++sequence},${hasDistances ? metres.at(-1) : ''}\n`;
}

function* listTrips(variants: readonly TimetabledVariant[]): Generator<string> {
  yield 'route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id,block_id,shape_id,bikes_allowed\n';
  for (const { route, variant, tripPrefix, headsign, service } of variants) {
    const rest = `${quote(headsign)},,${variant.direction},,${variant.shapeId ?? ''},${route.mode.hasRails ? 1 : ''}`;
    for (let trip = 0; trip < service.length; trip++) {
      yield `${route.id},S${service[trip]},${trip}${tripPrefix},${rest}\n`;
    }
  }
}

export function quote(text: string): string {
  return text.includes(',') ? `"${text}"` : text;
}

export const STOP_TIMES_HEADER =
  'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled';

function* listStopTimes(variants: readonly TimetabledVariant[]): Generator<string> {
  yield `${STOP_TIMES_HEADER}\n`;
  yield* listCallsByTrip(variants);
}

/** The rows of stop_times without their header, trip by trip. */
export function* listCallsByTrip(variants: readonly TimetabledVariant[]): Generator<string> {
  const clock = Array.from({ length: 48 * 60 }, (_, minute) => formatMinute(minute));
  for (const timetabled of variants) {
    const ends = timetabled.variant.platformIds.map((_, call) => endOfLine(timetabled, call));
    for (let trip = 0; trip < timetabled.service.length; trip++) yield listCalls(timetabled, trip, ends, clock);
  }
}

/** Columns after the times of a call, which are equal on all trips of a variant. */
function endOfLine({ variant, hasVia, route }: TimetabledVariant, call: number): string {
  const last = variant.stations.length - 1;
  const via = hasVia && call < last / 2 ? variant.stations[last >> 1]!.name : '';
  const distance = variant.shapeId !== null || route.mode.hasRails ? variant.metres[call] : '';
  return `${variant.platformIds[call]},${call + 1},${quote(via)},${call === last ? 1 : 0},${call === 0 ? 1 : 0},${distance}\n`;
}

function listCalls(
  { route, variant, tripPrefix, firstMinute, pace, isSparse }: TimetabledVariant,
  trip: number,
  ends: readonly string[],
  clock: readonly string[],
): string {
  const stretch = PACES[pace[trip]!]!;
  const last = ends.length - 1;
  let text = '';
  for (let call = 0; call <= last; call++) {
    text += `${trip}${tripPrefix},`;
    const minute = firstMinute[trip]! + Math.round(variant.minutes[call]! * stretch);
    const isTimed = !isSparse || call % 3 === 0 || call === last;
    const dwell = call === 0 || call === last ? 0 : route.mode.dwellMinutes;
    text += isTimed ? `${clock[minute - dwell]},${clock[minute]},` : ',,';
    text += ends[call];
  }
  return text;
}

function formatMinute(minute: number): string {
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:00`;
}
