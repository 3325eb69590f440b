import type { SourceId } from '../model/ids.ts';
import type { ObservedRun } from '../model/observed-run.ts';
import type { TripPrediction } from '../model/prediction.ts';
import type { EpochDay, Instant } from '../model/service-time.ts';
import type { PredictionModelState } from '../snapshots/realtime-contract.ts';

/** A trip on one service day. */
export interface ObservedName {
  readonly key: bigint;
  readonly day: EpochDay;
}

/** What sources have observed by now. */
export interface Observed {
  /** Dated trips of which something new was observed since the last time. */
  readonly changed: ReadonlyMap<SourceId, readonly ObservedName[]>;
  /** @param wanted all where it is left out */
  list(source: SourceId, wanted?: Iterable<ObservedName>): ObservedRun[];
}

/** Where trips under way are forecast: beside the polling, which never waits for it longer than a moment. */
export interface ForecastDesk {
  /** Tells what was observed, and waits a moment for what is forecast of it. */
  hear(observed: Observed, now: Instant): Promise<void>;
  /** What is forecast by now, of all sources. */
  list(): Iterable<TripPrediction>;
  models(): readonly PredictionModelState[];
  close(): Promise<void>;
}

/** Where nothing is forecast: a single round of polling, a replay, or predictions that are paused. */
export const noForecasts: ForecastDesk = {
  hear: async () => {},
  list: () => [],
  models: () => [],
  close: async () => {},
};
