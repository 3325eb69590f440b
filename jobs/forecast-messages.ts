import type { LakeSettings } from '../pipeline/lake/observations/write-parts.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { ObservedRun, TripPrediction } from '../pipeline/model/prediction.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import type { ModelManifest } from '../pipeline/predictions/learning/model-store.ts';
import type { DatedTrip } from '../pipeline/predictions/live/forecaster.ts';

/** What a forecasting thread is started with. */
export interface ForecastStart {
  readonly dataDir: string;
  readonly models: readonly ModelManifest[];
  readonly settings: LakeSettings;
}

export type ToForecasts =
  | {
      readonly kind: 'hear';
      readonly number: number;
      readonly now: Instant;
      readonly runs: ReadonlyMap<SourceId, readonly ObservedRun[]>;
    }
  | { readonly kind: 'stop' };

export type FromForecasts =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'heard';
      readonly number: number;
      readonly predictions: readonly TripPrediction[];
      readonly over: ReadonlyMap<SourceId, readonly DatedTrip[]>;
    }
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'stopped' };
