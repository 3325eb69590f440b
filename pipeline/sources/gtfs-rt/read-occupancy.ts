import { type Occupancy, occupancies } from '../../model/occupancy.ts';
import { addProblem, type FeedReading } from './reading.ts';

/** Above it the percentage is an error: vehicles are not twice as full as they were designed for. */
const MAX_PERCENTAGE = 200;

/**
 * Lowest percentage of each status, for publishers that give a percentage alone. 100 is all seats and all standing room,
 * and about half of that are seats.
 */
const statusByPercentage: readonly (readonly [from: number, status: Occupancy])[] = [
  [100, 'FULL'],
  [80, 'CRUSHED_STANDING_ROOM_ONLY'],
  [50, 'STANDING_ROOM_ONLY'],
  [30, 'FEW_SEATS_AVAILABLE'],
  [5, 'MANY_SEATS_AVAILABLE'],
  [0, 'EMPTY'],
];

/**
 * Reads how full a vehicle is; the status takes precedence over the percentage.
 * @param place called only for a problem
 * @returns null where nothing is known, and for an invalid value: `unknown_occupancy`, `implausible_occupancy`
 */
export function readOccupancy(
  reading: FeedReading,
  status: string | number | undefined,
  percentage: number | undefined,
  place: () => string,
): Occupancy | null {
  const named = occupancies.find((occupancy) => occupancy === status);
  if (named) return named;
  if (status !== undefined && status !== 'NO_DATA_AVAILABLE') {
    addProblem(reading, 'unknown_occupancy', place(), `occupancy_status ${status}`);
  }
  if (percentage === undefined) return null;
  if (percentage >= 0 && percentage <= MAX_PERCENTAGE) {
    return statusByPercentage.find(([from]) => percentage >= from)![1];
  }
  addProblem(reading, 'implausible_occupancy', place(), `occupancy_percentage ${percentage}`);
  return null;
}
