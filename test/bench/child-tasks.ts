import process from 'node:process';
import type { TripRequest } from '../../api/contract/definitions.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { FeedRepairs } from '../../pipeline/model/feed-fixes.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { SamplePublisher } from '../../pipeline/sample/feed/publishers.ts';
import type { CountryInput } from './europe-lake.ts';
import type { EuropeMartsInput } from './europe-marts.ts';
import type { EuropeQueriesInput } from './europe-queries.ts';
import type { DistributedInput, WorkerInput } from './europe-workers.ts';
import type { CountrySize } from './made-up-country.ts';
import type { TrafficSize } from './prediction-bench.ts';
import type { MarkedSnapshot } from './realtime-state-bench.ts';

/**
 * Tasks that run in separate processes; input and result are messages. Each task loads its code when it runs, so that code
 * of other tasks does not use memory.
 */
export const childTasks = {
  ingest: async (input: IngestInput) => (await import('./ingest-bench.ts')).measureIngest(input),
  ingest_copy: async (input: IngestInput) => (await import('./ingest-bench.ts')).measureCopy(input),
  austria: async (input: AustriaInput) => (await import('./austria-bench.ts')).measureAustria(input),
  load: async (input: { dataDir: string }) => (await import('./snapshot-bench.ts')).measureLoad(input.dataDir),
  boards: async (input: { dataDir: string }) => (await import('./board-bench.ts')).measureBoards(input.dataDir),
  api: async (input: ApiInput) => (await import('./http-servers.ts')).serveApi(input),
  bare: async (input: BareInput) => (await import('./http-servers.ts')).serveBare(input),
  load_generator: async (input: LoadInput) => (await import('./http-servers.ts')).generateLoad(input),
  realtime_state: async (input: StateInput) => (await import('./realtime-state-bench.ts')).measureState(input),
  live_boards: async (input: LiveBoardInput) => (await import('./live-board-bench.ts')).measureLiveBoards(input),
  standstills: async (input: SnapshotsInput) => (await import('./swap-bench.ts')).measureStandstills(input),
  planner_city: async (input: PlannerInput) => (await import('./planner-speed.ts')).measureCitySpeed(input),
  planner_national: async (input: PlannerInput) => (await import('./planner-speed.ts')).measureNationalSpeed(input),
  planner_live: async (input: PlannerLiveInput) => (await import('./planner-live.ts')).measurePlannerLive(input),
  planner_tail: async (input: PlannerTailInput) => (await import('./planner-tail.ts')).measurePlannerTail(input),
  planner_modes: async (input: ModesInput) => (await import('./modes-bench.ts')).measureModes(input),
  planner_peers: async (input: PeersInput) => (await import('./planner-peers.ts')).measurePeers(input),
  planner_arrivals: async (input: PlannerTailInput) => (await import('./planner-speed.ts')).measureArrivals(input),
  planner_slowest: async (input: PlannerInput) => (await import('./planner-attack.ts')).findSlowestQueries(input),
  planner_attack: async (input: PlannerInput) => (await import('./planner-attack.ts')).measureAttack(input),
  planner_city_questions: async (input: PlannerTailInput) =>
    (await import('./planner-load.ts')).listCityLoadQuestions(input),
  planner_city_load: async (input: PlannerTailInput) => (await import('./planner-load.ts')).measureCityLoad(input),
  planner_memory: async (input: PlannerMemoryInput) => (await import('./planner-memory.ts')).measureMemory(input),
  planner_load: async (input: PlannerInput) => (await import('./planner-load.ts')).measurePlannerLoad(input),
  planner_questions: async (input: PlannerInput) => (await import('./planner-load.ts')).listLoadQuestions(input),
  trip_load: async (input: TripLoadInput) => (await import('./http-servers.ts')).generateTripLoad(input),
  history_month: async (input: HistoryFolderInput) => (await import('./history-marts.ts')).measureMonth(input),
  counted_calls: async (input: HistoryFolderInput) => (await import('./counted-calls.ts')).measureCountedCalls(input),
  history_latencies: async (input: HistoryLatencyInput) =>
    (await import('./history-latencies.ts')).measureHistoryLatencies(input),
  history_boards: async (input: BoardsBesideInput) =>
    (await import('./history-latencies.ts')).measureBoardsBeside(input),
  finalise_observations: async (input: DayInput) => (await import('./finalise-bench.ts')).writeObservations(input),
  import_archive: async (input: ImportInput) => (await import('./import-bench.ts')).writeMadeUpArchive(input),
  import: async (input: ImportInput) => (await import('./import-bench.ts')).measureImport(input),
  finalise_day: async (input: HistoryFolderInput) => (await import('./finalise-bench.ts')).measureFinalise(input),
  europe_country: async (input: CountryInput) => (await import('./europe-lake.ts')).writeCountry(input),
  europe_count: async (input: HistoryFolderInput) => (await import('./europe-marts.ts')).measureEuropeCount(input),
  europe_marts: async (input: EuropeMartsInput) => (await import('./europe-marts.ts')).measureEuropeMarts(input),
  europe_month: async (input: HistoryFolderInput) => (await import('./europe-month.ts')).fillEuropeMonth(input),
  europe_last_day: async (input: HistoryFolderInput) => (await import('./europe-marts.ts')).measureEuropeLastDay(input),
  europe_split: async (input: HistoryFolderInput) => (await import('./europe-by-day.ts')).splitEuropeMonth(input),
  europe_queries: async (input: EuropeQueriesInput) =>
    (await import('./europe-queries.ts')).measureEuropeQueries(input),
  europe_worker: async (input: WorkerInput) => (await import('./europe-workers.ts')).startWorker(input),
  europe_distributed: async (input: DistributedInput) =>
    (await import('./europe-workers.ts')).measureDistributed(input),
  backfill: async (input: BackfillInput) => (await import('./backfill-bench.ts')).measureBackfill(input),
  predictions: async (input: TrafficSize) => (await import('./prediction-bench.ts')).measurePredictions(input),
  watches: async (input: WatchesInput) => (await import('./watch-bench.ts')).measureWatches(input),
  sample_past: async (input: SamplePastInput) => (await import('./sample-children.ts')).writeSamplePast(input),
  sample_model: async (input: SampleModelInput) => (await import('./sample-children.ts')).trainSampleModel(input),
  sample_scenes: async (input: SampleSeedsInput) => (await import('./sample-children.ts')).playSeeds(input),
  sample_transfers: async (input: SampleSeedsInput) => (await import('./sample-children.ts')).judgeSeeds(input),
  sample_advice: async (input: SampleSeedsInput) => (await import('./sample-children.ts')).adviseSeeds(input),
  places_build: async (input: PlacesInput) => (await import('./places-bench.ts')).buildCountry(input),
  places_search: async (input: { dataDir: string }) => (await import('./places-search.ts')).measureCountrySearch(input),
  swap_load: async (input: SwapInput) => (await import('./swap-bench.ts')).measureSwaps(input),
};

export type ChildTasks = typeof childTasks;
export type ChildTask = keyof ChildTasks;

export interface IngestInput {
  readonly zip: string;
  readonly dataDir: string;
  /** Settings as environment variables; absent: the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface AustriaInput {
  /** An empty folder. */
  readonly dataDir: string;
  readonly feeds: readonly { readonly id: string; readonly zip: string; readonly repairs: FeedRepairs }[];
}

export interface ApiInput {
  readonly dataDir: string;
  /** Overrides of the default settings. */
  readonly planner?: { readonly threads: number; readonly maxQueued: number };
}

export interface PeersInput extends IngestInput {
  /** The requested day, and its midnight. */
  readonly date: ServiceDate;
  readonly dayStart: number;
  readonly questions: number;
}

export interface WatchesInput {
  readonly dataDir: string;
  /** An empty folder for the store. */
  readonly folder: string;
  readonly runningTrips: number;
  readonly watches: number;
}

export interface SamplePastInput {
  /** An empty one. */
  readonly dataDir: string;
  readonly days: number;
}

export interface SampleModelInput {
  /** A folder with archives of past days. */
  readonly dataDir: string;
  readonly publisher: SamplePublisher;
}

export interface SampleSeedsInput {
  /** A folder with trained models. */
  readonly dataDir: string;
  readonly seeds: readonly number[];
}

export interface ImportInput {
  /** An empty one. */
  readonly folder: string;
  /** Days in the archive. */
  readonly days: number;
}

export interface BareInput {
  readonly origin: string;
  readonly paths: readonly string[];
}

export interface LoadInput {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly seconds: number;
}

export interface PlacesInput {
  /** An empty one. */
  readonly dataDir: string;
  readonly size: CountrySize;
}

export interface StateInput {
  readonly dataDir: string;
  readonly timetableId: string;
  /** An empty folder, for the journal of observations. */
  readonly workDir: string;
  readonly runningTrips: number;
  /** Number of distinguishable snapshots that are published at the end. */
  readonly markedSnapshots: number;
}

export interface LiveBoardInput {
  readonly dataDir: string;
  readonly timetableId: string;
  readonly realtimeId: string;
}

export interface SnapshotsInput {
  readonly dataDir: string;
  readonly snapshots: readonly MarkedSnapshot[];
}

export interface SwapInput extends SnapshotsInput {
  readonly origin: string;
  readonly paths: readonly string[];
}

export interface PlannerInput {
  readonly dataDir: string;
}

export interface PlannerTailInput extends PlannerInput {
  readonly questions: number;
}

/** `pbf` has the streets. */
export interface ModesInput extends PlannerTailInput {
  readonly pbf: string;
}

export interface PlannerLiveInput extends PlannerInput {
  readonly place: 'city' | 'national';
  /** Trips with realtime in a country; in a city all trips have it. */
  readonly runningTrips: number;
}

export interface PlannerMemoryInput extends PlannerInput {
  /** 0: only the timetable, without a planner. */
  readonly threads: number;
}

export interface TripLoadInput {
  readonly origin: string;
  readonly requests: readonly TripRequest[];
  readonly connections: number;
  /** Maximum request rate; null: as fast as responses arrive. */
  readonly requestsPerSecond: number | null;
  readonly seconds: number;
}

interface HistoryFolderInput {
  readonly dataDir: string;
}

interface DayInput extends HistoryFolderInput {
  readonly day: ServiceDate;
}

export interface BackfillInput extends HistoryFolderInput {
  readonly from: ServiceDate;
  readonly to: ServiceDate;
  readonly concurrency: number;
}

export interface HistoryLatencyInput {
  readonly origin: string;
  /** First and last day of the history. */
  readonly first: ServiceDate;
  readonly last: ServiceDate;
}

export interface BoardsBesideInput extends HistoryLatencyInput {
  readonly paths: readonly string[];
}

/** Drops progress lines; warnings go to stderr, which child processes share with the benchmark. */
export const warningsOnly: Log = {
  info: () => {},
  warn: (message) => process.stderr.write(`warning: ${message}\n`),
  progress: () => {},
};
