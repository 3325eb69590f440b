import { isCoordinate, isInRing } from '../../../pipeline/model/geo.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Point } from '../../../pipeline/streets/walk-router.ts';
import { buildNearbyIndex, type NearbyIndex } from './nearby.ts';

// Where on-demand service picks up and drops off: zones, groups of stops, and stops within time windows.

/** Areas of on-demand service; built on first use. */
export interface OnDemandAreas {
  /** Row of `onDemandTrips` by row of `onDemandCalls`. */
  readonly tripOfCall: Int32Array;
  /** Calls at a single stop or a group of stops, by each of these stops and their stations. */
  readonly callsAtStop: ReadonlyMap<number, readonly number[]>;
  readonly callsInZone: readonly (readonly number[])[];
  /** The stops of these calls by location, in the order of rows; those of scheduled trips too. */
  readonly meetingPoints: NearbyIndex;
  /** Stops with scheduled service within a zone. */
  listStopsInZone(zone: number): readonly number[];
}

/** A place where on-demand service may pick up or drop off. */
export interface Spot {
  /** Row of `stops`, or -1. */
  readonly stop: number;
  /** `null` if unknown. */
  readonly point: Point | null;
}

/** @returns `null` for a timetable without on-demand service */
export function openOnDemandAreas(tables: TimetableTables): OnDemandAreas | null {
  const { onDemandTrips, onDemandCalls, onDemandZones } = tables;
  if (onDemandTrips.route.length === 0) return null;
  const tripOfCall = new Int32Array(onDemandCalls.zone.length);
  for (let trip = 0; trip < onDemandTrips.route.length; trip++) {
    const first = onDemandTrips.firstCall[trip]!;
    tripOfCall.fill(trip, first, first + onDemandTrips.callCount[trip]!);
  }
  const callsAtStop = new Map<number, number[]>();
  const named = new Set<number>();
  const callsInZone = Array.from(onDemandZones.south, (): number[] => []);
  for (let call = 0; call < tripOfCall.length; call++) {
    if (onDemandCalls.zone[call]! >= 0) callsInZone[onDemandCalls.zone[call]!]!.push(call);
    const stops = listStops(tables, call);
    for (const stop of stops) named.add(stop);
    for (const stop of withStations(tables, stops)) {
      const known = callsAtStop.get(stop);
      if (known) known.push(call);
      else callsAtStop.set(stop, [call]);
    }
  }
  const stopsInZone = new Map<number, readonly number[]>();
  return {
    tripOfCall,
    callsAtStop,
    callsInZone,
    meetingPoints: indexStops(tables, named),
    listStopsInZone(zone) {
      const found = stopsInZone.get(zone) ?? findStopsInZone(tables, zone);
      stopsInZone.set(zone, found);
      return found;
    },
  };
}

/** The stops of a call that is not in a zone; a station stands for all of its platforms. */
export function listStops(
  { onDemandCalls, onDemandGroups, onDemandGroupStops, stops, members }: TimetableTables,
  call: number,
): number[] {
  const group = onDemandCalls.group[call]!;
  const named = group < 0 ? [onDemandCalls.stop[call]!] : Array.from(sliceGroup(group));
  return named.flatMap((stop) => {
    if (stop < 0) return [];
    const first = stops.firstMember[stop]!;
    return [...new Set([stop, ...members.stop.subarray(first, first + stops.memberCount[stop]!)])];
  });

  function sliceGroup(row: number): Int32Array {
    const first = onDemandGroups.firstStop[row]!;
    return onDemandGroupStops.stop.subarray(first, first + onDemandGroups.stopCount[row]!);
  }
}

function indexStops({ stops }: TimetableTables, named: ReadonlySet<number>): NearbyIndex {
  return buildNearbyIndex(
    stops.lat.map((lat, stop) => (named.has(stop) ? lat : Number.NaN)),
    stops.lon,
  );
}

function withStations(tables: TimetableTables, stops: readonly number[]): Set<number> {
  return new Set(stops.flatMap((stop) => [stop, tables.stops.station[stop]!]));
}

function findStopsInZone(tables: TimetableTables, zone: number): number[] {
  const { lat, lon, stopCallCount } = tables.stops;
  const found: number[] = [];
  for (let stop = 0; stop < lat.length; stop++) {
    if (stopCallCount[stop]! > 0 && isInZone(tables, zone, { lat: lat[stop]!, lon: lon[stop]! })) found.push(stop);
  }
  return found;
}

/** The on-demand calls at a place, in row order. */
export function findCallsAt(areas: OnDemandAreas, tables: TimetableTables, { stop, point }: Spot): number[] {
  const found = [...(areas.callsAtStop.get(stop) ?? [])];
  if (point !== null) {
    areas.callsInZone.forEach((calls, zone) => {
      if (calls.length > 0 && isInZone(tables, zone, point)) found.push(...calls);
    });
  }
  return found.sort((a, b) => a - b);
}

/** Whether an odd number of the rings of a zone encloses a point. */
function isInZone(tables: TimetableTables, zone: number, { lat, lon }: Point): boolean {
  const { onDemandZones, onDemandRings, onDemandPoints } = tables;
  const { south, north, west, east, firstRing, ringCount } = onDemandZones;
  if (!isCoordinate(lat, lon)) return false;
  if (lat < south[zone]! || lat > north[zone]! || lon < west[zone]! || lon > east[zone]!) return false;
  const point = [lon * COORDINATE_FACTOR, lat * COORDINATE_FACTOR] as const;
  let isInside = false;
  for (let ring = firstRing[zone]!; ring < firstRing[zone]! + ringCount[zone]!; ring++) {
    const first = onDemandRings.firstPoint[ring]!;
    const vertexAt = (i: number) => [onDemandPoints.lon[first + i]!, onDemandPoints.lat[first + i]!] as const;
    if (isInRing(point, onDemandRings.pointCount[ring]!, vertexAt)) isInside = !isInside;
  }
  return isInside;
}

const COORDINATE_FACTOR = 1e6;
