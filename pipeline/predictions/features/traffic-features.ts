import type { DatedTripTable } from './dated-trip-table.ts';
import type { Traffic } from './traffic.ts';

/**
 * What was observed of other vehicles: mean delays of the last arrivals at the stop of the instant and at the one of the
 * row, the highest among the stops up to there, that of the route, the time lost on the legs up to there and the most on
 * one of them, and by how much a vehicle ahead is overdue at its next stop.
 */
export const trafficColumns = [
  'stop_delay_here',
  'stop_delay_there',
  'highest_stop_delay',
  'route_delay',
  'time_lost_ahead',
  'most_time_lost_ahead',
  'overdue_ahead',
] as const;

/** Walks call by call from an instant onwards, only as far as requested. */
export class TrafficWalk {
  readonly #table: DatedTripTable;
  readonly #traffic: Traffic;
  #call = 0;
  #at = 0;
  #delayHere = Number.NaN;
  #delayThere = Number.NaN;
  #highestDelay = Number.NaN;
  #routeDelay = Number.NaN;
  #lost = Number.NaN;
  #mostLost = Number.NaN;
  #overdue = 0;

  constructor(table: DatedTripTable, traffic: Traffic) {
    this.#table = table;
    this.#traffic = traffic;
  }

  /** @param at UTC seconds */
  start(datedTrip: number, call: number, at: number): void {
    const { stopDelays, routeDelays } = this.#traffic;
    this.#call = call;
    this.#at = at;
    this.#delayHere = stopDelays.mean(this.#table.stop[call]!, at);
    this.#routeDelay = routeDelays.mean(this.#table.route[datedTrip]!, at);
    this.#highestDelay = Number.NaN;
    this.#lost = Number.NaN;
    this.#mostLost = Number.NaN;
    this.#overdue = 0;
  }

  /** Continues to a later call. */
  walkTo(call: number): void {
    const { stopDelays, timeLost } = this.#traffic;
    const at = this.#at;
    while (this.#call < call) {
      this.#call++;
      const stop = this.#table.stop[this.#call]!;
      const delay = stopDelays.mean(stop, at);
      const lost = timeLost.mean(stop, at);
      this.#delayThere = delay;
      // An unknown value passes no comparison.
      if (!(this.#highestDelay >= delay) && !Number.isNaN(delay)) this.#highestDelay = delay;
      if (!Number.isNaN(lost)) {
        this.#lost = Number.isNaN(this.#lost) ? lost : this.#lost + lost;
        if (!(this.#mostLost >= lost)) this.#mostLost = lost;
      }
      this.#overdue = Math.max(this.#overdue, this.#traffic.findOverdue(this.#call, at));
    }
  }

  /** @param column where the first of `trafficColumns` goes */
  write(row: Float32Array, column: number): void {
    row[column] = this.#delayHere;
    row[column + 1] = this.#delayThere;
    row[column + 2] = this.#highestDelay;
    row[column + 3] = this.#routeDelay;
    row[column + 4] = this.#lost;
    row[column + 5] = this.#mostLost;
    row[column + 6] = this.#overdue;
  }
}
