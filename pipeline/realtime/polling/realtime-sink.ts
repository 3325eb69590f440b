import type { GeoBox } from '../../model/geo.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ObservedRun, TripPrediction } from '../../model/prediction.ts';
import type { SourceUpdate } from '../../model/realtime.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import type { SourceFacts } from '../../sources/realtime-source.ts';
import type { PredictionModelState } from '../snapshot/realtime-contract.ts';

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
export interface ForecastService {
  /** Tells what was observed, and waits a moment for what is forecast of it. */
  hear(observed: Observed, now: Instant): Promise<void>;
  /** What is forecast by now, of all sources. */
  list(): Iterable<TripPrediction>;
  models(): readonly PredictionModelState[];
  close(): Promise<void>;
}

/** Where nothing is forecast: a single round of polling, a replay, or predictions that are paused. */
export const noForecasts: ForecastService = {
  hear: async () => {},
  list: () => [],
  models: () => [],
  close: async () => {},
};

/** An answer that could be read. */
export interface PolledAnswer {
  readonly sourceId: SourceId;
  readonly part: string;
  readonly fetchedAt: Instant;
  /** Name of its bytes in the raw store; null where the licence forbids to keep them. */
  readonly rawId: string | null;
  readonly update: SourceUpdate;
}

/** How one source is doing. */
export interface PolledSourceState {
  readonly id: SourceId;
  readonly kind: string;
  /** The timetable source that it names; null where it names none, see `findTimetables`. */
  readonly timetable: SourceId | null;
  /** Paused by ops on purpose. */
  readonly isStandby: boolean;
  /** When an answer last said something that may be shown as live; a frozen one does not count. */
  readonly lastSuccessAt: Instant | null;
  readonly lastAttemptAt: Instant | null;
  /** Parts of its requests that this poller has sent at least once. */
  readonly askedParts: readonly string[];
  /** Code of what is wrong right now; null: nothing. */
  readonly trouble: string | null;
  /** Attempts of this poller by what came of them: `applied`, `unchanged`, or a code of trouble. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly facts: SourceFacts;
  /** For a source that can be asked for areas of the map; null: it cannot. */
  readonly onDemand: {
    /** The budget allows no more. */
    readonly isCapped: boolean;
    /** Areas that are wanted and were answered, with the last time. */
    readonly areas: readonly { readonly box: GeoBox; readonly askedAt: Instant }[];
  } | null;
}

/** Where good answers go. Calls never overlap. */
export interface RealtimeSink {
  /** Applies an answer; durable when it returns. */
  apply(answer: PolledAnswer): Promise<void>;
  /** The publisher says that its last answer to this request still holds (304 Not Modified). */
  confirm(answer: Pick<PolledAnswer, 'sourceId' | 'part' | 'fetchedAt'>): Promise<void>;
  /** Takes over how the sources are doing, and publishes a snapshot if anything changed. */
  publish(states: readonly PolledSourceState[], now: Instant): Promise<void>;
  close(): Promise<void>;
}
