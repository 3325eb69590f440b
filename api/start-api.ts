import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { nowInstant } from '../pipeline/effects/clock.ts';
import { ExternalError, isSystemError } from '../pipeline/effects/external-error.ts';
import { findMemoryBytes } from '../pipeline/effects/machine-memory.ts';
import { hashRunningCode, moduleUrl, readProjectFile } from '../pipeline/effects/project-files.ts';
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
import type { HistoryReader } from './history/open-history.ts';
import type { AnsweredBy } from './history/trino-reader.ts';
import { holdHistory } from './history/watch-history.ts';
import { watchPredictionMetrics } from './history/watch-prediction-metrics.ts';
import { holdPlaces, holdRealtime, holdTimetable } from './hold-published.ts';
import { measureApi, measureLoads } from './measure-api.ts';
import { holdNetworkMaps } from './network-maps.ts';
import { choosePlannerThreadCount } from './planning/choose-thread-count.ts';
import { createThreadPlanning, followSnapshots, planHere } from './planning/create-planning.ts';
import type { Planning } from './planning/planning.ts';
import { withPlaces } from './planning/with-places.ts';
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

/** Longer than a board takes to answer; keep-alive connections that stay unused are then closed. */
const DRAIN_MILLISECONDS = 500;

export interface RunningApi extends RunningServer {
  /** Short reason why the service is not ready for requests; null: it is ready. */
  findTrouble(): string | null;
}

/** Decodes a journey reference of this service to a trip and service date; null for any other text. */
export async function openJourneyReference(
  { dataDir, referenceKey }: Pick<ApiConfig, 'dataDir' | 'referenceKey'>,
  text: string,
): Promise<JourneyName | null> {
  return createReferences(await getReferenceKey(referenceKey, dataDir)).openJourney(text);
}

/** Returns the public key with which apps subscribe to pushes, base64url. Creates the keys if there are none. */
export async function readPushKey({ dataDir, watches }: Pick<ApiConfig, 'dataDir' | 'watches'>): Promise<string> {
  return (await getVapidKeys(watches.vapidKey, dataDir)).publicKey;
}

/**
 * Finds configured keys that differ from those of the replicas that share the watch database. Keys in the data folder
 * are ignored, since this machine may not serve requests.
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
 * @param awaitedSources realtime sources that the poller of this data folder polls
 */
export async function startApi(
  config: ApiConfig,
  effects: ApiEffects,
  awaitedSources: readonly AwaitedSource[] = [],
): Promise<RunningApi> {
  const opened = createCloser();
  try {
    return await startWith(opened, config, effects, awaitedSources);
  } catch (error) {
    // Threads that go on would keep a process alive that serves nothing. Why it cannot start matters more than how it ends.
    await Promise.allSettled([opened.close()]);
    throw error;
  }
}

async function startWith(
  opened: Closer,
  config: ApiConfig,
  effects: ApiEffects,
  awaitedSources: readonly AwaitedSource[],
): Promise<RunningApi> {
  const startedAt = nowInstant(effects.clock);
  const key = await getReferenceKey(config.referenceKey, config.dataDir);
  const parts = await openParts(opened, config, key, effects);
  if (effects.metrics) measureApi(effects.metrics, { clock: effects.clock, ...parts });
  const openLake = config.explore.clients === 'none' ? null : (effects.openLake ?? null);
  const service = await describeService(config, parts, {
    clock: effects.clock,
    key,
    startedAt,
    awaitedSources,
    openLake,
  });
  const app = await buildApp(await describeApp(config, parts, service, key, effects));
  const server = await listen(app, config);
  const first = parts.timetables.current();
  if (first) runInSteps(warmUp(first.value));
  // Boards are answered, and requests for trips wait in the queue, while the planner starts.
  let isPlanningReady = false;
  void parts.planningReady.then(() => {
    isPlanningReady = true;
  });
  const findTrouble = () => {
    if (parts.snapshots.current() === null) return 'no timetable is published yet';
    return isPlanningReady ? null : 'the trip planner is starting';
  };
  return {
    url: server.url,
    findTrouble,
    close: async () => {
      await server.close();
      await opened.close();
    },
  };
}

/** What a service has opened, to be closed when it ends or cannot start. */
interface Closer {
  add<Part extends { close(): unknown }>(part: Part): Part;
  /** Closes everything, what was opened last first, also after a part that fails. @throws one of the failures */
  close(): Promise<void>;
}

function createCloser(): Closer {
  const parts: { close(): unknown }[] = [];
  return {
    add(part) {
      parts.push(part);
      return part;
    },
    async close() {
      const part = parts.pop();
      if (!part) return;
      try {
        await part.close();
      } finally {
        await this.close();
      }
    },
  };
}

/** Runs a task step by step, and lets requests run between the steps. */
function runInSteps(steps: Iterator<void>): void {
  if (!steps.next().done) setImmediate(() => runInSteps(steps));
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Data and engines behind the routes. */
async function openParts(opened: Closer, config: ApiConfig, key: Uint8Array, effects: ApiEffects) {
  const { dataDir } = config;
  const vapidKeys = await getVapidKeys(config.watches.vapidKey, dataDir);
  const walksOpening = openWalkRouter(dataDir, effects.log);
  const realtimes = opened.add(await holdRealtime(config, effects));
  const { timetables, getSourceChecks } = await holdTimetable(config, effects);
  opened.add(timetables);
  const snapshots = pairSnapshots(timetables, realtimes, effects.clock);
  const walks = await walksOpening;
  // Its threads open the timetable while this one reads the rest and prepares the server.
  const planner = opened.add(await openPlanning(config, key, walks, effects));
  const following = followSnapshots(planner, snapshots, timetables);
  opened.add({ close: following.stop });
  const onLoad = measureLoads(effects.metrics, 'history');
  const onAnswer = (engine: AnsweredBy) => effects.metrics?.counters.historyQueries.add({ engine });
  const trino = config.engine === 'trino' ? { ...config.trino, url: config.trino.url! } : null;
  const histories = opened.add(await holdHistory(dataDir, config.history, { ...effects, onLoad, onAnswer }, trino));
  const predictionMetrics = opened.add(await watchPredictionMetrics(dataDir, histories, effects));
  const announcementFile = path.resolve(dataDir, config.announcements.file);
  const announcements = opened.add(await holdAnnouncements(announcementFile, effects.log));
  const networkMaps = opened.add(await holdNetworkMaps(dataDir, effects.log));
  const places = opened.add(await holdPlaces(dataDir, effects));
  const vehicleDemands = opened.add(openDemandWriter(dataDir, effects));
  const planning = withPlaces(planner, places);
  const watching = opened.add(startWatching(config, { snapshots, planning, vapidKeys, referenceKey: key }, effects));
  return {
    pushKey: vapidKeys.publicKey,
    timetables,
    realtimes,
    histories,
    predictionMetrics,
    announcements,
    networkMaps,
    places,
    getSourceChecks,
    snapshots,
    hasStreets: walks !== null,
    vehicleStreets: walks?.vehicles ?? null,
    vehicleDemands,
    planning,
    planningReady: following.ready,
    watches: watching.service,
  };
}

interface ServiceFacts extends Pick<Service, 'clock' | 'startedAt' | 'awaitedSources' | 'openLake'> {
  readonly key: Uint8Array;
}

/** Services that the route handlers call. */
async function describeService(
  config: ApiConfig,
  { realtimes, histories, watches, ...parts }: Parts,
  { key, ...facts }: ServiceFacts,
): Promise<Service> {
  const { getSourceChecks, planning, vehicleDemands, predictionMetrics, announcements, networkMaps, places } = parts;
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
      isPaused: config.predictions.isPaused,
      predictionMetrics,
      listModels: () => realtimes.current()?.value.manifest.models ?? [],
    },
    watches: serveWatches(watches, key),
    isEndpointAllowed: allowEndpoints(config.watches),
    announcements,
    networkMaps,
    places,
  };
}

/** Ids of the configured timetables. The sample is not one: feeds given on the command line replace it. */
function listConfigured({ sources }: ApiConfig): string[] {
  return sources.filter(({ isMadeUp }) => isMadeUp !== true).map(({ id }) => id);
}

/** HTTP options besides the routes. */
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
    answersVersion: await hashAnswerInputs(config, key),
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

/** Plans in worker threads, or in this one if `planner.threads` is 0. */
async function openPlanning(
  { planner }: ApiConfig,
  referenceKey: Uint8Array,
  walks: OpenWalkRouter | null,
  { clock, log, threadMonitor }: ApiEffects,
): Promise<Planning> {
  const threads = planner.threads ?? choosePlannerThreadCount(availableParallelism(), findMemoryBytes());
  const limits = { ...planner, threads };
  if (threads > 0) {
    const file = moduleUrl('api/planning/planner-thread.js');
    return createThreadPlanning({ limits, log, file, referenceKey, walks, clock, threadMonitor });
  }
  return planHere({ limits, log, references: createReferences(referenceKey), walks });
}

function describeHistory(
  { history, sources, realtime }: ApiConfig,
  snapshots: SnapshotHolder<HistoryReader>,
): HistoryService {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, maxAgeHours } = history;
  // The licence of some sources allows live use but no archive, so they have no history.
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

/** @throws ExternalError `port_in_use`, `port_not_allowed` */
async function listen(app: FastifyInstance, { host, port, shutdown }: ApiConfig) {
  const acceptMilliseconds = shutdown.drainSeconds * 1000;
  try {
    return await startServer({ app, host, port, acceptMilliseconds, drainMilliseconds: DRAIN_MILLISECONDS });
  } catch (cause) {
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

/** Hashes the code, the key and the settings that affect answers: replicas with equal hashes share entity tags. */
async function hashAnswerInputs(config: ApiConfig, key: Uint8Array): Promise<string> {
  const code = hashRunningCode();
  const hidden = config.predictions.isPaused ? 'without predictions ' : '';
  return createHash('sha256')
    .update(`answers ${code} ${hidden}${listConfigured(config).join()}`)
    .update(key)
    .digest('hex')
    .slice(0, 16);
}
