import type { Clock } from '../../pipeline/effects/clock.ts';
import type { OpenLake } from '../../pipeline/effects/read-only-duckdb.ts';
import type { GeoBox } from '../../pipeline/model/geo.ts';
import type { PredictionModelState } from '../../pipeline/model/prediction.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PunctualityDefinition } from '../../pipeline/snapshots/history-contract.ts';
import type { MapsManifest } from '../../pipeline/snapshots/network-map-files.ts';
import type { Announcement } from '../../pipeline/snapshots/parse-announcements.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import type { PlacesIndex } from '../engine/places/place-index.ts';
import type { Published } from '../engine/read/realtime.ts';
import type { References } from '../engine/read/references.ts';
import type { AwaitedSource } from '../engine/read/source-states.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { HistoryReader } from '../history/open-history.ts';
import type { PredictionMetrics } from '../history/watch-prediction-metrics.ts';
import type { Planning } from '../planning/planning.ts';
import type { QueryValues, RouteHandler, RouteKey, RouteRequest, SnapshotHolder } from '../plugins/route-handler.ts';
import type { IsEndpointAllowed } from '../watches/push-endpoint.ts';
import type { Watches } from '../watches/service/watches.ts';

/** Dependencies of the routes, created once when the service starts. */
export interface Service {
  readonly clock: Clock;
  readonly references: References;
  /** Trips and footpaths, which are too slow for the request thread. */
  readonly planning: Planning;
  /** Last successful fetch of each source, by source id; ISO 8601 UTC. */
  getSourceChecks(): Readonly<Record<string, string>>;
  /**
   * States of the realtime sources, as last reported by the poller for any timetable; empty without a report. Only for
   * responses about the service itself: responses with an entity tag use the snapshot of the request.
   */
  getRealtimeSources(): readonly RealtimeSourceState[];
  /** The configured realtime sources, including those without any published data. */
  readonly awaitedSources: readonly AwaitedSource[];
  /** Start of this process: sources that have not been polled since then are not rated yet. */
  readonly startedAt: Instant;
  /** Ids of the configured timetables, including those that never loaded, without the sample. */
  readonly configuredTimetables: readonly string[];
  /** Credits of the timetables by source id, from the configuration. */
  readonly timetableCredits: ReadonlyMap<string, SourceCredit>;
  /** Records requested areas of the map that no poll covers, for the poller. */
  readonly vehicleDemands: { want(boxes: readonly GeoBox[]): void };
  /** Numbers of the stations with a metro board. */
  readonly metroStations: ReadonlySet<number>;
  /** A source without a successful fetch for longer than this is stale. */
  readonly timetableMaxAgeSeconds: number;
  readonly history: HistoryService;
  readonly predictions: PredictionService;
  readonly watches: Watches;
  /** Whether the configuration enables it. */
  readonly isEndpointAllowed: IsEndpointAllowed;
  readonly announcements: SnapshotHolder<readonly Announcement[]>;
  readonly networkMaps: SnapshotHolder<MapsManifest>;
  /** Opens the lake for SQL queries; `null` if nobody may query it. */
  readonly openLake: OpenLake | null;
  /** Addresses and places; null until an index is published. */
  readonly places: SnapshotHolder<PlacesIndex>;
}

/** Attribution and licence of a source; null where the configuration has none. */
export interface SourceCredit {
  readonly attribution: string | null;
  readonly licence: string | null;
}

/** State of the predictions outside of snapshots. */
export interface PredictionService {
  /** From the configuration; the snapshots of the routes then contain no predictions. */
  readonly isPaused: boolean;
  /** Metrics of past predictions. */
  readonly predictionMetrics: SnapshotHolder<PredictionMetrics>;
  /** The models in use, as last reported by the poller for any timetable; for responses about the service. */
  listModels(): readonly PredictionModelState[];
}

/** Past service days, and the settings that apply without any. */
export interface HistoryService {
  readonly snapshots: SnapshotHolder<HistoryReader>;
  /** From the configuration; published data may have been built with another. */
  readonly definition: PunctualityDefinition;
  /** Ids of the configured sources that may have a history. */
  readonly sources: ReadonlySet<string>;
  /** Counted from the end of the newest service date. */
  readonly maxAgeSeconds: number;
}

/** A route that answers from published snapshots. */
export type ServiceHandler<Query = QueryValues, Body = unknown> = RouteHandler<Published, Query, Body>;

/** A request to such a route. */
export type ServiceRequest = RouteRequest<Published>;

/** Handlers by route. The contract's schema validates a raw query as the handler's type. */
export type Handlers = Partial<Record<RouteKey, ServiceHandler>>;

/**
 * Creates a handler that depends on the timetable only: its response changes only when a new timetable is loaded.
 * @param answer receives the timetable and the parts of the request
 */
export function timetableRoute<Query>(
  answer: (timetable: Timetable, query: Query, params: Readonly<Record<string, string>>) => object,
): ServiceHandler {
  return {
    snapshot: 'required',
    follows: 'timetable',
    changesWithTime: () => false,
    answer: ({ snapshot, query, params }) => ({ json: answer(snapshot!.value.timetable, query as Query, params) }),
  };
}
