import type { Standpoint } from './report-features.ts';
import { findPosition, type PositionTable } from './snapshot-table.ts';

/** What the newest position of the vehicle says. */
export const positionColumns = [
  'position_delay',
  'position_age',
  'position_over_current',
  'position_over_least',
  'position_change',
  'position_step_seconds',
  'position_step_meters',
  'position_after_report',
] as const;

const METERS_PER_DEGREE = 111_200;

/** Writes the columns of `positionColumns`; NaN where nothing has been seen. */
export function writePosition(
  positions: PositionTable,
  here: Standpoint,
  planned: number,
  least: number,
  row: Float32Array,
): void {
  row.fill(Number.NaN);
  const newest = findPosition(positions, here.run, here.at);
  if (newest < 0) return;
  const delay = positions.delay[newest]!;
  row[0] = delay;
  row[1] = here.at - positions.seenAt[newest]!;
  row[2] = delay - here.current;
  row[3] = delay - least;
  row[7] = positions.seenAt[newest]! - (planned + here.current);
  if (newest === positions.start[here.run]) return;
  row[4] = delay - positions.delay[newest - 1]!;
  row[5] = positions.seenAt[newest]! - positions.seenAt[newest - 1]!;
  row[6] = metersBetween(positions, newest - 1, newest);
}

/** How old the newest position of the run is; infinite without one, or without a delay of it. */
export function positionAge(positions: PositionTable, run: number, at: number): number {
  const newest = findPosition(positions, run, at);
  return newest < 0 || Number.isNaN(positions.delay[newest]!)
    ? Number.POSITIVE_INFINITY
    : at - positions.seenAt[newest]!;
}

function metersBetween({ latitude, longitude }: PositionTable, one: number, other: number): number {
  const north = latitude[other]! - latitude[one]!;
  const east = (longitude[other]! - longitude[one]!) * Math.cos((latitude[one]! * Math.PI) / 180);
  return Math.hypot(north, east) * METERS_PER_DEGREE;
}
