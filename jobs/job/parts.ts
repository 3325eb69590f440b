import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import type { Metrics } from '../../pipeline/metrics/metrics.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import type { MapsOutcome, MapsRequest } from '../../pipeline/network-maps/build-network-maps.ts';
import type { LearnOutcome, LearnRequest } from '../../pipeline/predictions/learning/learn-source.ts';
import type { PollingRequest } from '../../pipeline/realtime/polling/poll-here.ts';
import type { PolledSourceState } from '../../pipeline/realtime/polling/realtime-sink.ts';
import type { PastRequest, WrittenDay } from '../../pipeline/sample/write-past.ts';
import type { IngestOutcome } from '../../pipeline/timetable/ingest-timetable.ts';
import type { Feed } from './job.ts';

export interface IngestRequest {
  /** All feeds of the timetable. */
  readonly sources: readonly Feed[];
  /** Sources to fetch now; the others stay in the timetable unchanged. */
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
  /** Start of the replay. */
  readonly at: Instant;
  /** Answers fetched at or after `from` and before `to` are played. */
  readonly from: Instant;
  readonly to: Instant;
}

/** A running api. */
export interface RunningApi extends RunningServer {
  /** Why it should get no requests at present, in a few words; null: it answers. */
  findTrouble?(): string | null;
}

/** A server of this process. */
export interface RunningServer {
  /** Address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The large parts that commands combine. They load only when a command uses them, so that `--help` does not load the
 * database engine; tests pass their own.
 */
export interface Parts {
  ingestTimetable(request: IngestRequest, effects: Effects): Promise<IngestOutcome>;
  /** Draws and publishes the network maps of the published timetable; the signal ends it after the current map. */
  buildNetworkMaps(request: MapsRequest, effects: Effects, signal?: AbortSignal): Promise<MapsOutcome>;
  /** Writes the zip of the sample feed as of a day. */
  writeSample(file: string, today: ServiceDate): Promise<void>;
  /** Writes archives of simulated past days of the sample; the signal ends it after the current day. */
  writeSamplePast(request: PastRequest, effects: Effects, signal?: AbortSignal): Promise<readonly WrittenDay[]>;
  /** Builds features of past days, or trains on them. */
  learn(request: LearnRequest, effects: Effects, signal?: AbortSignal): Promise<LearnOutcome>;
  /**
   * Starts the api on the published snapshots; it switches to newer ones by itself.
   * @param polled the realtime sources that this process or another one polls
   */
  startApi(
    config: Config,
    effects: Effects & { readonly metrics?: Metrics },
    polled: readonly ConfiguredSource[],
  ): Promise<RunningApi>;
  /**
   * Polls realtime sources and publishes their reports.
   * @returns the states of the sources at the end
   */
  pollRealtime(request: PollingRequest, effects: Effects): Promise<readonly PolledSourceState[]>;
  /** When the first stored answer of these sources was fetched, at or after `from` and before `to`; null: none is. */
  findFirstAnswer(dataDir: string, sources: readonly SourceId[], from: Instant, to: Instant): Promise<Instant | null>;
  /** Serves a past time as it was known then; `effects.clock` defines its course. */
  startReplay(request: ReplayRequest, effects: Effects & { readonly metrics?: Metrics }): Promise<RunningApi>;
  /** Starts the simulated upstream of the sample, which uses the protocols of the real ones. */
  startSampleUpstream(config: Config, effects: Effects): Promise<RunningServer>;
}
