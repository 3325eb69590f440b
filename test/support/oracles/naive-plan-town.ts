import { parseCsv } from '../../../pipeline/sample/feed/csv.ts';
import { feedFromText, readTripLine, type TripLine, withFiles } from '../worlds/text-feed.ts';

/** A small network that tests one rule. Absent files are those of every town. */
export interface Town {
  /**
   * One line per trip, see `readTripLine`. Attributes of a trip: `route`, `service`, `block`, `wheelchair`, `bikes`; of a
   * call:
   * `pickup`, `dropOff`.
   */
  readonly trips: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Stops `a` to `f`, far apart; a station `s` with platforms, of which `s2` is a walk of 72 metres from `s1`, and `s3`
 * one of 578; near `c` are `near`, at 650 metres, and `far`, at 1156. Routes `r1` to `r4` are buses, `tram` is a tram.
 * Services run every day of March 2026; `odd` on odd days of its third week.
 */
const base = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding
  a,Anger,48.0,16.0,,,
  b,Berg,48.0,16.1,,,
  c,Kirche,48.0,16.2,,,
  d,Dorf,48.0,16.3,,,
  e,Ende,48.0,16.4,,,
  f,Furt,48.0,16.5,,,
  near,Nah,48.0045,16.2,,,
  far,Fern,48.008,16.2,,,
  s,Bahnhof,48.1,16.1,1,,
  s1,Bahnhof 1,48.1,16.1,0,s,
  s2,Bahnhof 2,48.1005,16.1,0,s,
  s3,Bahnhof 3,48.104,16.1,0,s,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Eins,3
  r2,v,2,Zwei,3
  r3,v,3,Drei,3
  r4,v,4,Vier,3
  tram,v,T,Tram,0
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260301,20260331
  # calendar_dates.txt
  service_id,date,exception_type
  odd,20260317,1
  odd,20260319,1
`);

/**
 * The feed of a town. Many towns share one timetable, which is built once: each has a number, which prefixes all of its
 * ids, and a longitude range.
 */
export function buildTown({ trips, files }: Town, number: number): Map<string, string> {
  const read = trips.map(readTrip);
  const columns = 'trip_id,route_id,service_id,block_id,wheelchair_accessible,bikes_allowed';
  const tripRows = read.map(({ id, attributes }) =>
    [
      id,
      attributes.route ?? 'r1',
      attributes.service ?? 'daily',
      attributes.block ?? '',
      attributes.wheelchair ?? '',
      attributes.bikes ?? '',
    ].join(','),
  );
  const callRows = read.flatMap(({ id, calls }) => calls.map((call, i) => `${id},${i + 1},${call}`));
  const callColumns = 'trip_id,stop_sequence,stop_id,arrival_time,departure_time,pickup_type,drop_off_type';
  const feed = withFiles(base, {
    'trips.txt': [columns, ...tripRows, ''].join('\n'),
    'stop_times.txt': [callColumns, ...callRows, ''].join('\n'),
    ...files,
  }) as Map<string, string>;
  const placed = (row: Row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, placeValue(column, value, number)]));
  return new Map([...feed].map(([name, text]) => [name, writeRows(parseCsv(text).map(placed), headerOf(text))]));
}

type Row = Readonly<Record<string, string>>;

const ID_COLUMN = /^(from_|to_)?(stop|route|trip|service|agency|block)_id$|^parent_station$/;

function placeValue(column: string, value: string, number: number): string {
  if (value === '') return value;
  if (column === 'stop_lon') return String(placeLongitude(Number(value), number));
  return ID_COLUMN.test(column) ? placeId(value, number) : value;
}

/** The id of an entity of a town in the timetable. */
export function placeId(id: string, number: number): string {
  return `${number}/${id}`;
}

export function placeLongitude(lon: number, number: number): number {
  return Number((lon + 0.7 * number).toFixed(6));
}

/** All feeds as one. */
export function mergeFeeds(feeds: readonly ReadonlyMap<string, string>[]): Map<string, string> {
  const names = new Set(feeds.flatMap((feed) => [...feed.keys()]));
  return new Map(
    [...names].map((name) => {
      const texts = feeds.flatMap((feed) => feed.get(name) ?? []);
      return [
        name,
        writeRows(
          texts.flatMap((text) => parseCsv(text)),
          texts.flatMap(headerOf),
        ),
      ];
    }),
  );
}

function headerOf(text: string): string[] {
  return text.slice(0, text.indexOf('\n')).split(',');
}

function writeRows(rows: readonly Row[], columns: readonly string[]): string {
  const unique = [...new Set(columns)];
  return [unique.join(','), ...rows.map((row) => unique.map((column) => row[column] ?? '').join(',')), ''].join('\n');
}

function readTrip(line: string) {
  const { id, attributes, calls } = readTripLine(line);
  return { id, attributes: readAttributes(attributes), calls: calls.map(writeCall) };
}

function writeCall({ stop, arrival, departure, attributes }: TripLine['calls'][number]): string {
  const { pickup = '', dropOff = '' } = readAttributes(attributes);
  return [stop, arrival, departure, pickup, dropOff].join(',');
}

function readAttributes(attributes: readonly string[]): Partial<Record<string, string>> {
  return Object.fromEntries(attributes.map((word) => word.split('=')));
}
