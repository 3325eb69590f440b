import type { SampleService } from './calendar.ts';
import type { CsvDialect, SampleRow, SampleTable } from './csv.ts';

/** Rows of the sample that a reader must refuse individually, without losing others. */
interface ExpectedRefusal {
  readonly file: string;
  readonly rows: number;
  /** Problem code under which staging counts them. */
  readonly code: string;
  readonly reason: string;
}

export const expectedRefusals: readonly ExpectedRefusal[] = [
  { file: 'stops.txt', rows: 1, code: 'duplicate_id', reason: 'the second row with the same stop_id' },
  { file: 'trips.txt', rows: 1, code: 'unknown_route', reason: 'route_id names no route' },
  { file: 'trips.txt', rows: 1, code: 'unusable_call_count', reason: 'a single call is not a trip' },
  { file: 'stop_times.txt', rows: 2, code: 'unknown_trip', reason: 'calls of the trip without a route' },
  { file: 'stop_times.txt', rows: 1, code: 'trip_refused', reason: 'the call of the trip with a single call' },
  { file: 'stop_times.txt', rows: 1, code: 'bad_time', reason: 'minute 65 is not a time' },
  { file: 'stop_times.txt', rows: 1, code: 'unknown_stop', reason: 'stop_id names no stop' },
  { file: 'stop_times.txt', rows: 1, code: 'time_runs_backwards', reason: 'it departs before the call ahead of it' },
  { file: 'frequencies.txt', rows: 1, code: 'bad_headway', reason: 'headway_secs is not positive' },
];

/** Dialect of each file; others are plain. */
export const nastyDialects: ReadonlyMap<string, CsvDialect> = new Map([
  // Excel saves "CSV UTF-8" with a byte order mark; a naive reader calls the first column "\uFEFFstop_id".
  ['stops.txt', { hasByteOrderMark: true, lineEnd: '\n' }],
  // Windows line ends; a naive reader keeps a carriage return in every last value.
  ['routes.txt', { hasByteOrderMark: false, lineEnd: '\r\n' }],
]);

/**
 * Adds deliberate defects for tests of readers. All are at made-up places ("Prüfort") on the empty Steinfeld, run by a
 * made-up agency, so that they never appear on the board of a real place.
 */
export function addNastyCases(tables: ReadonlyMap<string, SampleTable>): void {
  const add = (file: string, ...rows: readonly SampleRow[]) => {
    const table = tables.get(file);
    if (!table) throw new RangeError(`no table ${file} to add nasty cases to`);
    table.rows.push(...rows);
  };
  add('stops.txt', ...stopRows());
  add('routes.txt', ...routeRows());
  for (const trip of nastyTrips) {
    add('trips.txt', tripRow(trip));
    add('stop_times.txt', ...trip.calls.map((call, i) => callRow(trip, call, i + 1)).map(trip.arrange ?? same));
    if (trip.reorder) reverseLast(tables.get('stop_times.txt')!, trip.calls.length);
  }
  add('frequencies.txt', ...frequencyRows);
}

// ---- Stops and routes --------------------------------------------------------------------------

function stop(id: string, name: string, lat: string, lon: string): SampleRow {
  return [id, '', name, lat, lon, 0, '', '', 0, ''];
}

function stopRows(): SampleRow[] {
  return [
    stop('at:43:pruef-a', 'Prüfort Anger', '47.860000', '16.180000'),
    // A comma, a quote and a line break in one value: all cases of RFC 4180 quoting.
    stop('at:43:pruef-b', 'Prüfort "Alte Post",\nHalle 2', '47.866000', '16.188000'),
    // Values padded with spaces, as in exports with fixed column widths.
    stop(' at:43:pruef-c ', '  Prüfort Cholerakapelle ', ' 47.872000', '16.196000 '),
    stop('at:43:pruef-d', 'Prüfort Dorfplatz', '47.878000', '16.204000'),
    stop('at:43:pruef-e', 'Prüfort Endstelle', '47.884000', '16.212000'),
    // No coordinates: it has a board and a name, but no nearby stops and no walks.
    stop('at:43:pruef-nowhere', 'Prüfort Nirgendwo', '', ''),
    // The same id with another name: the first row is used, so that the result is deterministic.
    stop('at:43:pruef-a', 'Prüfort Doppelgänger', '47.900000', '16.220000'),
    // Latitude and longitude swapped and a digit doubled: the stop stays, its coordinates are dropped.
    stop('at:43:pruef-off-earth', 'Prüfort Jenseits', '162.120000', '47.884000'),
  ];
}

function routeRows(): SampleRow[] {
  return [
    ['pruef-bus', 'pruef', 'PX1', 'Prüfbus', 704, '444444', 'FFFFFF', 9001],
    ['pruef-train', 'pruef', 'PX2', 'Prüfzug', 106, '', '', 9002],
    ['pruef-night', 'pruef', 'PXN', 'Prüfnachtbus', 705, '1D1D1B', 'FFFFFF', 9003],
  ];
}

// ---- Trips -------------------------------------------------------------------------------------

interface NastyCall {
  readonly stop: string;
  /** Empty: to be interpolated. */
  readonly time: string;
  readonly meters: string;
}

interface NastyTrip {
  readonly id: string;
  readonly route: string;
  readonly service: SampleService;
  readonly calls: readonly NastyCall[];
  readonly arrange?: (row: SampleRow) => SampleRow;
  readonly reorder?: boolean;
}

/** `"a 08:00:00"`, `"a - 1200"` (no time, metres along the way). */
function calls(...texts: readonly string[]): NastyCall[] {
  return texts.map((text) => {
    const [name, time, meters = ''] = text.split(' ');
    return { stop: `at:43:pruef-${name}`, time: time === '-' ? '' : time!, meters };
  });
}

const nastyTrips: readonly NastyTrip[] = [
  {
    // Past midnight: the calls at 24:10 and 25:00 belong to the service date on which the trip begins.
    id: 'pruef-past-midnight',
    route: 'pruef-night',
    service: 'daily',
    calls: calls('a 23:40:00', 'b 24:10:00', 'c 25:00:00'),
  },
  {
    // Past the second midnight: a board must look back two service dates, not one.
    id: 'pruef-past-two-midnights',
    route: 'pruef-train',
    service: 'daily',
    calls: calls('a 22:00:00', 'c 26:30:00', 'e 48:45:00'),
  },
  {
    // The night of each clock change: in spring 02:xx does not exist, in autumn it occurs twice.
    id: 'pruef-clock-change',
    route: 'pruef-night',
    service: 'clock_change_night',
    calls: calls('a 25:30:00', 'b 26:15:00', 'c 26:45:00', 'd 27:30:00', 'e 28:30:00'),
  },
  {
    // Repeated by frequencies.txt across midnight; these times only define the duration of each leg.
    id: 'pruef-frequency-headway',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 00:00:00', 'b 00:07:00', 'c 00:15:00'),
  },
  {
    id: 'pruef-frequency-schedule',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('c 06:00:00', 'b 06:08:00', 'a 06:15:00'),
  },
  {
    // Calls without times, one also without coordinates: they can only be interpolated evenly.
    id: 'pruef-interpolate-evenly',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 09:00:00', 'nowhere -', 'c -', 'd 09:12:00', 'e 09:20:00'),
  },
  {
    // Calls without times and without distances, at stops with coordinates: interpolated by straight-line distance.
    id: 'pruef-interpolate-by-coordinates',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 09:30:00', 'b -', 'd 09:42:00', 'e 09:50:00'),
  },
  {
    // Calls without times but with distances: the first is at a quarter of the distance, so after 3 of 12 minutes.
    id: 'pruef-interpolate-by-distance',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 10:00:00 0', 'b - 1000', 'c - 3000', 'd 10:12:00 4000', 'e 10:20:00 5000'),
  },
  {
    id: 'pruef-no-coordinates',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 11:00:00', 'nowhere 11:10:00', 'c 11:20:00'),
  },
  {
    // Rows in the wrong order: stop_sequence decides, not the order in the file.
    id: 'pruef-unsorted',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 12:00:00', 'b 12:05:00', 'c 12:10:00', 'd 12:15:00'),
    reorder: true,
  },
  {
    // Spaces around ids and times in stop_times, where one failed join loses the whole trip.
    id: 'pruef-padded',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 13:00:00', 'b 13:05:00', 'c 13:10:00'),
    arrange: (row) => row.map((value, i) => (i < 4 ? ` ${value} ` : value)),
  },
  {
    // The express leaves after the local with the same calls and arrives before it: one sorted pattern cannot hold
    // both.
    id: 'pruef-overtaken-local',
    route: 'pruef-train',
    service: 'daily',
    calls: calls('a 14:00:00', 'b 14:15:00', 'c 14:30:00', 'd 14:45:00', 'e 15:00:00'),
  },
  {
    id: 'pruef-overtaking-express',
    route: 'pruef-train',
    service: 'daily',
    calls: calls('a 14:10:00', 'b 14:17:00', 'c 14:24:00', 'd 14:31:00', 'e 14:38:00'),
  },
  {
    // A loop: the last call is an arrival only, the first a departure only, both at the same stop.
    id: 'pruef-loop',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 16:00:00', 'b 16:06:00', 'c 16:12:00', 'a 16:20:00'),
  },
  {
    // A single call: each row is valid, but the trip is useless.
    id: 'pruef-single-call',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('d 17:00:00'),
  },
  {
    // Refused with its calls: without a route it has neither product nor label.
    id: 'pruef-unknown-route',
    route: 'pruef-no-such-route',
    service: 'daily',
    calls: calls('a 18:00:00', 'b 18:05:00'),
  },
  {
    // One call of four is refused; the trip is kept without it.
    id: 'pruef-malformed-time',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 19:00:00', 'b 19:65:00', 'c 19:10:00', 'd 19:15:00'),
  },
  {
    // The same with a stop that does not exist.
    id: 'pruef-unknown-stop',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 20:00:00', 'no-such-stop 20:05:00', 'c 20:10:00', 'd 20:15:00'),
  },
  {
    // A typing error moves the second call an hour back; the trip is kept without it.
    id: 'pruef-backwards',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 20:30:00', 'b 19:35:00', 'c 20:40:00'),
  },
  {
    // Headway 0 would repeat for ever; the frequency is refused, and its trip becomes an ordinary one.
    id: 'pruef-zero-headway',
    route: 'pruef-bus',
    service: 'daily',
    calls: calls('a 21:00:00', 'b 21:05:00'),
  },
];

const frequencyRows: readonly SampleRow[] = [
  ['pruef-frequency-headway', '22:30:00', '25:30:00', 1200, 0],
  ['pruef-frequency-schedule', '06:00:00', '07:30:00', 1800, 1],
  ['pruef-zero-headway', '21:00:00', '22:00:00', 0, 0],
];

function tripRow({ id, route, service }: NastyTrip): SampleRow {
  return [route, service, id, 'Prüfort', '', 0, '', '', 0, 0];
}

function callRow(trip: NastyTrip, call: NastyCall, sequence: number): SampleRow {
  const isTimed = call.time === '' ? 0 : 1;
  return [trip.id, call.time, call.time, call.stop, sequence, '', '', '', call.meters, isTimed];
}

function same(row: SampleRow): SampleRow {
  return row;
}

function reverseLast(table: SampleTable, count: number): void {
  table.rows.push(...table.rows.splice(-count).reverse());
}
