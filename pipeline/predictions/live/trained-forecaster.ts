import type { StoredModel } from '../learning/model-store.ts';
import { type QuantileColumns, settlePrediction } from '../model/calibrate.ts';
import { kindOfPair, predictDelays } from '../model/delay-model.ts';
import type { PredictionRows, RowForecaster } from './prediction-rows.ts';

/** Forecasts by the model of the source alone, with the intervals as they were calibrated when it was trained. */
export class TrainedForecaster implements RowForecaster {
  readonly needsPast = true;
  readonly #stored: StoredModel;

  constructor(stored: StoredModel) {
    this.#stored = stored;
  }

  get modelId(): string {
    return this.#stored.manifest.id;
  }

  get gridSeconds(): number {
    return this.#stored.model.gridSeconds;
  }

  forecast(rows: PredictionRows): QuantileColumns {
    const { manifest, model } = this.#stored;
    const forecasts = predictDelays(model, rows);
    const settled = { low: forecasts.low.slice(), median: forecasts.median.slice(), high: forecasts.high.slice() };
    let row = 0;
    for (const { targets, isStanding } of rows.trips) {
      for (let target = 0; target < targets; target++, row++) {
        const kind = kindOfPair(rows.horizonSeconds[row]!, rows.current[row]!, isStanding);
        settlePrediction(forecasts, row, manifest.shifts[kind]!, model.gridSeconds, settled);
      }
    }
    const addOffsets = (quantile: Float32Array) => quantile.map((seconds, one) => seconds + rows.offsets[one]!);
    return { low: addOffsets(settled.low), median: addOffsets(settled.median), high: addOffsets(settled.high) };
  }

  observe(): void {}
}
