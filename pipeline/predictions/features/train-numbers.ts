import { numberPatterns } from './plan-index.ts';
import type { RunTable } from './run-table.ts';

/** More seconds than a departure can lie behind the midnight of its service day, and as many before it. */
const DAY_SPAN = 2 ** 20;

/**
 * Numbers of trains: what runs day after day on one route, with the same stops, and is to leave its first stop at the
 * same time of the day, is one train. Many publishers renew `trip_id` with each version of the timetable, so that says
 * nothing. Two trips of a day that are equal in all three share one number, and with it their history.
 */
export class TrainNumbers {
  readonly #numbers = new Map<number, number>();

  /**
   * The number of a train: the next one where it is new.
   * @param pattern see `PlanIndex.pattern`
   * @param departureOfDay seconds from the midnight of the service day, as local clocks show the planned departure
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
 * The table with its runs numbered by train.
 * @param departureOfDay by run, see `TrainNumbers`
 */
export function numberTrains(table: RunTable, departureOfDay: Int32Array): RunTable {
  const trains = new TrainNumbers();
  const patterns = numberPatterns(table);
  const train = patterns.map((pattern, run) => trains.numberOf(pattern, departureOfDay[run]!));
  return { ...table, train, trainCount: trains.count };
}
