import type { DelayQuantiles } from '../../model/delay-distribution.ts';
import { MAX_PREDICTION_AGE_SECONDS } from '../../model/prediction.ts';
import type { TransferFacts, TransferSide } from '../../snapshots/transfer-model/transfer-facts.ts';
import { complementUnobserved, type KnownEvent, toTransferSide } from '../../snapshots/transfer-model/trip-progress.ts';
import { type KnownSide, NEEDED_SECONDS, type TransferCases, transferOf } from './transfer-cases.ts';

/**
 * Published forecasts of the sides of cases.
 * @returns that of the delay at a call, from the last event of a side; null without one
 */
export type FindSidePrediction = (side: KnownSide, target: number, place: number) => DelayQuantiles | null;

/** Delays of past days at the event of a side. @returns null without any */
export type FindPast = (target: number, isDeparture: boolean) => DelayQuantiles | null;

/** Delay at the event of a side, as its source had published it. @returns null without a report */
export type FindReported = (target: number, isDeparture: boolean, place: number) => number | null;

/** Reads what was known of each case, as a service would pass it to its model. */
export class CaseFacts {
  readonly #cases: TransferCases;
  readonly #findForecast: FindSidePrediction;
  readonly #findPast: FindPast;
  readonly #findReported: FindReported;

  constructor(
    cases: TransferCases,
    findForecast: FindSidePrediction,
    findPast: FindPast = () => null,
    findReported: FindReported = () => null,
  ) {
    this.#cases = cases;
    this.#findForecast = findForecast;
    this.#findPast = findPast;
    this.#findReported = findReported;
  }

  get(place: number): TransferFacts {
    const { plannedSeconds, secondsToArrival, hour, dwellSeconds, transfers, arrival, departure } = this.#cases;
    const dwell = dwellSeconds[place]!;
    const transfer = transferOf(place);
    return {
      plannedSeconds: plannedSeconds[place]!,
      neededSeconds: NEEDED_SECONDS,
      secondsToArrival: secondsToArrival[place]!,
      hour: hour[place]!,
      dwellSeconds: Number.isNaN(dwell) ? null : dwell,
      arrival: this.#side(arrival, transfers.arrival[transfer]!, place, false),
      departure: this.#side(departure, transfers.departure[transfer]!, place, true),
    };
  }

  #side(side: KnownSide, target: number, place: number, isDeparture: boolean): TransferSide {
    const last = readLast(side, place);
    const known = toTransferSide({ last, overdueSeconds: side.overdue[place]! }, target, () =>
      last!.ageSeconds > MAX_PREDICTION_AGE_SECONDS ? null : this.#findForecast(side, target, place),
    );
    if (last) return known;
    const reported = this.#findReported(target, isDeparture, place);
    return complementUnobserved(known, reported, this.#findPast(target, isDeparture));
  }
}

function readLast({ call, isDeparture, delay, age }: KnownSide, place: number): KnownEvent | null {
  if (call[place]! < 0) return null;
  return {
    call: call[place]!,
    isDeparture: isDeparture[place] === 1,
    delaySeconds: delay[place]!,
    ageSeconds: age[place]!,
  };
}
