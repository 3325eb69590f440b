import type { Clock } from '../../pipeline/effects/clock.ts';
import type { PunctualityDefinition } from '../../pipeline/history/snapshot/history-contract.ts';
import type { GeoBox } from '../../pipeline/model/geo.ts';
import type { PredictionModelState } from '../../pipeline/model/prediction.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RealtimeSourceState } from '../../pipeline/realtime/snapshot/realtime-contract.ts';
import type { Published } from '../engine/read/realtime.ts';
import type { References } from '../engine/read/references.ts';
import type { AwaitedSource } from '../engine/read/source-states.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { History } from '../history/open-history.ts';
import type { Planning } from '../planning/planning.ts';
import type { QueryValues, RouteHandler, RouteKey, RouteRequest, SnapshotHolder } from '../plugins/route-handler.ts';

/** What routes work with beside the request: made once, when the service starts. */
export interface Service {
  readonly clock: Clock;
  readonly references: References;
  /** Trips and footpaths, which take too long for the thread of the requests. */
  readonly planning: Planning;
  /** When each source was last asked with success, by source id; ISO 8601 UTC. */
  getSourceChecks(): Readonly<Record<string, string>>;
  /**
   * How the realtime sources are doing, by the newest word of the poller, whatever timetable it speaks of; empty while
   * there is none. For answers about the service itself: what is tagged is made from the snapshot of the request alone.
   */
  getRealtimeSources(): readonly RealtimeSourceState[];
  /** The configured realtime sources: those of which nothing is published yet are known by this alone. */
  readonly awaitedSources: readonly AwaitedSource[];
  /** When this process started: sources that were last asked before it are yet to be judged. */
  readonly startedAt: Instant;
  /** Of the timetables, by source id, as the configuration says. */
  readonly timetableCredits: ReadonlyMap<string, SourceCredit>;
  /** Takes note of areas of the map that somebody looks at and no poll covers; the poller reads it. */
  readonly vehicleDemands: { want(boxes: readonly GeoBox[]): void };
  /** Numbers of the stations whose monitors are shown. */
  readonly metroStations: ReadonlySet<number>;
  /** A source not asked with success for longer than this is stale. */
  readonly timetableMaxAgeSeconds: number;
  readonly history: HistoryService;
  readonly predictions: PredictionService;
}

/** Whose work the data of a source is, and by which licence it may be used; null where nothing says so. */
export interface SourceCredit {
  readonly attribution: string | null;
  readonly licence: string | null;
}

/** What is known of our own forecasts beside what a snapshot holds of them. */
export interface PredictionService {
  /** By the configuration; no snapshot that reaches a route holds any then. */
  readonly isPaused: boolean;
  /** What can forecast, by the newest word of the poller, whatever timetable it speaks of; for answers about the service. */
  listModels(): readonly PredictionModelState[];
}

/** Past service days, and what is known of them without any. */
export interface HistoryService {
  readonly snapshots: SnapshotHolder<History>;
  /** Of the configuration; what is published may have been made under another. */
  readonly definition: PunctualityDefinition;
  /** Ids of the configured sources that may have a history. */
  readonly sources: ReadonlySet<string>;
  /** Counted from the end of the newest service day. */
  readonly maxAgeSeconds: number;
}

/** A route that answers from what is published. */
type ServiceHandler<Query = QueryValues, Body = unknown> = RouteHandler<Published, Query, Body>;

/** What such a route is asked. */
export type ServiceRequest = RouteRequest<Published>;

/** Handlers by route. The contract's schema is what makes a query of the handler's type of a raw one. */
export type Handlers = Partial<Record<RouteKey, ServiceHandler>>;

/**
 * A handler that only follows the timetable: its answer stays as it is until a new one is loaded.
 * @param answer gets the timetable and the request's parts
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
