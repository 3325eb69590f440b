import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { FeedFiles } from './text-feed.ts';

/** Table of a feed whose values contain no commas. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function readTable(text: string): Table {
  const [header, ...lines] = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/);
  return { columns: header!.split(','), rows: lines.map((line) => line.split(',')) };
}

function writeTable({ columns, rows }: Table): string {
  return `${[columns, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

/** Largest distance in metres between the two positions of a stop; the same for the same stop. */
const MAX_DRIFT_METERS = 8;
const METERS_PER_DEGREE = 111_195;

/**
 * Splits a feed by line, as if two publishers published it: some lines by either, some by both, the stops by each. The
 * second one has other ids, places its stops some metres away, and dates the trips after midnight of the common lines
 * by the next day: 01:10 instead of 25:10.
 * @param linesOf which of the two publish a line
 */
export function splitFeed(
  files: ReadonlyMap<string, string>,
  linesOf: (line: string) => readonly ('a' | 'b')[],
): { readonly a: FeedFiles; readonly b: FeedFiles } {
  const tables = new Map([...files].map(([name, text]) => [name, readTable(text)] as const));
  const a = takeLines(tables, 'a', linesOf);
  const written = new Map([...a].map(([name, table]) => [name, writeTable(table)] as const));
  const ofBoth = takeLines(tables, 'b', (line) => (linesOf(line).length === 2 ? ['b'] : []));
  const redated = redateNight(takeLines(tables, 'b', linesOf), valuesOf(ofBoth.get('trips.txt')!, 'trip_id'));
  return { a: written, b: rename(redated) };
}

// ---- Trips after midnight ----------------------------------------------------------------------

const NEXT_DAY = '-next-day';

/** Dates trips whose first departure is past 24:00 by the next day, with services shifted by one day. */
function redateNight(tables: ReadonlyMap<string, Table>, among: ReadonlySet<string>): Map<string, Table> {
  const times = tables.get('stop_times.txt')!;
  const [trip, departure] = ['trip_id', 'departure_time'].map((name) => times.columns.indexOf(name)) as [
    number,
    number,
  ];
  const isLate = new Map<string, boolean>();
  for (const row of times.rows) isLate.set(row[trip]!, (isLate.get(row[trip]!) ?? true) && row[departure]! >= '24');
  const isRedated = (id: string) => among.has(id) && isLate.get(id) === true;
  return new Map([
    ...tables,
    ['stop_times.txt', mapRows(times, 'trip_id', isRedated, ['arrival_time', 'departure_time'], toDayBefore)],
    ['trips.txt', mapRows(tables.get('trips.txt')!, 'trip_id', isRedated, ['service_id'], (id) => id + NEXT_DAY)],
    ['calendar_dates.txt', addNextDays(tables.get('calendar_dates.txt')!)],
  ]);
}

function mapRows(
  { columns, rows }: Table,
  key: string,
  isWanted: (value: string) => boolean,
  changed: readonly string[],
  change: (value: string) => string,
): Table {
  const at = columns.indexOf(key);
  return {
    columns,
    rows: rows.map((row) =>
      isWanted(row[at]!) ? row.map((value, i) => (changed.includes(columns[i]!) ? change(value) : value)) : row,
    ),
  };
}

const toDayBefore = (time: string) => time.replace(/^\d+/, (hours) => String(Number(hours) - 24).padStart(2, '0'));

function addNextDays({ columns, rows }: Table): Table {
  const [service, date] = ['service_id', 'date'].map((name) => columns.indexOf(name)) as [number, number];
  const later = rows.map((row) => row.with(service, row[service]! + NEXT_DAY).with(date, toNextDate(row[date]!)));
  return { columns, rows: [...rows, ...later] };
}

function toNextDate(text: string): string {
  const date = text.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3') as ServiceDate;
  return addDays(date, 1).replaceAll('-', '');
}

// ---- Lines and ids -----------------------------------------------------------------------------

function pick({ columns, rows }: Table, column: string, isKept: (value: string) => boolean): Table {
  const at = columns.indexOf(column);
  return { columns, rows: rows.filter((row) => isKept(row[at]!)) };
}

function valuesOf({ columns, rows }: Table, column: string): Set<string> {
  const at = columns.indexOf(column);
  return new Set(rows.map((row) => row[at]!));
}

function takeLines(
  tables: ReadonlyMap<string, Table>,
  half: 'a' | 'b',
  linesOf: (line: string) => readonly ('a' | 'b')[],
): Map<string, Table> {
  const routes = pick(tables.get('routes.txt')!, 'route_short_name', (line) => linesOf(line).includes(half));
  const routeIds = valuesOf(routes, 'route_id');
  const trips = pick(tables.get('trips.txt')!, 'route_id', (route) => routeIds.has(route));
  const tripIds = valuesOf(trips, 'trip_id');
  const stopTimes = pick(tables.get('stop_times.txt')!, 'trip_id', (trip) => tripIds.has(trip));
  const stopIds = valuesOf(stopTimes, 'stop_id');
  const taken = { 'routes.txt': routes, 'trips.txt': trips, 'stop_times.txt': stopTimes };
  return new Map([
    ...tables,
    ...Object.entries(taken),
    ['stops.txt', pick(tables.get('stops.txt')!, 'stop_id', (stop) => stopIds.has(stop))],
  ]);
}

/** Id columns, which the second publisher prefixes. */
const ID_COLUMNS = ['stop_id', 'trip_id', 'route_id', 'service_id', 'agency_id'];
const PREFIX = 'B';

function rename(tables: ReadonlyMap<string, Table>): Map<string, string> {
  return new Map([...tables].map(([name, table]) => [name, writeTable(drift(name, prefixIds(table)))] as const));
}

function prefixIds({ columns, rows }: Table): Table {
  const ids = new Set(ID_COLUMNS.map((column) => columns.indexOf(column)));
  return { columns, rows: rows.map((row) => row.map((value, i) => (ids.has(i) ? `${PREFIX}${value}` : value))) };
}

function drift(name: string, table: Table): Table {
  if (name !== 'stops.txt') return table;
  const [id, lat] = [table.columns.indexOf('stop_id'), table.columns.indexOf('stop_lat')];
  const rows = table.rows.map((row) => {
    const letters = [...row[id]!].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const meters = (letters % (2 * MAX_DRIFT_METERS + 1)) - MAX_DRIFT_METERS;
    return row.with(lat, String(Number(row[lat]) + meters / METERS_PER_DEGREE));
  });
  return { columns: table.columns, rows };
}

/** The id of a stop of the whole feed in the two halves. */
export function idInHalves(stopId: string, halves: { readonly a: FeedFiles }): string {
  const stops = String(halves.a.get('stops.txt'));
  return stops.includes(`\n${stopId},`) ? `a:${stopId}` : `b:${PREFIX}${stopId}`;
}
