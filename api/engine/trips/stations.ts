import { isCoordinate } from '../../../pipeline/model/geo.ts';
import type { Point } from '../../../pipeline/streets/street-path.ts';
import { findNearby } from '../read/nearby.ts';
import type { Timetable } from '../read/timetable.ts';
import { locateStop, type Places } from './places.ts';

/** Maximum number of stations in one distance matrix; the nearest ones count. */
export const MAX_STATIONS = 400;

/** A station or single stop, and its stops with service. */
export interface Station {
  readonly point: Point;
  readonly stops: readonly number[];
}

/** The nearest stations, nearest first. */
export function listStations({ timetable, served }: Places, { lat, lon }: Point, radiusMeters: number): Station[] {
  const { stops } = timetable.tables;
  const byStation = new Map<number, number[]>();
  for (const { entry } of findNearby(served, lat, lon, radiusMeters, Number.POSITIVE_INFINITY)) {
    const station = stops.station[entry]!;
    const known = byStation.get(station);
    if (known) known.push(entry);
    else if (byStation.size < MAX_STATIONS) byStation.set(station, [entry]);
  }
  return Array.from(byStation, ([station, own]) => ({ point: locate(timetable, station, own[0]!), stops: own }));
}

/** Coordinates of a station, else of one of its stops. */
function locate(timetable: Timetable, station: number, stop: number): Point {
  const { lat, lon } = timetable.tables.stops;
  return locateStop(timetable, isCoordinate(lat[station]!, lon[station]!) ? station : stop);
}
