import type { ServiceDate } from '../../model/service-time.ts';
import { buildAgencyTable, buildRoutesTable } from './agencies.ts';
import { buildCalendar, buildCalendarDates, gtfsDate, sampleValidity, type Validity } from './calendar.ts';
import { type CsvDialect, formatCsv, type SampleRow, type SampleTable } from './csv.ts';
import { buildFareTables } from './fares.ts';
import type { SampleLookups } from './lookups.ts';
import { addNastyCases, nastyDialects } from './nasty-cases.ts';
import { addOnDemandService, writeSampleZones } from './on-demand.ts';
import { buildShapesTable } from './shapes-table.ts';
import { buildStationInterior } from './station-interior.ts';
import { buildSampleStops, buildStopsTable } from './stops-table.ts';
import { buildSampleTrips, throughRunning } from './trips-table.ts';

/** Metadata of the feed, which states that it is made up. */
function buildFeedFacts(today: ServiceDate, validity: Validity, seed: number): [string, SampleTable][] {
  return [
    ['feed_info.txt', feedInfo(today, validity, seed)],
    ['attributions.txt', attributions],
    ['translations.txt', translations],
  ];
}

function feedInfo(today: ServiceDate, { start, end }: Validity, seed: number): SampleTable {
  const row = {
    feed_publisher_name: 'Taktgeber sample, made up',
    feed_publisher_url: 'https://example.org/taktgeber-sample',
    feed_lang: 'de',
    feed_start_date: gtfsDate(start),
    feed_end_date: gtfsDate(end),
    feed_version: `sample ${today} seed ${seed}`,
  };
  return { header: Object.keys(row), rows: [Object.values(row)] };
}

const attributions: SampleTable = {
  header: ['attribution_id', 'organization_name', 'is_producer', 'is_operator', 'is_authority', 'attribution_url'],
  rows: [
    [
      'places',
      'Stadt Wien - data.wien.gv.at, CC BY 4.0 (names and places of stops)',
      0,
      0,
      1,
      'https://data.wien.gv.at',
    ],
    ['times', 'Taktgeber sample (times, fares and frequencies are made up)', 1, 0, 0, ''],
  ],
};

const translations: SampleTable = {
  header: ['table_name', 'field_name', 'language', 'translation', 'record_id'],
  rows: [
    ['stops', 'stop_name', 'en', 'Vienna Central Station', 'at:49:1349'],
    ['stops', 'stop_name', 'en', 'Vienna West Station', 'at:49:1468'],
    ['stops', 'stop_name', 'en', 'Vienna Airport', 'at:43:flughafen-wien'],
    ['stops', 'stop_name', 'en', "St. Stephen's Square", 'at:49:1320'],
    ['stops', 'stop_name', 'en', 'Salzburg Central Station', 'at:45:salzburg'],
  ],
};

const columns = [
  'from_stop_id',
  'to_stop_id',
  'transfer_type',
  'min_transfer_time',
  'from_route_id',
  'to_route_id',
  'from_trip_id',
  'to_trip_id',
] as const;

/** Minimum transfer time in big stations, in seconds. */
const stationTransferSeconds = {
  'at:49:1349': 300,
  'at:49:1040': 240,
  'at:49:743': 240,
  'at:49:1468': 360,
  'at:49:1015': 240,
  'at:49:657': 180,
  'at:45:salzburg': 300,
  'at:44:linz': 240,
  'at:46:graz': 240,
  'at:47:innsbruck': 240,
  'at:43:st-poelten': 180,
} as const;

/** @param trips rows of trips.txt, to pair trips with through coaches */
function buildTransfersTable(trips: SampleTable): SampleTable {
  const rows: SampleRow[] = Object.entries(stationTransferSeconds).map(([id, seconds]) =>
    stopTransfer(id, id, 2, seconds),
  );
  // A recommended transfer point without a time.
  rows.push(stopTransfer('at:49:1320', 'at:49:506', 0, ''));
  // The local train to Hallstatt waits for the one from Vienna.
  rows.push(['at:44:attnang', 'at:44:attnang', 1, '', 'rjx-salzburg', 'rex-salzkammergut', '', '']);
  // Close on the map, but separated by the railway and the lake shore: no transfer is possible.
  rows.push(stopTransfer('at:48:bregenz-pfaenderbahn', 'at:48:bregenz-hafen', 3, ''));
  rows.push(...inSeatTransfers(trips));
  // The same train turns at Franz-Josefs-Bahnhof, but all passengers must leave it for cleaning.
  rows.push(['at:49:345', 'at:49:345', 5, '', '', '', 'rex-krems-1-daily-1', 'rex-krems-0-daily-3']);
  return { header: columns, rows };
}

function stopTransfer(from: string, to: string, type: number, seconds: number | ''): SampleRow {
  return [from, to, type, seconds, '', '', '', ''];
}

function inSeatTransfers(trips: SampleTable): SampleRow[] {
  const tripColumn = trips.header.indexOf('trip_id');
  const tripIds = new Set(trips.rows.map((row) => row[tripColumn]!));
  const prefix = `${throughRunning.from}-0-`;
  return [...tripIds].flatMap((from) => {
    const to = String(from).replace(prefix, `${throughRunning.to}-0-`);
    const isPair = String(from).startsWith(prefix) && tripIds.has(to);
    return isPair ? [['at:49:1349', 'at:49:1349', 4, '', '', '', from, to]] : [];
  });
}

interface SampleFeedOptions {
  /** The feed is valid from 31 days before to 365 days after. */
  readonly today: ServiceDate;
  /** Seed of small variations in running times, departure minutes and bends; default 1. */
  readonly seed?: number;
}

const PLAIN: CsvDialect = { hasByteOrderMark: false, lineEnd: '\n' };

/**
 * Builds the GTFS feed of the made-up country: real places, made-up timetables, and deliberate nasty cases.
 * Pure: equal arguments give equal texts, whatever the machine's time zone or language.
 * @returns text by file name, CSV apart from the zones; the rows that readers must refuse are listed in `nasty-cases.ts`
 */
export function buildSampleFeed(
  { today, seed = 1 }: SampleFeedOptions,
  lookups: SampleLookups,
): ReadonlyMap<string, string> {
  const tables = buildTables(today, seed, lookups);
  addNastyCases(tables);
  addOnDemandService(tables);
  const texts = [...tables].map(([file, table]) => [file, formatCsv(table, nastyDialects.get(file) ?? PLAIN)] as const);
  return new Map([...texts, ['locations.geojson', writeSampleZones()]]);
}

function buildTables(today: ServiceDate, seed: number, lookups: SampleLookups): Map<string, SampleTable> {
  const validity = sampleValidity(today);
  const stops = buildSampleStops(lookups);
  const interior = buildStationInterior(stops);
  const stopsTable = buildStopsTable(stops, interior.stopLevels);
  stopsTable.rows.push(...interior.entranceRows);
  const { trips, stopTimes, frequencies, shapes } = buildSampleTrips(lookups, stops, seed);
  return new Map<string, SampleTable>([
    ['agency.txt', buildAgencyTable()],
    ['stops.txt', stopsTable],
    ['routes.txt', buildRoutesTable(lookups.lines)],
    ['trips.txt', trips],
    ['stop_times.txt', stopTimes],
    ['calendar.txt', buildCalendar(validity)],
    ['calendar_dates.txt', buildCalendarDates(validity)],
    ['shapes.txt', buildShapesTable(shapes)],
    ['frequencies.txt', frequencies],
    ['transfers.txt', buildTransfersTable(trips)],
    ...interior.files,
    ...buildFareTables(lookups),
    ...buildFeedFacts(today, validity, seed),
  ]);
}
