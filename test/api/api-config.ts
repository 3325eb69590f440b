import type { ApiConfig } from '../../api/api-config.ts';
import { testWatchSettings } from '../support/fakes/test-watches.ts';

/** Configuration without threads, sources and fair use, on a free port. */
export function apiConfig(dataDir: string, changes: Partial<ApiConfig> = {}): ApiConfig {
  return {
    dataDir,
    engine: 'duckdb',
    trino: { url: null, catalog: 'iceberg', user: 'taktgeber', password: null, queryTimeLimitSeconds: 5 },
    host: '127.0.0.1',
    port: 0,
    shutdown: { drainSeconds: 0 },
    logLevel: 'silent',
    logFormat: 'auto',
    trustProxy: null,
    publicUrl: null,
    referenceKey: null,
    explore: { clients: 'loopback' },
    fairUse: { unitsPerMinute: 0, burst: 0 },
    limits: { bodyBytes: 262_144, urlBytes: 24_576, headerBytes: 16_384, requestTimeoutSeconds: 15 },
    responseCache: { maxBytes: 1_000_000 },
    planner: { threads: 0, maxQueued: 64, timeLimitSeconds: 8, startLimitSeconds: 60 },
    timetable: { maxAgeHours: 36 },
    history: {
      onTimeMaxDelaySeconds: 330,
      lateMinDelaySeconds: 600,
      earlyMinSeconds: -60,
      maxAgeHours: 36,
      threads: 1,
      maxConcurrent: 1,
      maxQueued: 8,
      timeLimitSeconds: 8,
      memoryLimit: '256MB',
    },
    predictions: { isPaused: false },
    watches: testWatchSettings,
    announcements: { file: 'announcements.yaml' },
    map: { tilesUrl: null, tilesAttribution: null },
    sources: [],
    realtime: [],
    ...changes,
  };
}
