import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { nowInstant } from '../pipeline/effects/clock.ts';
import { ExternalError, isSystemError } from '../pipeline/effects/external-error.ts';
import { hashRunningCode, readProjectFile } from '../pipeline/effects/project-files.ts';
import { isLogPretty, prettyLines } from '../pipeline/effects/service-log.ts';
import type { SqlConnection } from '../pipeline/effects/sql-store/sql-database.ts';
import { METRO_STATIONS, parseMetroStations } from '../pipeline/model/metro-stations.ts';
import { openDemandWriter } from '../pipeline/snapshots/vehicle-demand-files.ts';
import { type OpenWalkRouter, openWalkRouter } from '../pipeline/streets/open-walk-router.ts';
import { holdAnnouncements } from './announcements.ts';
import type { ApiConfig, ApiEffects } from './api-config.ts';
import { type AppOptions, buildApp } from './app.ts';
import { describeSite } from './describe-site.ts';
import type { Published } from './engine/read/realtime.ts';
import { createReferences, type JourneyName } from './engine/read/references.ts';
import type { AwaitedSource } from './engine/read/source-states.ts';
import { warmUp } from './engine/warm-up.ts';
import { allHandlers } from './handlers.ts';
import type { History } from './history/open-history.ts';
import type { AnsweredBy } from './history/trino-reader.ts';
import { holdHistory } from './history/watch-history.ts';
import { watchPredictionMetrics } from './history/watch-prediction-metrics.ts';
import { holdRealtime, holdTimetable } from './hold-published.ts';
import { measureApi, measureLoads } from './measure-api.ts';
import { holdNetworkMaps } from './network-maps.ts';
import { createThreadPlanning, followSnapshots, planHere } from './planning/create-planning.ts';
import type { Planning } from './planning/planning.ts';
import { pairSnapshots } from './plugins/paired-snapshots.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { getVapidKeys } from './push/vapid-keys.ts';
import { getReferenceKey } from './reference-key.ts';
import type { HistoryService, Service } from './routes/service.ts';
import { type RunningServer, startServer } from './server.ts';
import { fingerprint } from './shared-keys.ts';
import { listSiteRoutes } from './site/data/site-routes.ts';
import { startWatching } from './start-watching.ts';
import { allowEndpoints } from './watches/push-endpoint.ts';
import { serveWatches } from './watches/service/watches.ts';
import { findOtherKeys } from './watches/store/key-rows.ts';

/** Longer than a board takes; a connection that no request uses then is closed without an answer. */
const DRAIN_MILLISECONDS = 500;

export interface RunningApi extends RunningServer {
  /** Why it should get no requests at present, in a few words; null: it answers. */
  findTrouble(): string | null;
}

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
 * @throws ExternalError `watch_store_failed`
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
  const startedAt = nowInstant(effects.clock);
  const key = await getReferenceKey(config.referenceKey, config.dataDir);
  const parts = await openParts(config, key, effects);
  const first = parts.timetables.current();
  if (first) warmUp(first.value);
  if (effects.metrics) measureApi(effects.metrics, { clock: effects.clock, ...parts });
  const service = await describeService(config, parts, { clock: effects.clock, key, startedAt, awaitedSources });
  const app = await buildApp(await describeApp(config, parts, service, key, effects));
  const server = await listen(app, config, parts.close);
  return {
    url: server.url,
    findTrouble: () => (parts.snapshots.current() === null ? 'no timetable is published yet' : null),
    close: async () => {
      await server.close();
      await parts.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** What the service answers from. */
async function openParts(config: ApiConfig, key: Uint8Array, effects: ApiEffects) {
  const { dataDir } = config;
  const vapidKeys = await getVapidKeys(config.watches.vapidKey, dataDir);
  const realtimes = await holdRealtime(config, effects);
  const { timetables, getSourceChecks } = await holdTimetable(dataDir, effects);
  const onLoad = measureLoads(effects.metrics, 'history');
  const onAnswer = (engine: AnsweredBy) => effects.metrics?.counters.historyAnswers.add({ engine });
  const trino = config.engine === 'trino' ? { ...config.trino, url: config.trino.url! } : null;
  const histories = await holdHistory(dataDir, config.history, { ...effects, onLoad, onAnswer }, trino);
  const predictionMetrics = await watchPredictionMetrics(dataDir, histories, effects);
  const announcements = await holdAnnouncements(path.resolve(dataDir, config.announcements.file), effects.log);
  const networkMaps = await holdNetworkMaps(dataDir, effects.log);
  const snapshots = pairSnapshots(timetables, realtimes, effects.clock);
  const walks = await openWalkRouter(dataDir, effects.log);
  const vehicleDemands = openDemandWriter(dataDir, effects);
  const planning = await openPlanning(config, key, walks, effects);
  const following = await followSnapshots(planning, snapshots, timetables);
  const watching = startWatching(config, { snapshots, planning, vapidKeys, referenceKey: key }, effects);
  const held = { timetables, realtimes, histories, predictionMetrics, announcements, networkMaps };
  return {
    ...held,
    getSourceChecks,
    snapshots,
    hasStreets: walks !== null,
    vehicleDemands,
    planning,
    watches: watching.service,
    async close() {
      following.stop();
      await watching.close();
      await Promise.all([...Object.values(held), planning, vehicleDemands].map((one) => one.close()));
    },
  };
}

interface ServiceFacts extends Pick<Service, 'clock' | 'startedAt' | 'awaitedSources'> {
  readonly key: Uint8Array;
}

/** What the routes ask. */
async function describeService(
  config: ApiConfig,
  { realtimes, histories, watches, ...parts }: Parts,
  { key, ...facts }: ServiceFacts,
): Promise<Service> {
  const { getSourceChecks, planning, vehicleDemands, predictionMetrics, announcements, networkMaps } = parts;
  return {
    ...facts,
    references: createReferences(key),
    planning,
    getSourceChecks,
    getRealtimeSources: () => realtimes.current()?.value.manifest.sources ?? [],
    configuredTimetables: listConfigured(config),
    timetableCredits: new Map(config.sources.map((source) => [source.id, source])),
    vehicleDemands,
    metroStations: await readMetroStations(),
    timetableMaxAgeSeconds: config.timetable.maxAgeHours * 3600,
    history: describeHistory(config, histories),
    predictions: {
      isPaused: config.predictions.paused,
      predictionMetrics,
      listModels: () => realtimes.current()?.value.manifest.models ?? [],
    },
    watches: serveWatches(watches, key),
    isEndpointAllowed: allowEndpoints(config.watches),
    announcements,
    networkMaps,
  };
}

/** The sample is no configured timetable: where feeds of the command line are served, it is not. */
function listConfigured({ sources }: ApiConfig): string[] {
  return sources.filter(({ isMadeUp }) => isMadeUp !== true).map(({ id }) => id);
}

/** What HTTP needs besides the routes. */
async function describeApp(
  config: ApiConfig,
  parts: Parts,
  service: Service,
  key: Uint8Array,
  effects: ApiEffects,
): Promise<AppOptions<Published>> {
  const { limits } = config;
  return {
    clock: effects.clock,
    snapshots: parts.snapshots,
    handlers: allHandlers(service),
    siteRoutes: listSiteRoutes(service),
    answersVersion: await nameAnswers(config, key),
    fairUse: config.fairUse,
    site: await describeSite(config, parts, effects),
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
}

function openLogStream({ logFormat }: ApiConfig) {
  return isLogPretty(logFormat, process.stderr) ? prettyLines(process.stderr) : process.stderr;
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

/** @throws ExternalError `port_in_use`, `port_not_allowed`, after closing everything that was opened */
async function listen(app: FastifyInstance, { host, port, shutdown }: ApiConfig, close: () => Promise<void>) {
  const acceptMilliseconds = shutdown.drainSeconds * 1000;
  try {
    return await startServer({ app, host, port, acceptMilliseconds, drainMilliseconds: DRAIN_MILLISECONDS });
  } catch (cause) {
    await close();
    await app.close();
    if (isSystemError(cause, 'EADDRINUSE')) {
      throw new ExternalError('port_in_use', `port ${port} is taken by another program; choose one with --port`, {
        cause,
      });
    }
    if (isSystemError(cause, 'EACCES')) {
      throw new ExternalError('port_not_allowed', `port ${port} may not be used; choose one above 1023`, { cause });
    }
    throw cause;
  }
}

/** Hashes code, key and what the configuration hides: replicas that share these share their entity tags. */
async function nameAnswers(config: ApiConfig, key: Uint8Array): Promise<string> {
  const code = await hashRunningCode();
  const hidden = config.predictions.paused ? 'without predictions ' : '';
  return createHash('sha256')
    .update(`answers ${code} ${hidden}${listConfigured(config).join()}`)
    .update(key)
    .digest('hex')
    .slice(0, 16);
}
