/**
 * How full a vehicle is, with the names of GTFS-Realtime, in its order and without NO_DATA_AVAILABLE, which is nothing
 * known.
 * @see GTFS Realtime reference, "OccupancyStatus"
 */
export const occupancies = [
  'EMPTY',
  'MANY_SEATS_AVAILABLE',
  'FEW_SEATS_AVAILABLE',
  'STANDING_ROOM_ONLY',
  'CRUSHED_STANDING_ROOM_ONLY',
  'FULL',
  'NOT_ACCEPTING_PASSENGERS',
  'NOT_BOARDABLE',
] as const;

export type Occupancy = (typeof occupancies)[number];

/** An occupancy as a number, for typed arrays and stored rows: 0 where it is not known. */
export function toOccupancyNumber(occupancy: Occupancy | null | undefined): number {
  return occupancy ? occupancies.indexOf(occupancy) + 1 : 0;
}

/** @returns null for 0 */
export function toOccupancy(number: number): Occupancy | null {
  return occupancies[number - 1] ?? null;
}
