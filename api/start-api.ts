import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Clock, nowInstant } from '../pipeline/effects/clock.ts';
import type { Log } from '../pipeline/effects/log.ts';
import { hashRunningCode, readProjectFile } from '../pipeline/effects/project-files.ts';
import { isLogPretty, prettyLines } from '../pipeline/effects/service-log.ts';
import type { SqlConnection } from '../pipeline/effects/sql-store/sql-database.ts';
import type { ThreadMonitor } from '../pipeline/effects/thread-memory.ts';
import { isSystemError, WorldError } from '../pipeline/effects/world-error.ts';
import type { PunctualityDefinition } from '../pipeline/history/snapshot/history-contract.ts';
import type { Metrics } from '../pipeline/metrics/metrics.ts';
import { METRO_STATIONS, parseMetroStations } from '../pipeline/model/metro-stations.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../pipeline/realtime/snapshot/realtime-files.ts';
import { openDemandWriter } from '../pipeline/realtime/snapshot/vehicle-demand-files.ts';
import { type OpenWalkRouter, openWalkRouter } from '../pipeline/streets/open-walk-router.ts';
import {
  findCurrentTimetableId,
  readSourceChecks,
  readTimetableSnapshot,
} from '../pipeline/timetable/snapshot/timetable-files.ts';
import { holdAnnouncements } from './announcements.ts';
import { type AppOptions, buildApp } from './app.ts';
import { describeSite } from './describe-site.ts';
import { openRealtime, type Published, type Realtime, withoutPredictions } from './engine/read/realtime.ts';
import { createReferences, type JourneyName } from './engine/read/references.ts';
import type { AwaitedSource } from './engine/read/source-states.ts';
import { makeIndexes, openTimetable, type Timetable } from './engine/read/timetable.ts';
import { warmUp } from './engine/warm-up.ts';
import { allHandlers } from './handlers.ts';
import type { HistoryLimits } from './history/history-engine.ts';
import { holdFigures } from './history/hold-figures.ts';
import { holdHistory, type TrinoSettings } from './history/hold-history.ts';
import type { History } from './history/open-history.ts';
import type { AnsweredBy } from './history/trino-reader.ts';
import { measureApi, measureLoads } from './measure-api.ts';
import { holdNetworkMaps } from './network-maps.ts';
import { createThreadPlanning, followSnapshots, planHere } from './planning/create-planning.ts';
import type { Planning } from './planning/planning.ts';
import { pairSnapshots } from './plugins/paired-snapshots.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';
import { type PushSettings, startPushing } from './push/start-pushing.ts';
import { getVapidKeys, type VapidKeys } from './push/vapid-keys.ts';
import { withOwnKeys } from './push/with-own-keys.ts';
import { getReferenceKey } from './reference-key.ts';
import type { HistoryService, Service, SourceCredit } from './routes/service.ts';
import { type RunningServer, startServer } from './server.ts';
import { fingerprint, fingerprintKeys } from './shared-keys.ts';
import { listSiteRoutes } from './site/data/site-routes.ts';
import { allowEndpoints } from './watches/push-endpoint.ts';
import { measureWatches } from './watches/service/measure-watches.ts';
import { followWithWatches, watchHere, watchInThread } from './watches/service/start-watches.ts';
import { type FindOptions, tellOptions } from './watches/service/tell-options.ts';
import type { WatchService } from './watches/service/watch-service.ts';
import { serveWatches } from './watches/service/watches.ts';
import { findOtherKeys } from './watches/store/key-rows.ts';
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
    /** null: one fewer than there are cores; 0: plans in the thread that serves HTTP. */
    readonly threads: number | null;
    readonly maxQueued: number;
    readonly timeLimitSeconds: number;
    readonly startLimitSeconds: number;
  };
  readonly timetable: { readonly maxAgeHours: number };
  readonly history: HistoryLimits & PunctualityDefinition & { readonly maxAgeHours: number };
  readonly predictions: { readonly paused: boolean };
  readonly watches: WatchLimits &
    PushSettings & {
      /** SQLite; a relative path is in the data folder. */
      readonly file: string;
      /** Instead of the file; null: none. */
      readonly postgresUrl: string | null;
      /** Private key of pushes, base64url; null: that of the data folder. */
      readonly vapidKey: string | null;
    };
  /** A relative path is in the data folder. */
  readonly announcements: { readonly file: string };
  /** Pictures below the lines of the map; null: none. */
  readonly map: { readonly tilesUrl: string | null; readonly tilesAttribution: string | null };
  /** Publishers of timetables. */
  readonly sources: readonly ({ readonly id: string; readonly isMadeUp?: boolean } & SourceCredit)[];
  /** Publishers of realtime. `archive`: what its licence allows to be kept. */
  readonly realtime: readonly { readonly id: string; readonly archive: 'full' | 'none' }[];
}

/** Longer than a board takes; a connection that no request uses then is closed without an answer. */
const DRAIN_MILLISECONDS = 500;

interface ApiEffects {
  readonly clock: Clock;
  readonly log: Log;
  readonly threadMonitor?: ThreadMonitor | undefined;
  /** Counts what the service does; absent: nothing is counted. */
  readonly metrics?: Metrics | undefined;
}

export interface RunningApi extends RunningServer {
  /** Why it should get no requests at present, in a few words; null: it answers. */
  findTrouble(): string | null;
}

/** A published poll is served within a second. */
const REALTIME_CHECK_MILLISECONDS = 500;

/** The trip and service date that a journey reference of this service names; null for any other text. */
export async function openJourneyReference(
  { dataDir, referenceKey }: Pick<ApiConfig, 'dataDir' | 'referenceKey'>,
  text: string,
): Promise<JourneyName | null> {
  return createReferences(await getReferenceKey(referenceKey, dataDir)).openJourney(text);
}

/** The public key that apps subscribe to pushes with, base64url. The keys are made where there are none. */
export async function readPushKey({ dataDir, watches }: Pick<ApiConfig, 'dataDir' | 'watches'>): Promise<string> {
  return (await getVapidKeys(watches.vapidKey, dataDir)).publicKey;
}

/**
 * Which of the configured keys are others than those of the replicas on the database of the watches. Keys of a data folder
 * are not looked at: this one may be of a machine that serves nothing.
 * @throws WorldError `watch_store_failed`
 */
export async function findDifferingKeys(
  { dataDir, referenceKey, watches }: Pick<ApiConfig, 'dataDir' | 'referenceKey' | 'watches'>,
  connection: SqlConnection,
): Promise<readonly string[]> {
  const { vapidKey } = watches;
  return findOtherKeys(connection, {
    ...(vapidKey === null
      ? {}
      : { 'watches.vapidKey': fingerprint((await getVapidKeys(vapidKey, dataDir)).publicKey) }),
    ...(referenceKey === null ? {} : { referenceKey: fingerprint(await getReferenceKey(referenceKey, dataDir)) }),
  });
}

/**
 * Starts the service on the snapshots published in the data folder; newer ones replace them while it runs.
 * @param awaitedSources the realtime sources that a poller of this folder polls
 */
export async function startApi(
  config: ApiConfig,
  effects: ApiEffects,
  awaitedSources: readonly AwaitedSource[] = [],
): Promise<RunningApi> {
  const { dataDir, limits } = config;
  const startedAt = nowInstant(effects.clock);
  const key = await getReferenceKey(config.referenceKey, dataDir);
  const vapidKeys = await getVapidKeys(config.watches.vapidKey, dataDir);
  const realtimes = await holdRealtime(config, effects);
  const { timetables, getSourceChecks } = await holdTimetable(dataDir, effects);
  const onLoad = measureLoads(effects.metrics, 'history');
  const onAnswer = (engine: AnsweredBy) => effects.metrics?.counters.historyAnswers.add({ engine });
  const trino = config.engine === 'trino' ? { ...config.trino, url: config.trino.url! } : null;
  const histories = await holdHistory(dataDir, config.history, { ...effects, onLoad, onAnswer }, trino);
  const figures = await holdFigures(dataDir, histories, effects);
  const announcements = await holdAnnouncements(path.resolve(dataDir, config.announcements.file), effects.log);
  const networkMaps = await holdNetworkMaps(dataDir, effects.log);
  const snapshots = pairSnapshots(timetables, realtimes, effects.clock);
  const walks = await openWalkRouter(dataDir, effects.log);
  const vehicleDemands = openDemandWriter(dataDir, effects);
  const planning = await openPlanning(config, key, walks, effects);
  const following = await followSnapshots(planning, snapshots, timetables);
  const watching = startWatching(config, { snapshots, planning, vapidKeys, referenceKey: key }, effects);
  const close = async () => {
    following.stop();
    await watching.close();
    const held = [timetables, realtimes, histories, figures, announcements, networkMaps];
    await Promise.all([...held, planning, vehicleDemands].map((one) => one.close()));
  };
  const first = timetables.current();
  if (first) warmUp(first.value);
  if (effects.metrics) {
    measureApi(effects.metrics, { clock: effects.clock, timetables, realtimes, histories, planning });
  }
  const service: Service = {
    clock: effects.clock,
    references: createReferences(key),
    planning,
    getSourceChecks,
    getRealtimeSources: () => realtimes.current()?.value.manifest.sources ?? [],
    awaitedSources,
    startedAt,
    timetableCredits: new Map(config.sources.map((source) => [source.id, source])),
    vehicleDemands,
    metroStations: await readMetroStations(),
    timetableMaxAgeSeconds: config.timetable.maxAgeHours * 3600,
    history: describeHistory(config, histories),
    predictions: {
      isPaused: config.predictions.paused,
      figures,
      listModels: () => realtimes.current()?.value.manifest.models ?? [],
    },
    watches: serveWatches(watching.service, key),
    isEndpointAllowed: allowEndpoints(config.watches),
    announcements,
    networkMaps,
  };
  const options: AppOptions<Published> = {
    clock: effects.clock,
    snapshots,
    handlers: allHandlers(service),
    siteRoutes: listSiteRoutes(service),
    answersVersion: await nameAnswers(config, key),
    fairUse: config.fairUse,
    site: await describeSite(
      config,
      { timetables, realtimes, histories, announcements, networkMaps, hasStreets: walks !== null },
      effects,
    ),
    limits: {
      bodyBytes: limits.bodyBytes,
      urlBytes: limits.urlBytes,
      headerBytes: limits.headerBytes,
      requestMilliseconds: limits.requestTimeoutSeconds * 1000,
    },
    metrics: effects.metrics,
    responseCacheBytes: config.responseCache.maxBytes,
    // stdout is reserved for the results of commands.
    logger: config.logLevel === 'silent' ? false : { level: config.logLevel, stream: openLogStream(config) },
    ...(config.trustProxy === null ? {} : { trustProxy: config.trustProxy }),
  };
  const app = await buildApp(options);
  const server = await listen(app, config, close);
  return {
    url: server.url,
    findTrouble: () => (snapshots.current() === null ? 'no timetable is published yet' : null),
    close: async () => {
      await server.close();
      await close();
    },
  };
}

function openLogStream({ logFormat }: ApiConfig) {
  return isLogPretty(logFormat, process.stderr) ? prettyLines(process.stderr) : process.stderr;
}

/** Holds the timetable that was last published, and when each of its sources was last checked. */
async function holdTimetable(dataDir: string, { log, metrics }: Pick<ApiEffects, 'log' | 'metrics'>) {
  // Read with the pointer, once a second, so that no request waits for the disk.
  let sourceChecks: Readonly<Record<string, string>> = {};
  const timetables = await holdSnapshot<Timetable>(
    {
      readCurrentId: async () => {
        // An unreadable file does not make the timetable unusable: its sources then count as never checked.
        sourceChecks = await readSourceChecks(dataDir).catch(() => ({}));
        return findCurrentTimetableId(dataDir);
      },
      read: async () => {
        const id = await findCurrentTimetableId(dataDir);
        if (id === null) return null;
        const value = openTimetable(await readTimetableSnapshot(dataDir, id));
        makeIndexes(value);
        return { id, value };
      },
    },
    { log, onLoad: measureLoads(metrics, 'timetable') },
  );
  return { timetables, getSourceChecks: () => sourceChecks };
}

/** Plans in worker threads, or in this one when `planner.threads` is 0. */
async function openPlanning(
  { planner }: ApiConfig,
  referenceKey: Uint8Array,
  walks: OpenWalkRouter | null,
  { clock, log, threadMonitor }: ApiEffects,
): Promise<Planning> {
  const threads = planner.threads ?? Math.max(1, availableParallelism() - 1);
  const limits = { ...planner, threads };
  if (threads > 0) {
    const file = new URL('./planning/planner-thread.js', import.meta.url);
    return createThreadPlanning({ limits, log, file, referenceKey, walks, clock, threadMonitor });
  }
  return planHere({ limits, log, references: createReferences(referenceKey), walks });
}

interface WatchingParts {
  readonly snapshots: SnapshotHolder<Published>;
  readonly planning: Planning;
  readonly vapidKeys: VapidKeys;
  readonly referenceKey: Uint8Array;
}

/** Keeps the watches, judges them by each new pair of snapshots, looks for their options, and pushes their events. */
function startWatching(
  config: ApiConfig,
  { snapshots, planning, vapidKeys: keys, referenceKey }: WatchingParts,
  effects: ApiEffects,
) {
  const service = openWatches(config, effects);
  const findOptions: FindOptions = async (body) => {
    const bytes = await planning.answer({ kind: 'rescue', body }, snapshots.current(), nowInstant(effects.clock));
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const following = followWithWatches(service, snapshots, effects, () => tellOptions(service, findOptions));
  // The keys of a folder of its own may be made anew; those of several replicas are the same.
  const isShared = config.watches.postgresUrl !== null;
  const outbox = isShared ? withOwnKeys(service, fingerprintKeys(keys, referenceKey), effects.log) : service;
  const pushing = startPushing(outbox, { keys, settings: config.watches, publicUrl: config.publicUrl }, effects);
  return {
    service,
    async close() {
      await Promise.all([following.stop(), pushing.stop()]);
      await service.close();
    },
  };
}

/** Watches are judged in a thread, or in this one when `planner.threads` is 0. */
function openWatches({ dataDir, planner, watches }: ApiConfig, effects: ApiEffects): WatchService {
  const { file, postgresUrl, maxTotal, maxPerAddress, maxPerToken } = watches;
  const limits = { maxTotal, maxPerAddress, maxPerToken };
  const start = { store: { file: path.resolve(dataDir, file), postgresUrl }, limits };
  const service =
    planner.threads === 0
      ? watchHere(start, effects)
      : watchInThread(new URL('./watches/service/watch-thread.js', import.meta.url), start, effects);
  return effects.metrics ? measureWatches(service, effects.metrics) : service;
}

/** Holds the realtime snapshot that the poller last published. */
async function holdRealtime(
  { dataDir, predictions }: ApiConfig,
  { log, metrics }: Pick<ApiEffects, 'log' | 'metrics'>,
): Promise<LiveSnapshotHolder<Realtime>> {
  let before: Realtime | null = null;
  return holdSnapshot<Realtime>(
    {
      readCurrentId: async () => (await findCurrentRealtime(dataDir))?.id ?? null,
      read: async () => {
        const pointer = await findCurrentRealtime(dataDir);
        if (!pointer) return null;
        const snapshot = await readRealtimeSnapshot(dataDir, pointer.id);
        const value = openRealtime(predictions.paused ? withoutPredictions(snapshot) : snapshot, before);
        before = value;
        return { id: pointer.id, value };
      },
    },
    { log, checkMilliseconds: REALTIME_CHECK_MILLISECONDS, onLoad: measureLoads(metrics, 'realtime') },
  );
}

function describeHistory(
  { history, sources, realtime }: ApiConfig,
  snapshots: SnapshotHolder<History>,
): HistoryService {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, maxAgeHours } = history;
  // A source that must not be archived is served live and has no history.
  const kept = [...sources, ...realtime.filter(({ archive }) => archive === 'full')];
  return {
    snapshots,
    definition: { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds },
    sources: new Set(kept.map(({ id }) => id)),
    maxAgeSeconds: maxAgeHours * 3600,
  };
}

async function readMetroStations(): Promise<ReadonlySet<number>> {
  return new Set(parseMetroStations(await readProjectFile(METRO_STATIONS)).map(({ diva }) => diva));
}

/** @throws WorldError `port_in_use`, `port_not_allowed`, after closing everything that was opened */
async function listen(app: FastifyInstance, { host, port, shutdown }: ApiConfig, close: () => Promise<void>) {
  const acceptMilliseconds = shutdown.drainSeconds * 1000;
  try {
    return await startServer({ app, host, port, acceptMilliseconds, drainMilliseconds: DRAIN_MILLISECONDS });
  } catch (cause) {
    await close();
    await app.close();
    if (isSystemError(cause, 'EADDRINUSE')) {
      throw new WorldError('port_in_use', `port ${port} is taken by another program; choose one with --port`, {
        cause,
      });
    }
    if (isSystemError(cause, 'EACCES')) {
      throw new WorldError('port_not_allowed', `port ${port} may not be used; choose one above 1023`, { cause });
    }
    throw cause;
  }
}

/** Hashes code, key and what the configuration hides: replicas that share these share their entity tags. */
async function nameAnswers({ predictions }: ApiConfig, key: Uint8Array): Promise<string> {
  const code = await hashRunningCode();
  const hidden = predictions.paused ? 'without predictions ' : '';
  return createHash('sha256').update(`answers ${code} ${hidden}`).update(key).digest('hex').slice(0, 16);
}
