import type { SampleRow, SampleTable } from './csv.ts';

/**
 * A made-up call-a-bus between doors and stations of the valley from Bad Ischl to Hallstatt, Obertraun and Gosau, where
 * the only line of the sample runs every two hours until evening (GTFS-Flex: a zone, a window, a booking rule).
 */
const service = {
  route: 'rufbus-salzkammergut',
  agency: 'rufbus',
  label: 'Rufbus',
  name: 'Rufbus Inneres Salzkammergut',
  zone: 'salzkammergut',
  zoneName: 'Inneres Salzkammergut',
  trip: 'rufbus-salzkammergut-daily',
  windowStart: '05:00:00',
  windowEnd: '25:00:00',
  rule: 'rufbus',
  noticeMinutes: 30,
  // Neither a number nor an address that anybody could have.
  phone: '+43 000 000000',
  infoUrl: 'https://example.org/taktgeber-sample/rufbus',
  message: 'Erfundenes Angebot: Hier kommt kein Bus.',
} as const;

/** Extended route type of on-demand buses. */
const ON_DEMAND_BUS = 715;
/** Longer than the direct way by car, because passengers share the vehicle. */
const DURATION_FACTOR = 1.3;
const DURATION_OFFSET_SECONDS = 300;
/** Values of pickup_type and drop_off_type. */
const NONE = 1;
const BY_PHONE = 2;

/** Corners of the zone, as latitude and longitude. */
const corners: readonly (readonly [lat: number, lon: number])[] = [
  [47.74, 13.59],
  [47.745, 13.67],
  [47.7, 13.68],
  [47.65, 13.69],
  [47.6, 13.72],
  [47.57, 13.76],
  [47.535, 13.72],
  [47.54, 13.64],
  [47.52, 13.5],
  [47.52, 13.47],
  [47.56, 13.48],
  [47.61, 13.5],
  [47.64, 13.57],
  [47.7, 13.57],
];

const tripColumns = ['safe_duration_factor', 'safe_duration_offset'] as const;
const callColumns = [
  'location_id',
  'start_pickup_drop_off_window',
  'end_pickup_drop_off_window',
  'pickup_booking_rule_id',
  'drop_off_booking_rule_id',
] as const;

/** Adds the call-a-bus to the tables of the feed, with the columns that only it needs. */
export function addOnDemandService(tables: Map<string, SampleTable>): void {
  addRows(tables, 'routes.txt', [], [routeRow()]);
  addRows(tables, 'trips.txt', tripColumns, [tripRow()]);
  addRows(tables, 'stop_times.txt', callColumns, [callRow(1, BY_PHONE, NONE), callRow(2, NONE, BY_PHONE)]);
  tables.set('booking_rules.txt', buildBookingRules());
}

function addRows(
  tables: Map<string, SampleTable>,
  file: string,
  columns: readonly string[],
  rows: readonly SampleRow[],
): void {
  const table = tables.get(file);
  if (!table) throw new RangeError(`no table ${file} to add on-demand service to`);
  const empty = columns.map(() => '');
  tables.set(file, {
    header: [...table.header, ...columns],
    rows: [...table.rows.map((row) => [...row, ...empty]), ...rows],
  });
}

function routeRow(): SampleRow {
  const { route, agency, label, name } = service;
  return [route, agency, label, name, ON_DEMAND_BUS, '7A4B00', 'FFFFFF', 8000];
}

function tripRow(): SampleRow {
  const { route, trip, zoneName } = service;
  return [route, 'daily', trip, zoneName, '', 0, '', '', 1, 2, DURATION_FACTOR, DURATION_OFFSET_SECONDS];
}

function callRow(sequence: number, pickupType: number, dropOffType: number): SampleRow {
  const { trip, zone, windowStart, windowEnd, rule } = service;
  const [pickupRule, dropOffRule] = pickupType === NONE ? ['', rule] : [rule, ''];
  const window = [zone, windowStart, windowEnd, pickupRule, dropOffRule];
  return [trip, '', '', '', sequence, '', pickupType, dropOffType, '', 0, ...window];
}

function buildBookingRules(): SampleTable {
  const { rule, noticeMinutes, message, phone, infoUrl } = service;
  const row = {
    booking_rule_id: rule,
    booking_type: 1,
    prior_notice_duration_min: noticeMinutes,
    message,
    phone_number: phone,
    info_url: infoUrl,
  };
  return { header: Object.keys(row), rows: [Object.values(row)] };
}

/** Text of locations.geojson, which has the zone. */
export function writeSampleZones(): string {
  const ring = [...corners, corners[0]!].map(([lat, lon]) => [lon, lat]);
  const feature = {
    type: 'Feature',
    id: service.zone,
    properties: { stop_name: service.zoneName },
    geometry: { type: 'Polygon', coordinates: [ring] },
  };
  return `${JSON.stringify({ type: 'FeatureCollection', features: [feature] })}\n`;
}
