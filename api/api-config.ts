import type { Clock } from '../pipeline/effects/clock.ts';
import type { Log } from '../pipeline/effects/log.ts';
import type { OpenLake } from '../pipeline/effects/read-only-duckdb.ts';
import type { ThreadMonitor } from '../pipeline/effects/thread-memory.ts';
import type { Metrics } from '../pipeline/metrics/metrics.ts';
import type { PunctualityDefinition } from '../pipeline/snapshots/history-contract.ts';
import type { HistoryLimits } from './history/history-engine.ts';
import type { TrinoSettings } from './history/watch-history.ts';
import type { PushSettings } from './push/start-pushing.ts';
import type { SourceCredit } from './routes/service.ts';
import type { WatchLimits } from './watches/store/watch-store.ts';

/** Configuration of the service. */
export interface ApiConfig {
  readonly dataDir: string;
  readonly engine: 'duckdb' | 'trino';
  readonly trino: Omit<TrinoSettings, 'url'> & { readonly url: string | null };
  readonly host: string;
  readonly port: number;
  readonly shutdown: { readonly drainSeconds: number };
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Comma-separated proxies; null: none. */
  readonly trustProxy: string | null;
  readonly publicUrl: string | null;
  readonly referenceKey: string | null;
  readonly fairUse: { readonly unitsPerMinute: number; readonly burst: number };
  readonly limits: {
    readonly bodyBytes: number;
    readonly urlBytes: number;
    readonly headerBytes: number;
    readonly requestTimeoutSeconds: number;
  };
  readonly responseCache: { readonly maxBytes: number };
  readonly planner: {
    /** null: one less than the number of cores; 0: planning runs in the thread that serves HTTP. */
    readonly threads: number | null;
    readonly maxQueued: number;
    readonly timeLimitSeconds: number;
    readonly startLimitSeconds: number;
  };
  readonly timetable: { readonly maxAgeHours: number };
  readonly history: HistoryLimits & PunctualityDefinition & { readonly maxAgeHours: number };
  readonly predictions: { readonly isPaused: boolean };
  readonly watches: WatchLimits &
    PushSettings & {
      /** SQLite; a relative path is in the data folder. */
      readonly file: string;
      /** Replaces the file; null: the file is used. */
      readonly postgresUrl: string | null;
      /** Private key of pushes, base64url; null: that of the data folder. */
      readonly vapidKey: string | null;
    };
  readonly explore: { readonly clients: 'none' | 'loopback' | 'all' };
  /** A relative path is in the data folder. */
  readonly announcements: { readonly file: string };
  /** Pictures below the lines of the map; null: none. */
  readonly map: { readonly tilesUrl: string | null; readonly tilesAttribution: string | null };
  /** Publishers of timetables. `stopAfterValidity`: their licence forbids serving them after their last day. */
  readonly sources: readonly ({
    readonly id: string;
    readonly isMadeUp?: boolean;
    readonly stopAfterValidity?: boolean;
  } & SourceCredit)[];
  /** Publishers of realtime. `archive`: what its licence allows to be kept. */
  readonly realtime: readonly { readonly id: string; readonly archive: 'full' | 'none' }[];
}

export interface ApiEffects {
  readonly clock: Clock;
  readonly log: Log;
  readonly threadMonitor?: ThreadMonitor | undefined;
  /** Counts what the service does; absent: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Opens the lake for SQL queries; absent if this service has no lake. */
  readonly openLake?: OpenLake | undefined;
}
