import { isCoordinate } from '../../../pipeline/model/geo.ts';
import type { StationPunctuality } from '../../contract/site-stations.ts';
import { findStop, getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';

/** Counts of a stop, named by its feed. */
export interface StopCounts {
  readonly feed_source: string;
  readonly stop_id: string;
  readonly expected: number;
  readonly observed: number;
  readonly on_time: number;
}

/**
 * Adds up the counts of the stops of each station of a timetable. Stops that it lacks, and stations without coordinates or
 * an observed call, are left out.
 * @returns those with the most observed calls first
 */
export function sumByStation(timetable: Timetable, rows: readonly StopCounts[]): StationPunctuality[] {
  const { stops } = timetable.tables;
  const sums = new Map<number, { expected: number; observed: number; onTime: number }>();
  for (const { feed_source, stop_id, expected, observed, on_time } of rows) {
    const stop = findStop(timetable, `${feed_source}:${stop_id}`);
    if (stop === null) continue;
    const station = stops.station[stop]!;
    const sum = sums.get(station) ?? { expected: 0, observed: 0, onTime: 0 };
    sum.expected += expected;
    sum.observed += observed;
    sum.onTime += on_time;
    sums.set(station, sum);
  }
  return [...sums]
    .filter(([station, { observed }]) => observed > 0 && isCoordinate(stops.lat[station]!, stops.lon[station]!))
    .sort(([a, one], [b, other]) => other.observed - one.observed || a - b)
    .map(([station, sum]) => ({
      id: getStopId(timetable, station),
      name: stops.name.get(station),
      lat: round(stops.lat[station]!),
      lon: round(stops.lon[station]!),
      ...sum,
    }));
}

/** Metres. */
function round(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
