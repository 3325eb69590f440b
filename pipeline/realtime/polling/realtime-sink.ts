import type { GeoBox } from '../../model/geo.ts';
import type { SourceId } from '../../model/ids.ts';
import type { SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { SourceFacts } from '../../sources/realtime-source.ts';

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
