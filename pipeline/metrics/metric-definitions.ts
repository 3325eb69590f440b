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

const snapshots = { values: ['timetable', 'realtime', 'history'] };
const sources = { max: 50 };
const codes = { max: 60 };
/** The label is `job_name`: Prometheus itself puts a label `job` on all that it scrapes. */
const jobs = { max: 40 };

/** Label value of a counter for what exceeds a bound. */
export const OTHER = 'other';

/** Everything that a process counts. The table of docs/operations.md, dashboard and alert rules are checked by it. */
export const counters = {
  httpRequests: {
    name: 'taktgeber_http_requests_total',
    help: 'Requests answered, by route of the contract; `none` where no route has the path.',
    labels: {
      route: { max: 100 },
      method: { values: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
      status: { max: 40 },
    },
  },
  answers: {
    name: 'taktgeber_answers_total',
    help: 'Good answers by origin: `cache`, `engine`, or `not_modified` where the client has it already.',
    labels: { from: { values: ['cache', 'engine', 'not_modified'] } },
  },
  snapshotLoads: {
    name: 'taktgeber_snapshot_loads_total',
    help: 'Attempts of the api to load a published snapshot.',
    labels: { snapshot: snapshots, outcome: { values: ['loaded', 'failed'] } },
  },
  watchPasses: {
    name: 'taktgeber_watch_passes_total',
    help: 'Judgements of all watches that are due.',
    labels: { outcome: { values: ['done', 'failed'] } },
  },
  watchEvents: {
    name: 'taktgeber_watch_events_total',
    help: 'Events that happened to watches.',
    labels: {},
  },
  pushes: {
    name: 'taktgeber_pushes_total',
    help: 'Attempts to push an event to a browser, by what the push service said.',
    labels: { outcome: { values: ['delivered', 'dropped', 'gone', 'retried'] } },
  },
  historyAnswers: {
    name: 'taktgeber_history_answers_total',
    help: 'Questions to the history where `engine` is `trino`: answered by Trino, or by the api itself since Trino could not.',
    labels: { engine: { values: ['trino', 'duckdb_instead'] } },
  },
  jobRuns: {
    name: 'taktgeber_job_runs_total',
    help: 'Attempts of jobs that have ended in this process, by outcome.',
    labels: { job_name: jobs, status: { values: ['done', 'unchanged', 'failed'] } },
  },
  alertsSent: {
    name: 'taktgeber_alerts_sent_total',
    help: 'Alerts passed to the command or the webhook.',
    labels: { outcome: { values: ['delivered', 'failed'] } },
  },
  scrapeFailures: {
    name: 'taktgeber_scrape_failures_total',
    help: 'Groups of metrics that could not be read for a scrape, which is answered without them.',
    labels: {},
  },
  seriesLeftOut: {
    name: 'taktgeber_series_left_out_total',
    help: 'Values beyond the bound of a label: counters count them as `other`, gauges leave them out.',
    labels: { metric: { max: 100 } },
  },
} as const satisfies Definitions<MetricDefinition>;

/** Everything that is read when a scrape asks for it. */
export const gauges = {
  snapshotAge: {
    name: 'taktgeber_snapshot_age_seconds',
    help: 'Time since the snapshot that the api serves was made.',
    labels: { snapshot: snapshots },
  },
  storeTreeAge: {
    name: 'taktgeber_store_tree_age_seconds',
    help: 'Time since the object store last confirmed what the api holds of a tree; missing without an object store.',
    labels: { tree: { max: 20 } },
  },
  storeWaitingFiles: {
    name: 'taktgeber_store_waiting_files',
    help: 'Files of the poller that are not in the object store yet; missing without an object store.',
    labels: {},
  },
  storeWaitingJobs: {
    name: 'taktgeber_store_waiting_jobs',
    help: 'Jobs that have ended, and whose results are not in the object store; missing without an object store.',
    labels: {},
  },
  queueDepth: {
    name: 'taktgeber_queue_depth',
    help: 'Questions that wait for a thread.',
    labels: { queue: { values: ['planner', 'history'] } },
  },
  watches: {
    name: 'taktgeber_watches',
    help: 'Watches that are judged, as of the last pass.',
    labels: {},
  },
  responseCacheBytes: {
    name: 'taktgeber_response_cache_bytes',
    help: 'Memory of the answers kept ready.',
    labels: {},
  },
  sourceAge: {
    name: 'taktgeber_source_age_seconds',
    help: 'Time since the last usable answer of a realtime source; missing before the first.',
    labels: { source: sources },
  },
  sourceMaxAge: {
    name: 'taktgeber_source_max_age_seconds',
    help: 'Age from which on a realtime source counts as stale.',
    labels: { source: sources },
  },
  sourceFresh: {
    name: 'taktgeber_source_fresh',
    help: '1 while a realtime source is fresh or paused by the operator, 0 while it is stale or was never heard.',
    labels: { source: sources },
  },
  timetableSourceAge: {
    name: 'taktgeber_timetable_source_age_seconds',
    help: 'Time since the feed of a timetable source was last fetched and found good.',
    labels: { source: sources },
  },
  timetableRemaining: {
    name: 'taktgeber_timetable_remaining_seconds',
    help: 'Time to the end of the last day of a timetable source.',
    labels: { source: sources },
  },
  realtimeRecords: {
    name: 'taktgeber_realtime_records',
    help: 'Records in the newest answers of a realtime source, refused ones included.',
    labels: { source: sources },
  },
  realtimeTrips: {
    name: 'taktgeber_realtime_trips',
    help: 'Trips in the newest answers of a realtime source: how they were matched, or why they were not.',
    labels: { source: sources, outcome: { values: ['matched', 'unmatched'] }, reason: codes },
  },
  realtimeProblems: {
    name: 'taktgeber_realtime_problems',
    help: 'Records refused in the newest answers of a realtime source, by reason.',
    labels: { source: sources, reason: codes },
  },
  jobLastRun: {
    name: 'taktgeber_job_last_run_timestamp_seconds',
    help: 'Start of the last run of a job, in seconds since 1970.',
    labels: { job_name: jobs },
  },
  jobLastSuccess: {
    name: 'taktgeber_job_last_success_timestamp_seconds',
    help: 'End of the last run of a job that did not fail, in seconds since 1970.',
    labels: { job_name: jobs },
  },
  jobLastDuration: {
    name: 'taktgeber_job_last_duration_seconds',
    help: 'Duration of the last run of a job.',
    labels: { job_name: jobs },
  },
  jobFailing: {
    name: 'taktgeber_job_failing',
    help: '1 when the last run of a job has failed, or its last three runs were lost.',
    labels: { job_name: jobs },
  },
  jobLate: {
    name: 'taktgeber_job_late_seconds',
    help: 'Time since a scheduled run of a job was due and has not begun; 0: none is.',
    labels: { job_name: jobs },
  },
  shards: {
    name: 'taktgeber_shards',
    help: 'Units of distributed runs that wait for a worker, are in the hands of one, or have failed for good.',
    labels: { job_name: jobs, state: { values: ['waiting', 'active', 'failed'] } },
  },
  predictionError: {
    name: 'taktgeber_prediction_error_seconds',
    help: 'Mean absolute error of predictions on the newest measured day, by forecaster.',
    labels: { source: sources, forecaster: { values: ['ours', 'persistence'] } },
  },
  diskFree: {
    name: 'taktgeber_disk_free_bytes',
    help: 'Space that this process may still fill on the disk of the data folder.',
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
    help: '1 while the process is ready to do its work, 0 while it starts, stops or cannot.',
    labels: {},
  },
  eventLoopDelay: {
    name: 'taktgeber_event_loop_delay_seconds',
    help: 'Delay of the event loop of the main thread since the last scrape.',
    // Not `quantile`: that label is of summaries alone.
    labels: { statistic: { values: ['median', 'p99', 'max'] } },
  },
  threadMemory: {
    name: 'taktgeber_thread_memory_bytes',
    help: 'Memory of a thread; threads of one kind are added up. Tables that threads share are in no thread.',
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
    help: 'Time from the arrival of a request to the end of its answer, by route of the contract.',
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
