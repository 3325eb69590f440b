/** The values that a label may take: these, or as many different ones as `max`. */
export type LabelBound = { readonly values: readonly string[] } | { readonly max: number };

export interface MetricDefinition {
  /** As Prometheus names them: base units, counters end in `_total`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelBound>>;
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper limits, rising. */
  readonly buckets: readonly number[];
}

type Definitions<Definition> = Readonly<Record<string, Definition>>;

const snapshots = { values: ['timetable', 'realtime', 'history', 'places'] };
const sources = { max: 50 };
const codes = { max: 60 };
/** The label is `job_name`: Prometheus itself puts a label `job` on all that it scrapes. */
const jobs = { max: 40 };

/** Label value of a counter for values beyond the limit. */
export const OTHER = 'other';

/** Everything that a process counts. The table of docs/operations.md, dashboard and alert rules are checked by it. */
export const counters = {
  httpRequests: {
    name: 'taktgeber_http_requests_total',
    help: 'Requests served, by route of the contract; `none` if no route matches the path and the method.',
    labels: {
      route: { max: 100 },
      method: { values: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
      status: { max: 40 },
    },
  },
  responses: {
    name: 'taktgeber_responses_total',
    help: 'Successful responses by origin: `cache`, `engine`, or `not_modified` if the client has the current version.',
    labels: { from: { values: ['cache', 'engine', 'not_modified'] } },
  },
  snapshotLoads: {
    name: 'taktgeber_snapshot_loads_total',
    help: 'Attempts of the API to load a published snapshot.',
    labels: { snapshot: snapshots, outcome: { values: ['loaded', 'failed'] } },
  },
  watchPasses: {
    name: 'taktgeber_watch_passes_total',
    help: 'Passes over all watches that are due.',
    labels: { outcome: { values: ['done', 'failed'] } },
  },
  watchEvents: {
    name: 'taktgeber_watch_events_total',
    help: 'Events created for watches.',
    labels: {},
  },
  pushes: {
    name: 'taktgeber_pushes_total',
    help: 'Attempts to push an event to a browser, by the response of the push service.',
    labels: { outcome: { values: ['delivered', 'dropped', 'gone', 'retried'] } },
  },
  historyQueries: {
    name: 'taktgeber_history_queries_total',
    help: 'History queries while the setting `engine` is `trino`: run by Trino, or by DuckDB in the API because Trino failed.',
    labels: { engine: { values: ['trino', 'duckdb_fallback'] } },
  },
  jobRuns: {
    name: 'taktgeber_job_runs_total',
    help: 'Finished attempts of jobs in this process, by outcome.',
    labels: { job_name: jobs, status: { values: ['done', 'unchanged', 'failed'] } },
  },
  alertsSent: {
    name: 'taktgeber_alerts_sent_total',
    help: 'Alerts sent to the command or the webhook.',
    labels: { outcome: { values: ['delivered', 'failed'] } },
  },
  scrapeFailures: {
    name: 'taktgeber_scrape_failures_total',
    help: 'Groups of metrics that could not be read for a scrape; the response lacks them.',
    labels: {},
  },
  seriesDropped: {
    name: 'taktgeber_series_dropped_total',
    help: 'Label values beyond the limit of a label: counters count them as `other`, gauges drop them.',
    labels: { metric: { max: 100 } },
  },
} as const satisfies Definitions<MetricDefinition>;

/** Everything that is read during a scrape. */
export const gauges = {
  snapshotAge: {
    name: 'taktgeber_snapshot_age_seconds',
    help: 'Age of the snapshot that the API serves.',
    labels: { snapshot: snapshots },
  },
  storeTreeAge: {
    name: 'taktgeber_store_tree_age_seconds',
    help: 'Time since the object store last confirmed the current version of a tree; missing without an object store.',
    labels: { tree: { max: 20 } },
  },
  storePendingFiles: {
    name: 'taktgeber_store_pending_files',
    help: 'Files of the poller that are not uploaded yet; missing without an object store.',
    labels: {},
  },
  storePendingJobs: {
    name: 'taktgeber_store_pending_jobs',
    help: 'Finished jobs whose results are not uploaded yet; missing without an object store.',
    labels: {},
  },
  queueDepth: {
    name: 'taktgeber_queue_depth',
    help: 'Requests waiting for a thread.',
    labels: { queue: { values: ['planner', 'history'] } },
  },
  watches: {
    name: 'taktgeber_watches',
    help: 'Active watches, as of the last pass.',
    labels: {},
  },
  responseCacheBytes: {
    name: 'taktgeber_response_cache_bytes',
    help: 'Memory of cached responses.',
    labels: {},
  },
  sourceAge: {
    name: 'taktgeber_source_age_seconds',
    help: 'Time since the last usable response of a realtime source; missing before the first.',
    labels: { source: sources },
  },
  sourceMaxAge: {
    name: 'taktgeber_source_max_age_seconds',
    help: 'Age from which on a realtime source counts as stale.',
    labels: { source: sources },
  },
  sourceFresh: {
    name: 'taktgeber_source_fresh',
    help: '1 while a realtime source is fresh or paused by the operator, 0 while it is stale or has never responded.',
    labels: { source: sources },
  },
  timetableSourceAge: {
    name: 'taktgeber_timetable_source_age_seconds',
    help: 'Time since the feed of a timetable source was last fetched and validated.',
    labels: { source: sources },
  },
  timetableRemaining: {
    name: 'taktgeber_timetable_remaining_seconds',
    help: 'Time to the end of the last day of a timetable source.',
    labels: { source: sources },
  },
  licenceRemaining: {
    name: 'taktgeber_licence_remaining_seconds',
    help: 'The same of a source with `stopAfterValidity` alone, whose licence forbids serving it any longer.',
    labels: { source: sources },
  },
  realtimeRecords: {
    name: 'taktgeber_realtime_records',
    help: 'Records in the latest responses of a realtime source, including rejected ones.',
    labels: { source: sources },
  },
  realtimeTrips: {
    name: 'taktgeber_realtime_trips',
    help: 'Trips in the latest responses of a realtime source, by match method, or by the reason for no match.',
    labels: { source: sources, outcome: { values: ['matched', 'unmatched'] }, reason: codes },
  },
  realtimeProblems: {
    name: 'taktgeber_realtime_problems',
    help: 'Records rejected in the latest responses of a realtime source, by reason.',
    labels: { source: sources, reason: codes },
  },
  jobLastRun: {
    name: 'taktgeber_job_last_run_timestamp_seconds',
    help: 'Start of the last run of a job, in seconds since 1970.',
    labels: { job_name: jobs },
  },
  jobLastSuccess: {
    name: 'taktgeber_job_last_success_timestamp_seconds',
    help: 'End of the last successful run of a job, in seconds since 1970.',
    labels: { job_name: jobs },
  },
  jobLastDuration: {
    name: 'taktgeber_job_last_duration_seconds',
    help: 'Duration of the last run of a job.',
    labels: { job_name: jobs },
  },
  jobFailing: {
    name: 'taktgeber_job_failing',
    help: '1 if the last run of a job failed, or its last three runs were lost.',
    labels: { job_name: jobs },
  },
  jobLate: {
    name: 'taktgeber_job_late_seconds',
    help: 'How long a scheduled run of a job is overdue; 0 if none is.',
    labels: { job_name: jobs },
  },
  shards: {
    name: 'taktgeber_shards',
    help: 'Shards of distributed runs that wait for a worker, are being processed, or have failed permanently.',
    labels: { job_name: jobs, state: { values: ['waiting', 'active', 'failed'] } },
  },
  predictionError: {
    name: 'taktgeber_prediction_error_seconds',
    help: 'Mean absolute error of predictions on the newest measured day, by forecaster.',
    labels: { source: sources, forecaster: { values: ['ours', 'persistence'] } },
  },
  diskFree: {
    name: 'taktgeber_disk_free_bytes',
    help: 'Free space for this process on the disk of the data folder.',
    labels: {},
  },
  diskSize: {
    name: 'taktgeber_disk_size_bytes',
    help: 'Size of the disk of the data folder.',
    labels: {},
  },
  alertFiring: {
    name: 'taktgeber_alert_firing',
    help: 'Alerts that are firing now, by kind.',
    labels: { kind: { max: 20 } },
  },
  ready: {
    name: 'taktgeber_ready',
    help: '1 while the process is ready, 0 while it starts, stops or cannot work.',
    labels: {},
  },
  eventLoopDelay: {
    name: 'taktgeber_event_loop_delay_seconds',
    help: 'Delay of the event loop of the main thread since the last scrape.',
    // Not `quantile`: Prometheus reserves that label for summaries.
    labels: { statistic: { values: ['median', 'p99', 'max'] } },
  },
  threadMemory: {
    name: 'taktgeber_thread_memory_bytes',
    help: 'Memory of threads, summed by kind. Tables that threads share are not included.',
    labels: { thread: { max: 20 }, kind: { values: ['heap', 'external'] } },
  },
  threads: {
    name: 'taktgeber_threads',
    help: 'Threads of a kind that have reported.',
    labels: { thread: { max: 20 } },
  },
  processMemory: {
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process with all its threads.',
    labels: {},
  },
  processStart: {
    name: 'process_start_time_seconds',
    help: 'Start of the process, in seconds since 1970.',
    labels: {},
  },
} as const satisfies Definitions<MetricDefinition>;

export const histograms = {
  httpDuration: {
    name: 'taktgeber_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of the response, by route of the contract.',
    labels: { route: { max: 100 } },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  snapshotLoad: {
    name: 'taktgeber_snapshot_load_duration_seconds',
    help: 'Time to load a published snapshot beside the one that is served.',
    labels: { snapshot: snapshots },
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
} as const satisfies Definitions<HistogramDefinition>;

export type Counters = typeof counters;
export type Gauges = typeof gauges;
export type Histograms = typeof histograms;
