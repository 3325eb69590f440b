/**
 * How full a vehicle is: the values of GTFS-Realtime in its order, without NO_DATA_AVAILABLE, which is unknown.
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

/** An occupancy as a number, for typed arrays and stored rows; 0 if unknown. */
export function toOccupancyNumber(occupancy: Occupancy | null | undefined): number {
  return occupancy ? occupancies.indexOf(occupancy) + 1 : 0;
}

/** @returns `null` for 0 */
export function toOccupancy(number: number): Occupancy | null {
  return occupancies[number - 1] ?? null;
}
