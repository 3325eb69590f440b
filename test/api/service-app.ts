import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { type AppOptions, buildApp } from '../../api/app.ts';
import type { PlacesIndex } from '../../api/engine/places/place-index.ts';
import { openRealtime, type Published, withoutPredictions } from '../../api/engine/read/realtime.ts';
import type { References } from '../../api/engine/read/references.ts';
import type { AwaitedSource } from '../../api/engine/read/source-states.ts';
import { allHandlers } from '../../api/handlers.ts';
import { planHere } from '../../api/planning/create-planning.ts';
import type { Planning } from '../../api/planning/planning.ts';
import { withPlaces } from '../../api/planning/with-places.ts';
import type { HeldSnapshot, SnapshotHolder } from '../../api/plugins/route-handler.ts';
import type { HistoryService, PredictionService, Service, SourceCredit } from '../../api/routes/service.ts';
import { listSiteRoutes } from '../../api/site/data/site-routes.ts';
import { allowEndpoints } from '../../api/watches/push-endpoint.ts';
import type { Watches } from '../../api/watches/service/watches.ts';
import { type Clock, fixedClock } from '../../pipeline/effects/clock.ts';
import type { GeoBox } from '../../pipeline/model/geo.ts';
import type { PredictionModelState } from '../../pipeline/model/prediction.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { MapsManifest } from '../../pipeline/snapshots/network-map-files.ts';
import type { Announcement } from '../../pipeline/snapshots/parse-announcements.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import { testWatches, testWatchSettings } from '../support/fakes/test-watches.ts';
import { instant, type World } from '../support/worlds/board-world.ts';
import { silentLog } from '../support/worlds/ingest.ts';

export interface ServiceOptions {
  readonly clock: Clock;
  /** Last successful check of each source. */
  readonly sourceChecks?: Readonly<Record<string, string>>;
  /** Credits of the timetables, by source. */
  readonly configuredTimetables?: readonly string[];
  readonly timetableCredits?: Readonly<Record<string, SourceCredit>>;
  /** States of the realtime sources; default: those of the snapshot. */
  readonly realtimeSources?: readonly RealtimeSourceState[];
  /** Configured sources; absent: none. */
  readonly awaitedSources?: readonly AwaitedSource[];
  /** Receives requested areas that no poll covers; absent: they are dropped. */
  wantVehicles?(boxes: readonly GeoBox[]): void;
  /** Start of the service, RFC 3339; absent: before any source was polled. */
  readonly startedAt?: string;
  /** Models as last reported by the poller; default: those of the snapshot. */
  readonly models?: readonly PredictionModelState[];
  /** Whether the configuration pauses predictions; default: no. */
  readonly arePredictionsPaused?: boolean;
  /** Default: `testPlanning`. */
  readonly planning?: Planning;
  /** Default: `testWatches`. */
  readonly watches?: Watches;
  readonly announcements?: HeldSnapshot<readonly Announcement[]>;
  /** Absent: none was published. */
  readonly networkMaps?: SnapshotHolder<MapsManifest>;
  /** Absent: nobody may query the lake. */
  readonly openLake?: Service['openLake'];
  /** Absent: no index of places was published. */
  readonly places?: SnapshotHolder<PlacesIndex>;
  /** Default: `noHistory`. */
  readonly history?: HistoryService;
  /** Absent: no prediction was measured. */
  readonly predictionMetrics?: PredictionService['predictionMetrics'];
  readonly overrides?: Partial<AppOptions<Published>>;
}

/** Numbers of stations that the metro route knows in tests. */
const TEST_METRO_STATIONS: ReadonlySet<number> = new Set([60_201_095, 60_201_320]);

/** Plans in this thread, without a street graph, with a time limit that no test reaches. */
export function testPlanning(references: References): Planning {
  const limits = { threads: 1, maxQueued: 64, timeLimitSeconds: 60, startLimitSeconds: 60 };
  return planHere({ limits, log: silentLog, references, walks: null });
}

/** Without predictions. */
export const noPredictions: PredictionService = {
  isPaused: false,
  predictionMetrics: { current: () => null },
  listModels: () => [],
};

/** Without recorded data. */
export const noHistory: HistoryService = {
  snapshots: { current: () => null },
  definition: { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 },
  sources: new Set(),
  maxAgeSeconds: 36 * 3600,
};

/** The whole service on one timetable, with the routes of the contract, without fair use. */
export function serviceOptions(
  world: World,
  {
    clock,
    sourceChecks = {},
    configuredTimetables = [],
    timetableCredits = {},
    realtimeSources,
    awaitedSources = [],
    wantVehicles = () => {},
    startedAt,
    models,
    arePredictionsPaused,
    planning,
    watches,
    announcements,
    networkMaps,
    places = { current: () => null },
    openLake = null,
    history,
    predictionMetrics,
    overrides,
  }: ServiceOptions,
) {
  const { timetable } = world;
  // Like the service when it reads the snapshot.
  const isHidden = arePredictionsPaused && world.realtime !== null;
  const realtime = isHidden ? openRealtime(withoutPredictions(world.realtime!), null) : world.realtime;
  const dataVersion = [timetable.manifest.id, ...(realtime ? [realtime.manifest.id] : [])].join('.');
  const service: Service = {
    clock,
    references: world.references,
    planning: withPlaces(planning ?? testPlanning(world.references), places),
    getSourceChecks: () => sourceChecks,
    getRealtimeSources: () => realtimeSources ?? world.realtime?.manifest.sources ?? [],
    awaitedSources,
    vehicleDemands: { want: wantVehicles },
    startedAt: startedAt === undefined ? (0 as Instant) : instant(startedAt),
    configuredTimetables,
    timetableCredits: new Map(Object.entries(timetableCredits)),
    metroStations: TEST_METRO_STATIONS,
    timetableMaxAgeSeconds: 36 * 3600,
    history: history ?? noHistory,
    predictions: {
      isPaused: arePredictionsPaused ?? false,
      predictionMetrics: predictionMetrics ?? noPredictions.predictionMetrics,
      listModels: () => models ?? world.realtime?.manifest.models ?? [],
    },
    watches: watches ?? testWatches(clock, { timetable, realtime }),
    isEndpointAllowed: allowEndpoints(testWatchSettings),
    announcements: { current: () => announcements ?? null },
    networkMaps: networkMaps ?? { current: () => null },
    openLake,
    places,
  };
  const options: AppOptions<Published> = {
    clock,
    handlers: allHandlers(service),
    siteRoutes: listSiteRoutes(service),
    snapshots: {
      current: () => ({ value: { timetable, realtime }, dataVersion, timetableVersion: timetable.manifest.id }),
    },
    answersVersion: 'test',
    fairUse: { unitsPerMinute: 0, burst: 0 },
    site: { examples: [] },
    ...overrides,
  };
  return options;
}

/** Builds the service and closes it after the test. */
export async function openService(world: World, options: Partial<ServiceOptions> = {}): Promise<FastifyInstance> {
  const app = await buildApp(serviceOptions(world, { clock: fixedClock('2026-03-16T07:30:00Z'), ...options }));
  onTestFinished(() => app.close());
  return app;
}
