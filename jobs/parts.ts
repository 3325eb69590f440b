import type { Config } from '../pipeline/config/load-config.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { ServiceDate } from '../pipeline/model/service-time.ts';
import type { PolledSourceState } from '../pipeline/polling/realtime-sink.ts';
import type { IngestOutcome } from '../pipeline/snapshots/ingest-timetable.ts';
import type { ConfiguredSource } from '../pipeline/sources/configured-source.ts';
import type { Feed, JobEffects } from './job.ts';

export interface IngestRequest {
  /** All feeds of the timetable. */
  readonly sources: readonly Feed[];
  /** Those to be fetched now; the others stay in the timetable as they were. */
  readonly refresh: ReadonlySet<SourceId>;
  readonly dataDir: string;
  readonly config: Config;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

export interface PollingRequest {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
  /** How often every request is asked; null: until the signal aborts. */
  readonly rounds: number | null;
  readonly signal: AbortSignal;
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
  ingestTimetable(request: IngestRequest, effects: JobEffects): Promise<IngestOutcome>;
  /** Writes the zip of the made-up feed as it stands on a day. */
  writeSample(file: string, today: ServiceDate): Promise<void>;
  /** Starts the api on the published snapshots; it looks for newer ones by itself. */
  startApi(config: Config, effects: JobEffects): Promise<RunningServer>;
  /**
   * Asks realtime sources and publishes what they say.
   * @returns how the sources are doing at the end
   */
  pollRealtime(request: PollingRequest, effects: JobEffects): Promise<readonly PolledSourceState[]>;
  /** Starts the made-up upstream of the sample, which speaks like the real ones. */
  startSampleUpstream(config: Config, effects: JobEffects): Promise<RunningServer>;
}
