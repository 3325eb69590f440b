import { type Occupancy, occupancies } from '../../model/occupancy.ts';
import { addProblem, type FeedReading } from './reading.ts';

/** A higher percentage is an error: no vehicle carries twice its capacity. */
const MAX_PERCENTAGE = 200;

/**
 * Lowest percentage of each status, for publishers that send only a percentage. 100 means that all seats and all
 * standing room are taken; about half of the capacity are seats.
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
 * @param place called only to report a problem
 * @returns `null` if unknown or invalid; problems: `unknown_occupancy`, `implausible_occupancy`
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
