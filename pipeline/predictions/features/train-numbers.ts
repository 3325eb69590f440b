import type { DatedTripTable } from './dated-trip-table.ts';
import { numberPatterns } from './plan-index.ts';

/** An upper limit of the seconds between a departure and the midnight of its service day, in both directions. */
const DAY_SPAN = 2 ** 20;

/**
 * Numbers of trains: dated trips of one route with the same stops and the same planned time of day at the first stop
 * are one train. `trip_id` does not identify it, because many publishers renew it with each version of the timetable.
 * Two trips of a day that are equal in all three share one number, and with it their history.
 */
export class TrainNumbers {
  readonly #numbers = new Map<number, number>();

  /**
   * The number of a train; a new one gets the next number.
   * @param pattern see `PlanIndex.pattern`
   * @param departureOfDay planned departure in local clock seconds from the midnight of the service day
   */
  numberOf(pattern: number, departureOfDay: number): number {
    const key = pattern * 2 * DAY_SPAN + DAY_SPAN + departureOfDay;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get count(): number {
    return this.#numbers.size;
  }
}

/**
 * The table with its trips numbered by train.
 * @param departureOfDay by trip, see `TrainNumbers`
 */
export function numberTrains(table: DatedTripTable, departureOfDay: Int32Array): DatedTripTable {
  const trains = new TrainNumbers();
  const patterns = numberPatterns(table);
  const train = patterns.map((pattern, datedTrip) => trains.numberOf(pattern, departureOfDay[datedTrip]!));
  return { ...table, train, trainCount: trains.count };
}
