import { GIBIBYTE, MEBIBYTE } from './byte-units.ts';
import { choice, flag, integer, number, text } from './setting.ts';

/** Settings of what the jobs make of timetables and realtime, and how long it is kept. */
export const dataSettings = {
  streets: {
    car: flag({
      environment: 'TAKTGEBER_STREETS_CAR',
      default: true,
      about:
        'Whether `build-streets` builds streets for cars too, for park and ride and for trips by car; without them the graph is smaller, and requests with a car are refused as `mode_unavailable`.',
    }),
  },
  ingest: {
    maxZipEntries: integer({
      environment: 'TAKTGEBER_INGEST_MAX_ZIP_ENTRIES',
      default: 1000,
      minimum: 1,
      maximum: 65_535,
      about: 'Maximum number of files in a feed.',
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
      about: 'Maximum compression ratio of a feed; beyond it the feed counts as a zip bomb.',
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
      about: 'Time limit of a download.',
    }),
    memoryLimit: text({
      environment: 'TAKTGEBER_INGEST_MEMORY_LIMIT',
      default: '1500MB',
      allowed: 'a size such as 512MB or 2GB',
      pattern: /^[1-9]\d{0,5}(\.\d+)?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/,
      about:
        'Memory limit of DuckDB in a job, at most two fifths of the memory of machine or container; beyond it, work spills to the data folder.',
    }),
    threads: integer({
      environment: 'TAKTGEBER_INGEST_THREADS',
      default: 0,
      minimum: 0,
      maximum: 256,
      about: 'Threads of DuckDB in a job; 0 uses every core.',
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
        'A trip continues as the only trip of its number or line that starts where and when it ends: passengers stay seated.',
    }),
    table: text({
      environment: 'TAKTGEBER_MERGING_TABLE',
      default: 'merges.csv',
      allowed: 'the path of a file',
      about:
        'Table of stations and trips to merge or to keep separate regardless of the rules, see docs/operations.md; a relative path is in the data folder.',
    }),
  },
  snapshots: {
    keep: integer({
      environment: 'TAKTGEBER_SNAPSHOTS_KEEP',
      default: 3,
      minimum: 1,
      maximum: 1000,
      about: 'Number of published timetable snapshots to keep, including the current one.',
    }),
    keepRealtime: integer({
      environment: 'TAKTGEBER_SNAPSHOTS_KEEP_REALTIME',
      default: 3,
      minimum: 1,
      maximum: 1000,
      about:
        'Number of published realtime snapshots to keep, including the current one; those younger than a minute are always kept.',
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
        'Reported times that are earlier than the schedule by more than this are rejected, unless the vehicle is known to have reached the stop.',
    }),
    maxUncertaintySeconds: integer({
      environment: 'TAKTGEBER_POLLING_MAX_UNCERTAINTY_SECONDS',
      default: 45,
      minimum: 0,
      maximum: 3600,
      about:
        'Times derived from vehicle positions count as observed up to this uncertainty; others are kept in the lake and not counted. Applies to new positions and to rebuild-observations.',
    }),
  },
  raw: {
    maxAgeHours: number({
      environment: 'TAKTGEBER_RAW_MAX_AGE_HOURS',
      default: 72,
      minimum: 0,
      maximum: 87_600,
      about: 'Age beyond which raw responses of realtime sources are dropped.',
    }),
    maxBytes: integer({
      environment: 'TAKTGEBER_RAW_MAX_BYTES',
      default: 10 * GIBIBYTE,
      minimum: 0,
      maximum: 1024 * 1024 * GIBIBYTE,
      about: 'Total stored size of raw responses beyond which the oldest are dropped.',
    }),
    maxRejectedBytes: integer({
      environment: 'TAKTGEBER_RAW_MAX_REJECTED_BYTES',
      default: GIBIBYTE,
      minimum: 0,
      maximum: 1024 * 1024 * GIBIBYTE,
      about: 'Total size of rejected feeds beyond which the oldest are dropped; 0 keeps none.',
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
      about: 'Days for which predictions are kept; their accuracy metrics remain. 0 keeps them forever.',
    }),
    featureDays: integer({
      environment: 'TAKTGEBER_RETENTION_FEATURE_DAYS',
      default: 30,
      minimum: 0,
      maximum: 36_500,
      about:
        'Days for which training data is kept after the record of a source ends; models are kept. 0 keeps it forever; less than 14 counts as 14.',
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
      about: 'Hours after which a feed is downloaded again even if its server reports no modification; 0: every time.',
    }),
    minShareOfPrevious: number({
      environment: 'TAKTGEBER_TIMETABLE_MIN_SHARE_OF_PREVIOUS',
      default: 0.5,
      minimum: 0,
      maximum: 1,
      about:
        'Share of the published trips, and of the days ahead, below which a new version is held back until `run ingest-timetable --force`; 0 publishes any.',
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
