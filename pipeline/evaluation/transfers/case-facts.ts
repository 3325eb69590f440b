import type { DelayForecast } from '../../model/delay-distribution.ts';
import type { QuantileForecasts } from '../../predictions/model/calibrate.ts';
import type { TransferFacts, TransferSide } from '../../predictions/transfers/transfer-facts.ts';
import { findForecastRow, type SideFeatures } from './forecast-sides.ts';
import { NEEDED_SECONDS } from './read-transfers.ts';
import { type KnownSide, type TransferCases, transferOf } from './transfer-cases.ts';

/** Reads what was known of each case, as a service would pass it to its model. */
export class CaseFacts {
  readonly #cases: TransferCases;
  readonly #sides: SideFeatures;
  readonly #forecasts: QuantileForecasts;

  constructor(cases: TransferCases, sides: SideFeatures, forecasts: QuantileForecasts) {
    this.#cases = cases;
    this.#sides = sides;
    this.#forecasts = forecasts;
  }

  get(place: number): TransferFacts {
    const { plannedSeconds, minutes, hour, dwellSeconds, transfers, arrival, departure } = this.#cases;
    const dwell = dwellSeconds[place]!;
    const transfer = transferOf(place);
    return {
      plannedSeconds: plannedSeconds[place]!,
      neededSeconds: NEEDED_SECONDS,
      secondsToArrival: 60 * minutes[place]!,
      hour: hour[place]!,
      dwellSeconds: Number.isNaN(dwell) ? null : dwell,
      arrival: this.#side(arrival, transfers.arrival[transfer]!, place),
      departure: this.#side(departure, transfers.departure[transfer]!, place),
    };
  }

  #side(side: KnownSide, target: number, place: number): TransferSide {
    const overdueSeconds = side.overdue[place]!;
    const delaySeconds = side.delay[place]!;
    if (side.call[place]! < 0) return { forecast: null, observed: null, overdueSeconds };
    const observed = { delaySeconds, ageSeconds: side.age[place]! };
    if (side.call[place] !== target) return { forecast: this.#forecast(side, target, place), observed, overdueSeconds };
    return { forecast: { low: delaySeconds, median: delaySeconds, high: delaySeconds }, observed, overdueSeconds };
  }

  #forecast(side: KnownSide, target: number, place: number): DelayForecast | null {
    const row = findForecastRow(this.#sides, side, target, place);
    if (row < 0) return null;
    const { low, median, high } = this.#forecasts;
    return { low: low[row]!, median: median[row]!, high: high[row]! };
  }
}
