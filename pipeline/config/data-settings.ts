import { GIBIBYTE, MEBIBYTE } from './byte-units.ts';
import { choice, flag, integer, number, text } from './setting.ts';

/** Settings of what the jobs make of timetables and realtime, and how long it is kept. */
export const dataSettings = {
  ingest: {
    maxZipEntries: integer({
      environment: 'TAKTGEBER_INGEST_MAX_ZIP_ENTRIES',
      default: 1000,
      minimum: 1,
      maximum: 65_535,
      about: 'Most files a feed may hold.',
    }),
    maxEntryBytes: integer({
      environment: 'TAKTGEBER_INGEST_MAX_ENTRY_BYTES',
      default: 4 * GIBIBYTE,
      minimum: 1024,
      maximum: 1024 * GIBIBYTE,
      about: 'Largest file of a feed, unpacked.',
    }),
    maxTotalBytes: integer({
      environment: 'TAKTGEBER_INGEST_MAX_TOTAL_BYTES',
      default: 8 * GIBIBYTE,
      minimum: 1024,
      maximum: 1024 * GIBIBYTE,
      about: 'Largest feed, unpacked.',
    }),
    maxCompressionRatio: number({
      environment: 'TAKTGEBER_INGEST_MAX_COMPRESSION_RATIO',
      default: 200,
      minimum: 1,
      maximum: 10_000,
      about: 'Most bytes one packed byte of a feed may turn into; beyond it the feed counts as a zip bomb.',
    }),
    maxDownloadBytes: integer({
      environment: 'TAKTGEBER_INGEST_MAX_DOWNLOAD_BYTES',
      default: 2 * GIBIBYTE,
      minimum: 1024,
      maximum: 1024 * GIBIBYTE,
      about: 'Largest feed fetched from an address.',
    }),
    downloadTimeoutSeconds: number({
      environment: 'TAKTGEBER_INGEST_DOWNLOAD_TIMEOUT_SECONDS',
      default: 600,
      minimum: 1,
      maximum: 86_400,
      about: 'Time in which a feed must have arrived.',
    }),
    memoryLimit: text({
      environment: 'TAKTGEBER_INGEST_MEMORY_LIMIT',
      default: '1500MB',
      allowed: 'a size such as 512MB or 2GB',
      pattern: /^[1-9]\d{0,5}(\.\d+)?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/,
      about:
        'Memory DuckDB may take in a job, at most two fifths of what machine or container have; beyond it work spills to the data folder.',
    }),
    threads: integer({
      environment: 'TAKTGEBER_INGEST_THREADS',
      default: 0,
      minimum: 0,
      maximum: 256,
      about: 'Threads of DuckDB in a job; 0 takes every core.',
    }),
  },
  merging: {
    stationsById: flag({
      environment: 'TAKTGEBER_MERGING_STATIONS_BY_ID',
      default: true,
      about: 'Stations with the same IFOPT, UIC, EVA or DIVA number, in ids or codes, are one station.',
    }),
    stationsByName: flag({
      environment: 'TAKTGEBER_MERGING_STATIONS_BY_NAME',
      default: true,
      about: 'Stations with the same name are one station: within 400 m where trains call, else within 150 m.',
    }),
    trips: flag({
      environment: 'TAKTGEBER_MERGING_TRIPS',
      default: true,
      about: 'A trip that is published twice is shown and counted once.',
    }),
    throughTrips: flag({
      environment: 'TAKTGEBER_MERGING_THROUGH_TRIPS',
      default: true,
      about:
        'A trip continues as the only one of its number or line that begins where and when it ends: passengers stay seated.',
    }),
    table: text({
      environment: 'TAKTGEBER_MERGING_TABLE',
      default: 'merges.csv',
      allowed: 'the path of a file',
      about:
        'Table of stations and trips that are merged or kept separate whatever the rules say, see docs/operations.md; a relative path is in the data folder.',
    }),
  },
  snapshots: {
    keep: integer({
      environment: 'TAKTGEBER_SNAPSHOTS_KEEP',
      default: 3,
      minimum: 1,
      maximum: 1000,
      about: 'Published timetable snapshots kept, the current one included.',
    }),
    keepRealtime: integer({
      environment: 'TAKTGEBER_SNAPSHOTS_KEEP_REALTIME',
      default: 3,
      minimum: 1,
      maximum: 1000,
      about:
        'Published realtime snapshots kept, the current one included; those younger than a minute are always kept.',
    }),
  },
  polling: {
    isEnabled: flag({
      environment: 'TAKTGEBER_POLLING_IS_ENABLED',
      default: true,
      about: 'Whether `up` and `schedule` also poll the realtime sources.',
    }),
    breakerFailures: integer({
      environment: 'TAKTGEBER_POLLING_BREAKER_FAILURES',
      default: 5,
      minimum: 1,
      maximum: 1000,
      about: 'Consecutive failures of a realtime source after which polling it pauses.',
    }),
    breakerSeconds: integer({
      environment: 'TAKTGEBER_POLLING_BREAKER_SECONDS',
      default: 120,
      minimum: 1,
      maximum: 86_400,
      about: 'How long polling of a failing realtime source pauses before one trial request.',
    }),
    maxEarlySeconds: integer({
      environment: 'TAKTGEBER_POLLING_MAX_EARLY_SECONDS',
      default: 600,
      minimum: 60,
      maximum: 86_400,
      about:
        'Reported times further before the schedule are refused, unless the vehicle is known to have come that far.',
    }),
  },
  raw: {
    maxAgeHours: number({
      environment: 'TAKTGEBER_RAW_MAX_AGE_HOURS',
      default: 72,
      minimum: 0,
      maximum: 87_600,
      about: 'Age beyond which raw answers of realtime sources are dropped.',
    }),
    maxBytes: integer({
      environment: 'TAKTGEBER_RAW_MAX_BYTES',
      default: 10 * GIBIBYTE,
      minimum: 0,
      maximum: 1024 * 1024 * GIBIBYTE,
      about: 'Size of all raw answers together, as stored, beyond which the oldest are dropped.',
    }),
    maxRejectedBytes: integer({
      environment: 'TAKTGEBER_RAW_MAX_REJECTED_BYTES',
      default: GIBIBYTE,
      minimum: 0,
      maximum: 1024 * 1024 * GIBIBYTE,
      about: 'Size of all rejected feeds together beyond which the oldest are dropped; 0 keeps none.',
    }),
  },
  retention: {
    observationDays: integer({
      environment: 'TAKTGEBER_RETENTION_OBSERVATION_DAYS',
      default: 0,
      minimum: 0,
      maximum: 36_500,
      about: 'Days for which observations are kept after they became stop events; 0 keeps them forever.',
    }),
    stopEventDays: integer({
      environment: 'TAKTGEBER_RETENTION_STOP_EVENT_DAYS',
      default: 0,
      minimum: 0,
      maximum: 36_500,
      about:
        'Days for which stop events and the history built from them are kept; 0 keeps them forever. A day is dropped after its observations.',
    }),
    predictionDays: integer({
      environment: 'TAKTGEBER_RETENTION_PREDICTION_DAYS',
      default: 90,
      minimum: 0,
      maximum: 36_500,
      about: 'Days for which predictions are kept; the metrics of their accuracy stay. 0 keeps them forever.',
    }),
    featureDays: integer({
      environment: 'TAKTGEBER_RETENTION_FEATURE_DAYS',
      default: 30,
      minimum: 0,
      maximum: 36_500,
      about:
        'Days after the end of the record of a source for which its training data is kept; models stay. 0 keeps it forever, less than 14 counts as 14.',
    }),
  },
  engine: choice({
    environment: 'TAKTGEBER_ENGINE',
    default: 'duckdb',
    choices: ['duckdb', 'trino'],
    about:
      'What builds the marts and answers questions to the history: DuckDB in the process, or Trino over the Iceberg tables.',
  }),
  trino: {
    url: text({
      environment: 'TAKTGEBER_TRINO_URL',
      default: null,
      allowed: 'an address such as https://trino.example:8443',
      pattern: /^https?:\/\/[^/@]+\/?$/,
      about: 'Address of the coordinator of Trino; needed where `engine` is `trino`.',
    }),
    catalog: text({
      environment: 'TAKTGEBER_TRINO_CATALOG',
      default: 'iceberg',
      about: 'Catalog of Trino that has the Iceberg tables `lake` and `marts`.',
    }),
    user: text({
      environment: 'TAKTGEBER_TRINO_USER',
      default: 'taktgeber',
      about: 'User of the statements; it needs to read alone.',
    }),
    password: text({
      environment: 'TAKTGEBER_TRINO_PASSWORD',
      default: null,
      isSecret: true,
      about: 'Its password; null: none is sent.',
    }),
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_TRINO_TIME_LIMIT_SECONDS',
      default: 1800,
      minimum: 1,
      maximum: 86_400,
      about: 'Time for one statement of a mart build, waiting in the queue of Trino included.',
    }),
    queryTimeLimitSeconds: number({
      environment: 'TAKTGEBER_TRINO_QUERY_TIME_LIMIT_SECONDS',
      default: 5,
      minimum: 0.1,
      maximum: 300,
      about:
        'Time for a question to the history at Trino; beyond it the api answers from its own history, and leaves Trino alone for half a minute.',
    }),
  },
  iceberg: {
    location: text({
      environment: 'TAKTGEBER_ICEBERG_LOCATION',
      default: null,
      allowed: 'a URI',
      about:
        'How readers name the folder `iceberg` below the data folder, e.g. `file:///mnt/data/iceberg` or `s3://bucket/iceberg`; null: by its path here. Another value starts new tables.',
    }),
    catalogPostgresUrl: text({
      environment: 'TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL',
      default: null,
      allowed: 'an address such as postgres://user:password@host/database',
      pattern: /^postgres(ql)?:\/\//,
      isSecret: true,
      about:
        "Database with Iceberg's JDBC catalog (`taktgeber`), by which Trino and Spark find the newest state of each table; null: tables are found by their folders alone.",
    }),
    keepHours: number({
      environment: 'TAKTGEBER_ICEBERG_KEEP_HOURS',
      default: 48,
      minimum: 1,
      maximum: 87_600,
      about:
        'Hours for which a replaced snapshot of an Iceberg table stays readable, with the files that only it needs.',
    }),
    keepSnapshots: integer({
      environment: 'TAKTGEBER_ICEBERG_KEEP_SNAPSHOTS',
      default: 2,
      minimum: 1,
      maximum: 10_000,
      about: 'Snapshots of an Iceberg table that stay readable in any case, the current one included.',
    }),
  },
  timetable: {
    maxAgeHours: number({
      environment: 'TAKTGEBER_TIMETABLE_MAX_AGE_HOURS',
      default: 36,
      minimum: 1,
      maximum: 8760,
      about: 'Age of the last good ingest beyond which the timetable counts as stale.',
    }),
    refetchHours: number({
      environment: 'TAKTGEBER_TIMETABLE_REFETCH_HOURS',
      default: 24,
      minimum: 0,
      maximum: 8760,
      about:
        'Hours after which a feed is transferred again, although its server says that nothing was modified; 0: each time.',
    }),
    minShareOfPrevious: number({
      environment: 'TAKTGEBER_TIMETABLE_MIN_SHARE_OF_PREVIOUS',
      default: 0.5,
      minimum: 0,
      maximum: 1,
      about:
        'Share of the published trips, and of the days ahead, below which a new version is kept aside until `run ingest-timetable --force`; 0 publishes any.',
    }),
  },
  history: {
    onTimeMaxDelaySeconds: integer({
      environment: 'TAKTGEBER_HISTORY_ON_TIME_MAX_DELAY_SECONDS',
      default: 330,
      minimum: 1,
      maximum: 7200,
      about: 'A call with a smaller delay than this is on time.',
    }),
    lateMinDelaySeconds: integer({
      environment: 'TAKTGEBER_HISTORY_LATE_MIN_DELAY_SECONDS',
      default: 600,
      minimum: 1,
      maximum: 7200,
      about: 'A call with this delay or a greater one counts in the share of very late ones.',
    }),
    earlyMinSeconds: integer({
      environment: 'TAKTGEBER_HISTORY_EARLY_MIN_SECONDS',
      default: -60,
      minimum: -7200,
      maximum: -1,
      about: 'A call with this delay or a smaller one counts in the share of early ones.',
    }),
    furtherDefinitions: text({
      environment: 'TAKTGEBER_HISTORY_FURTHER_DEFINITIONS',
      default: null,
      allowed: 'limits and evidence such as "180/600, 330/600/forecast", the second limit not below the first',
      isAllowed: (definitions) => definitions.split(',').every(isLateNotBelowOnTime),
      pattern:
        /^[1-9]\d{0,3}\/[1-9]\d{0,3}(\/(observed_actual|forecast))?(, *[1-9]\d{0,3}\/[1-9]\d{0,3}(\/(observed_actual|forecast))?)*$/,
      about:
        'Other definitions of punctuality in the marts, for analysts: on time below, late from, and what counts as observed.',
    }),
    maxAgeHours: number({
      environment: 'TAKTGEBER_HISTORY_MAX_AGE_HOURS',
      default: 36,
      minimum: 1,
      maximum: 8760,
      about: 'Time since the end of the newest service day of the history beyond which it counts as stale.',
    }),
    threads: integer({
      environment: 'TAKTGEBER_HISTORY_THREADS',
      default: 1,
      minimum: 1,
      maximum: 256,
      about: 'Threads of the engine that answers free periods; a busy one takes a core from the boards.',
    }),
    maxConcurrent: integer({
      environment: 'TAKTGEBER_HISTORY_MAX_CONCURRENT',
      default: 1,
      minimum: 1,
      maximum: 3,
      about:
        'Questions to the history answered at once. Node has four threads for disk and engine, and one stays free.',
    }),
    maxQueued: integer({
      environment: 'TAKTGEBER_HISTORY_MAX_QUEUED',
      default: 64,
      minimum: 0,
      maximum: 100_000,
      about: 'Questions to the history that may wait; others are refused as `overloaded`.',
    }),
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_HISTORY_TIME_LIMIT_SECONDS',
      default: 8,
      minimum: 0.1,
      maximum: 300,
      about: 'Time for a question to the history from question to answer, waiting included.',
    }),
    memoryLimit: text({
      environment: 'TAKTGEBER_HISTORY_MEMORY_LIMIT',
      default: '512MB',
      allowed: 'a size such as 512MB or 2GB',
      pattern: /^[1-9]\d{0,5}(\.\d+)?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/,
      about: 'Memory of the engine that answers free periods, what it keeps of the files included.',
    }),
  },
  networkMaps: {
    language: choice({
      environment: 'TAKTGEBER_NETWORK_MAPS_LANGUAGE',
      default: 'de',
      choices: ['de', 'en'],
      about: 'Language of the texts on drawn network maps.',
    }),
    folder: text({
      environment: 'TAKTGEBER_NETWORK_MAPS_FOLDER',
      default: null,
      allowed: 'the path of a folder',
      about:
        'PDF, PNG and SVG files that are published with the drawn maps, described by `maps.yaml` beside them; a relative path is in the data folder.',
    }),
    maxFileBytes: integer({
      environment: 'TAKTGEBER_NETWORK_MAPS_MAX_FILE_BYTES',
      default: 20 * MEBIBYTE,
      minimum: 1,
      maximum: GIBIBYTE,
      about: 'Size of a file in this folder beyond which it is not published.',
    }),
  },
  predictions: {
    isPaused: flag({
      environment: 'TAKTGEBER_PREDICTIONS_IS_PAUSED',
      default: false,
      about:
        'Whether delay predictions are paused: none are computed, their routes return empty lists, and transfer risks are computed without them.',
    }),
  },
} as const;

/** @param definition such as `180/600/forecast` */
function isLateNotBelowOnTime(definition: string): boolean {
  const [onTime, late] = definition.split('/');
  return Number(late) >= Number(onTime);
}
