import type { GeoBox } from '../../model/geo.ts';
import type { SourceId } from '../../model/ids.ts';
import type { SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { SourceFacts } from '../../sources/realtime-source.ts';

/** A parsed answer. */
export interface PolledAnswer {
  readonly sourceId: SourceId;
  readonly part: string;
  readonly fetchedAt: Instant;
  /** Name of its bytes in the raw store; null where the licence forbids to keep them. */
  readonly rawId: string | null;
  readonly update: SourceUpdate;
}

/** State of one source. */
export interface PolledSourceState {
  readonly id: SourceId;
  readonly kind: string;
  /** The configured timetable source; null where none is configured, see `findTimetables`. */
  readonly timetable: SourceId | null;
  /** Paused by operators. */
  readonly isStandby: boolean;
  /** Time of the last answer that may be shown as live; a frozen one does not count. */
  readonly lastSuccessAt: Instant | null;
  readonly lastAttemptAt: Instant | null;
  /** Parts of the requests that this poller has sent at least once. */
  readonly requestedParts: readonly string[];
  /** Code of the present trouble; null: none. */
  readonly trouble: string | null;
  /** Since when there is trouble, of whatever code. */
  readonly troubleSince: Instant | null;
  /** Requests are paused after failures in a row, but for one trial now and then. */
  readonly isCircuitOpen: boolean;
  /** Where its requests are redirected, for a source that reports that; absent: nowhere. */
  readonly redirectedTo?: string;
  /** Number of attempts of this poller by outcome: `applied`, `unchanged` or a code of trouble. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly facts: SourceFacts;
  /** For a source that supports requests per map area; null: it does not. */
  readonly onDemand: {
    /** The budget is spent. */
    readonly isCapped: boolean;
    /** Requested areas that were answered, with the time of the last answer. */
    readonly areas: readonly { readonly box: GeoBox; readonly requestedAt: Instant }[];
  } | null;
}

/** Receives parsed answers. Calls never overlap. */
export interface RealtimeSink {
  /** Applies an answer; durable when it returns. */
  apply(answer: PolledAnswer): Promise<void>;
  /** The publisher has confirmed its last answer to this request (304 Not Modified). */
  confirm(answer: Pick<PolledAnswer, 'sourceId' | 'part' | 'fetchedAt'>): Promise<void>;
  /** Takes the states of the sources, and publishes a snapshot if anything changed. */
  publish(states: readonly PolledSourceState[], now: Instant): Promise<void>;
  close(): Promise<void>;
}
