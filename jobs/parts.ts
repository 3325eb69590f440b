import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import type { Config } from '../pipeline/config/load-config.ts';
import type { Effects } from '../pipeline/effects/effects.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { Instant, ServiceDate } from '../pipeline/model/service-time.ts';
import type { LearnOutcome, LearnRequest } from '../pipeline/predictions/learning/learn-source.ts';
import type { PollingRequest } from '../pipeline/realtime/polling/poll-here.ts';
import type { PolledSourceState } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { PastRequest, WrittenDay } from '../pipeline/sample/write-past.ts';
import type { IngestOutcome } from '../pipeline/timetable/ingest-timetable.ts';
import type { Feed } from './job.ts';

export interface IngestRequest {
  /** All feeds of the timetable. */
  readonly sources: readonly Feed[];
  /** Those to be fetched now; the others stay in the timetable as they were. */
  readonly refresh: ReadonlySet<SourceId>;
  readonly dataDir: string;
  readonly config: Config;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly stopping?: AbortSignal | undefined;
}

export interface ReplayRequest {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
  /** The moment it begins with. */
  readonly at: Instant;
  /** Answers fetched at or after `from` and before `to` are played. */
  readonly from: Instant;
  readonly to: Instant;
}

/** A server of this process. */
export interface RunningServer {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The big parts that commands put together. They load only when a command uses them, so that `--help` need not wait
 * for a database engine; tests hand in their own.
 */
export interface Parts {
  ingestTimetable(request: IngestRequest, effects: Effects): Promise<IngestOutcome>;
  /** Writes the zip of the made-up feed as it stands on a day. */
  writeSample(file: string, today: ServiceDate): Promise<void>;
  /** Writes archives of how past days of the made-up country went; the signal ends it after the current day. */
  writeSamplePast(request: PastRequest, effects: Effects, signal?: AbortSignal): Promise<readonly WrittenDay[]>;
  /** Works out features of past days, or trains on them. */
  learn(request: LearnRequest, effects: Effects, signal?: AbortSignal): Promise<LearnOutcome>;
  /**
   * Starts the api on the published snapshots; it looks for newer ones by itself.
   * @param polled the realtime sources that are asked for it, by this process or another one
   */
  startApi(config: Config, effects: Effects, polled: readonly ConfiguredSource[]): Promise<RunningServer>;
  /**
   * Asks realtime sources and publishes what they say.
   * @returns how the sources are doing at the end
   */
  pollRealtime(request: PollingRequest, effects: Effects): Promise<readonly PolledSourceState[]>;
  /** When the first stored answer of these sources was fetched, at or after `from` and before `to`; null: none is. */
  findFirstAnswer(dataDir: string, sources: readonly SourceId[], from: Instant, to: Instant): Promise<Instant | null>;
  /** Serves a past time as it was known then; `effects.clock` says how it passes. */
  startReplay(request: ReplayRequest, effects: Effects): Promise<RunningServer>;
  /** Starts the made-up upstream of the sample, which speaks like the real ones. */
  startSampleUpstream(config: Config, effects: Effects): Promise<RunningServer>;
}
