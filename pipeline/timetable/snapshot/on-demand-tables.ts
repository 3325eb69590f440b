import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { TextColumn } from '../../model/column.ts';
import type { onDemandTables } from '../../snapshots/on-demand-tables.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { RowCounts } from './feed-views.ts';

type OnDemandTables = Pick<TimetableTables, keyof typeof onDemandTables>;

/** Reads the on-demand service of all feeds. */
export async function readOnDemandTables(db: Duckdb, rows: RowCounts): Promise<OnDemandTables> {
  return {
    ...(await readZones(db, rows.zones)),
    ...(await readGroups(db, rows)),
    ...(await readTrips(db, rows)),
  };
}

/** Millionths of a degree, as in all shapes. */
const COORDINATE_FACTOR = 1e6;

async function readZones(db: Duckdb, rows: number) {
  const { zoneId, name, rings, source } = await readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      zoneId: ['text', 'zone_id'],
      name: ['text', `coalesce(zone_name, '')`],
      rings: ['text', 'rings'],
    },
    'from all_zones order by zone_index',
    rows,
  );
  const zones = rings.map((text) => JSON.parse(text) as [lon: number, lat: number][][]);
  const firstRing = findFirst(zones.map(({ length }) => length));
  const allRings = zones.flat();
  const points = allRings.flat();
  const boxes = zones.map((zone) => measureBox(zone.flat()));
  const box = (side: number) => Float64Array.from(boxes, (each) => each[side]!);
  return {
    onDemandZones: {
      source,
      zoneId: TextColumn.from(zoneId),
      name: TextColumn.from(name),
      firstRing,
      ringCount: Int32Array.from(zones, ({ length }) => length),
      south: box(0),
      west: box(1),
      north: box(2),
      east: box(3),
    },
    onDemandRings: {
      firstPoint: findFirst(allRings.map(({ length }) => length)),
      pointCount: Int32Array.from(allRings, ({ length }) => length),
    },
    onDemandPoints: {
      lat: Int32Array.from(points, ([, lat]) => Math.round(lat * COORDINATE_FACTOR)),
      lon: Int32Array.from(points, ([lon]) => Math.round(lon * COORDINATE_FACTOR)),
    },
  };
}

/** Computed from rounded points, so that the box encloses the whole zone. */
function measureBox(points: readonly (readonly [lon: number, lat: number])[]): [number, number, number, number] {
  let [south, west, north, east] = [90, 180, -90, -180];
  for (const [lon, lat] of points) {
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
    [west, east] = [Math.min(west, lon), Math.max(east, lon)];
  }
  const margin = 1 / COORDINATE_FACTOR;
  return [south - margin, west - margin, north + margin, east + margin];
}

async function readGroups(db: Duckdb, rows: RowCounts) {
  const { source, groupId, name } = await readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      groupId: ['text', 'location_group_id'],
      name: ['text', `coalesce(location_group_name, '')`],
    },
    'from all_location_groups order by group_index',
    rows.location_groups,
  );
  const { group, stop } = await readColumns(
    db,
    { group: ['i32', 'group_index'], stop: ['i32', 'stop_index'] },
    'from all_location_group_stops order by group_index, stop_index',
    rows.location_group_stops,
  );
  const stopCount = countBy(group, groupId.length);
  return {
    onDemandGroups: {
      source,
      groupId: TextColumn.from(groupId),
      name: TextColumn.from(name),
      firstStop: findFirst(stopCount),
      stopCount,
    },
    onDemandGroupStops: { stop },
  };
}

async function readTrips(db: Duckdb, rows: RowCounts) {
  const { tripId, headsign, ...trips } = await readColumns(
    db,
    {
      tripId: ['text', 'trip_id'],
      route: ['i32', 'route_index'],
      service: ['i32', 'service_index'],
      headsign: ['text', `coalesce(trip_headsign, '')`],
      wheelchairAccessible: [
        'u8',
        'case when wheelchair_accessible between 0 and 2 then wheelchair_accessible else 0 end',
      ],
      bikesAllowed: ['u8', 'case when bikes_allowed between 0 and 2 then bikes_allowed else 0 end'],
      durationFactor: ['f32', 'duration_factor'],
      durationOffsetSeconds: ['i32', 'duration_offset_seconds'],
    },
    'from all_on_demand_trips order by on_demand_index',
    rows.on_demand_trips,
  );
  const { trip, ...calls } = await readCalls(db, rows.on_demand_calls);
  const callCount = countBy(trip, tripId.length);
  return {
    onDemandTrips: {
      ...trips,
      tripId: TextColumn.from(tripId),
      headsign: TextColumn.from(headsign),
      firstCall: findFirst(callCount),
      callCount,
    },
    onDemandCalls: calls,
  };
}

function readCalls(db: Duckdb, rows: number) {
  return readColumns(
    db,
    {
      trip: ['i32', 'on_demand_index'],
      zone: ['i32', 'coalesce(zone_index, -1)'],
      group: ['i32', 'coalesce(group_index, -1)'],
      stop: ['i32', 'coalesce(stop_index, -1)'],
      windowStart: ['i32', 'window_start_seconds'],
      windowEnd: ['i32', 'window_end_seconds'],
      pickupType: ['u8', 'pickup_type'],
      dropOffType: ['u8', 'drop_off_type'],
      pickupRule: ['i32', 'coalesce(pickup_booking_index, -1)'],
      dropOffRule: ['i32', 'coalesce(drop_off_booking_index, -1)'],
      isFixed: ['u8', 'is_fixed::int'],
    },
    'from all_on_demand_calls order by on_demand_index, stop_sequence, is_fixed',
    rows,
  );
}

/** @param owners sorted */
function countBy(owners: Int32Array, count: number): Int32Array {
  const counts = new Int32Array(count);
  for (const owner of owners) counts[owner]! += 1;
  return counts;
}

function findFirst(counts: ArrayLike<number>): Int32Array {
  const first = new Int32Array(counts.length);
  for (let i = 1; i < counts.length; i++) first[i] = first[i - 1]! + counts[i - 1]!;
  return first;
}
