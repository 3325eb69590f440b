import { isIP } from 'node:net';
import { validate as isCron } from 'node-cron';
import { choice, commandLine, flag, integer, number, type Setting, text } from './setting.ts';

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

/**
 * All settings, under their keys in the configuration file. The type of the configuration, the reading of file and
 * environment, and the table in docs/settings.md are derived from it. The lists `sources` and `realtime` of the file
 * are defined in `source-config.ts` and `realtime-config.ts`.
 */
export const settings = {
  dataDir: text({
    environment: 'TAKTGEBER_DATA',
    default: 'data',
    allowed: 'the path of a folder',
    about:
      'Folder of the lake, the snapshots and the runs of jobs; by default in the project, or in the working directory of a program that npm has installed; a relative path is resolved against the file or the working directory.',
  }),
  host: text({
    environment: 'TAKTGEBER_HOST',
    default: '127.0.0.1',
    allowed: 'a host name or an address',
    about: 'Address the api listens on; `0.0.0.0` or `::` opens it to other machines.',
  }),
  port: integer({
    environment: 'TAKTGEBER_PORT',
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    about: 'Port the api listens on; 0 lets the system choose.',
  }),
  logLevel: choice({
    environment: 'TAKTGEBER_LOG_LEVEL',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    about:
      'Lowest level of message that a running service logs; requests are logged as `info`. On a terminal `warn` when not set.',
  }),
  logFormat: choice({
    environment: 'TAKTGEBER_LOG_FORMAT',
    default: 'auto',
    choices: ['auto', 'json', 'pretty'],
    about:
      'Form of the log of `up`, `serve`, `schedule` and `replay`; `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
  trustProxy: text({
    environment: 'TAKTGEBER_TRUST_PROXY',
    default: null,
    allowed: 'addresses or ranges, comma-separated, such as "loopback, 10.0.0.0/8"',
    isAllowed: isProxyList,
    about: 'Proxies whose `X-Forwarded-For` is trusted to identify clients; none when not set.',
  }),
  publicUrl: text({
    environment: 'TAKTGEBER_PUBLIC_URL',
    default: null,
    allowed: 'an http or https address without a slash at its end',
    isAllowed: isBaseUrl,
    about: 'Public address of the api, for links in its answers.',
  }),
  referenceKey: text({
    environment: 'TAKTGEBER_REFERENCE_KEY',
    default: null,
    allowed: '64 hexadecimal characters',
    pattern: /^[0-9a-f]{64}$/i,
    isSecret: true,
    about: 'Key of journey references, the same for all replicas; made at first start when not set.',
  }),
  fairUse: {
    unitsPerMinute: number({
      environment: 'TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE',
      default: 120,
      minimum: 0,
      maximum: 1_000_000,
      about: 'Cost units one address may spend per minute; 0 turns fair use off.',
    }),
    burst: number({
      environment: 'TAKTGEBER_FAIR_USE_BURST',
      default: 60,
      minimum: 1,
      maximum: 1_000_000,
      about: 'Cost units one address may spend at once after a pause.',
    }),
  },
  limits: {
    bodyBytes: integer({
      environment: 'TAKTGEBER_LIMITS_BODY_BYTES',
      default: 262_144,
      minimum: 1024,
      maximum: 16 * MEBIBYTE,
      about: 'Largest body of a request.',
    }),
    urlBytes: integer({
      environment: 'TAKTGEBER_LIMITS_URL_BYTES',
      default: 24_576,
      minimum: 1024,
      maximum: MEBIBYTE,
      about: 'Longest address of a request.',
    }),
    headerBytes: integer({
      environment: 'TAKTGEBER_LIMITS_HEADER_BYTES',
      default: 16_384,
      minimum: 1024,
      maximum: MEBIBYTE,
      about: 'Largest headers of a request, all together.',
    }),
    requestTimeoutSeconds: number({
      environment: 'TAKTGEBER_LIMITS_REQUEST_TIMEOUT_SECONDS',
      default: 15,
      minimum: 1,
      maximum: 300,
      about: 'Time a client has to send a request, and the service to answer it.',
    }),
  },
  responseCache: {
    maxBytes: integer({
      environment: 'TAKTGEBER_RESPONSE_CACHE_MAX_BYTES',
      default: 64 * MEBIBYTE,
      minimum: 0,
      maximum: 16 * GIBIBYTE,
      about: 'Memory for answers kept ready; 0 keeps none.',
    }),
  },
  planner: {
    threads: integer<number | null>({
      environment: 'TAKTGEBER_PLANNER_THREADS',
      default: null,
      minimum: 0,
      maximum: 256,
      about:
        'Threads that plan trips and footpaths; one fewer than there are cores, and at least one, when not set. 0 plans, and judges watches, in the thread that serves HTTP, which blocks other requests.',
    }),
    maxQueued: integer({
      environment: 'TAKTGEBER_PLANNER_MAX_QUEUED',
      default: 64,
      minimum: 0,
      maximum: 100_000,
      about: 'Questions that may wait for one of these threads; others are refused as `overloaded`.',
    }),
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_PLANNER_TIME_LIMIT_SECONDS',
      default: 8,
      minimum: 0.1,
      maximum: 300,
      about: 'Time for a trip or footpath from question to answer, waiting included.',
    }),
    startLimitSeconds: number({
      environment: 'TAKTGEBER_PLANNER_START_LIMIT_SECONDS',
      default: 60,
      minimum: 1,
      maximum: 3600,
      about:
        'Time limit for each step of starting a planning thread; one that takes longer is replaced, and the next has twice as long.',
    }),
  },
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
      about: 'Memory DuckDB may take in a job; beyond it work spills to the data folder.',
    }),
    threads: integer({
      environment: 'TAKTGEBER_INGEST_THREADS',
      default: 0,
      minimum: 0,
      maximum: 256,
      about: 'Threads of DuckDB in a job; 0 takes every core.',
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
  },
  schedule: {
    isEnabled: flag({
      environment: 'TAKTGEBER_SCHEDULE_IS_ENABLED',
      default: true,
      about: 'Whether `up` also runs the jobs at their times; `schedule` always does.',
    }),
    ingestTimetable: cron({
      environment: 'TAKTGEBER_SCHEDULE_INGEST_TIMETABLE',
      default: '15 2 * * *',
      about: 'When the timetable is ingested, in UTC.',
    }),
    buildNetworkMaps: cron({
      environment: 'TAKTGEBER_SCHEDULE_BUILD_NETWORK_MAPS',
      default: '40 2 * * *',
      about: 'When the network maps are drawn from the timetable, in UTC.',
    }),
    compactObservations: cron({
      environment: 'TAKTGEBER_SCHEDULE_COMPACT_OBSERVATIONS',
      default: '30 3 * * *',
      about:
        'When past days of sightings become one file each, in UTC; raw answers beyond their limits are dropped then, and hourly while polling.',
    }),
    finaliseStopEvents: cron({
      environment: 'TAKTGEBER_SCHEDULE_FINALISE_STOP_EVENTS',
      default: '45 3,13 * * *',
      about:
        'When completed days become stop events, in UTC: after their sightings were compacted, and again when the last trips of the night are six hours past.',
    }),
    buildMarts: cron({
      environment: 'TAKTGEBER_SCHEDULE_BUILD_MARTS',
      default: '15 4,14 * * *',
      about: 'When new and changed stop events are summed up and published as history, in UTC.',
    }),
    buildFeatures: cron({
      environment: 'TAKTGEBER_SCHEDULE_BUILD_FEATURES',
      default: '35 4 * * *',
      about: 'When training data of predictions is built from the newest stop events, in UTC.',
    }),
    trainPredictions: cron({
      environment: 'TAKTGEBER_SCHEDULE_TRAIN_PREDICTIONS',
      default: '50 4 * * *',
      about: 'When prediction models are trained on it, in UTC.',
    }),
    evaluatePredictions: cron({
      environment: 'TAKTGEBER_SCHEDULE_EVALUATE_PREDICTIONS',
      default: '25 4,14 * * *',
      about: 'When predictions of completed days are compared with the observed times, in UTC.',
    }),
    checkData: cron({
      environment: 'TAKTGEBER_SCHEDULE_CHECK_DATA',
      default: '5 5 * * 0',
      about: 'When all stop events are checked, in UTC; what is found is an alert until a later check finds nothing.',
    }),
    dropOldDays: cron({
      environment: 'TAKTGEBER_SCHEDULE_DROP_OLD_DAYS',
      default: '45 5 * * *',
      about: 'When days older than `retention` are dropped, in UTC.',
    }),
    publishIceberg: cron({
      environment: 'TAKTGEBER_SCHEDULE_PUBLISH_ICEBERG',
      default: '5 6,15 * * *',
      about: 'When the Iceberg tables are brought up to date with the lake and the marts, in UTC.',
    }),
    expireIceberg: cron({
      environment: 'TAKTGEBER_SCHEDULE_EXPIRE_ICEBERG',
      default: '20 6 * * *',
      about: 'When snapshots of the Iceberg tables beyond the limits of `iceberg` are forgotten, in UTC.',
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
      about: 'Days for which predictions are kept; the figures of their accuracy stay. 0 keeps them forever.',
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
  iceberg: {
    location: text({
      environment: 'TAKTGEBER_ICEBERG_LOCATION',
      default: null,
      allowed: 'a URI',
      about:
        'How readers name the folder `iceberg` below the data folder, e.g. `file:///mnt/data/iceberg` or `s3://bucket/iceberg`; null: by its path here. Another value lets the tables begin anew.',
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
  announcements: {
    file: text({
      environment: 'TAKTGEBER_ANNOUNCEMENTS_FILE',
      default: 'announcements.yaml',
      allowed: 'the path of a file',
      about:
        'Notices that apps and pages show, edited by hand or by `taktgeber announcements`; a relative path is in the data folder.',
    }),
  },
  map: {
    tilesUrl: text({
      environment: 'TAKTGEBER_MAP_TILES_URL',
      default: null,
      allowed: 'an https address with {z}, {x} and {y}, such as https://tiles.example.org/{z}/{x}/{y}.png',
      pattern: /^https:\/\/[^\s"'<>;,]+$/,
      isAllowed: (address) => ['{z}', '{x}', '{y}'].every((part) => address.includes(part)) && URL.canParse(address),
      about:
        'Pictures of 256 pixels below the lines of the page `/map`, from a server whose terms allow it: browsers ask it themselves. None when not set.',
    }),
    tilesAttribution: text({
      environment: 'TAKTGEBER_MAP_TILES_ATTRIBUTION',
      default: null,
      allowed: 'a text',
      about: 'Whom to credit for these pictures, shown below the map.',
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
  watches: {
    file: text({
      environment: 'TAKTGEBER_WATCHES_FILE',
      default: 'watches/watches.sqlite',
      allowed: 'the path of a file',
      about: 'SQLite file of the watches, on a local disk; a relative path is in the data folder.',
    }),
    postgresUrl: text({
      environment: 'TAKTGEBER_WATCHES_POSTGRES_URL',
      default: null,
      allowed: 'an address such as postgres://user:password@host/database',
      pattern: /^postgres(ql)?:\/\//,
      isSecret: true,
      about: 'Database of the watches instead of a file; needed where several replicas serve the same apps.',
    }),
    maxTotal: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_TOTAL',
      default: 200_000,
      minimum: 0,
      maximum: 10_000_000,
      about: 'Most watches at a time; further ones are refused as `watch_limit`.',
    }),
    maxPerAddress: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_PER_ADDRESS',
      default: 2000,
      minimum: 1,
      maximum: 10_000_000,
      about: 'Most watches of one address; mobile networks put many devices behind one.',
    }),
    maxPerToken: integer({
      environment: 'TAKTGEBER_WATCHES_MAX_PER_TOKEN',
      default: 50,
      minimum: 1,
      maximum: 10_000_000,
      about: 'Most watches of one installation of an app.',
    }),
    pushHosts: text({
      environment: 'TAKTGEBER_WATCHES_PUSH_HOSTS',
      default:
        'fcm.googleapis.com, updates.push.services.mozilla.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
      allowed: 'host names, comma-separated, each possibly with a leading "*."',
      pattern: /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+( *, *(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+)*$/,
      about: 'Hosts that events may be pushed to; `*.` stands for any name below.',
    }),
    vapidKey: text({
      environment: 'TAKTGEBER_WATCHES_VAPID_KEY',
      default: null,
      allowed: '43 characters of base64url: a private key of the curve P-256',
      pattern: /^[A-Za-z0-9_-]{43}$/,
      isSecret: true,
      about:
        'Key that pushes are signed with, the same for all replicas; made at first start when not set. `taktgeber push-key` prints its public half.',
    }),
    pushContact: text({
      environment: 'TAKTGEBER_WATCHES_PUSH_CONTACT',
      default: null,
      allowed: 'a mailto or https address',
      pattern: /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
      isAllowed: (address) => URL.canParse(address),
      about:
        'Where push services reach the operator; some refuse pushes without it. `publicUrl` when not set, if that is https.',
    }),
    allowLoopbackPushes: flag({
      environment: 'TAKTGEBER_WATCHES_ALLOW_LOOPBACK_PUSHES',
      default: false,
      about: 'For tests: whether events may also be pushed over http to this machine, to any port.',
    }),
  },
  metrics: {
    isEnabled: flag({
      environment: 'TAKTGEBER_METRICS_IS_ENABLED',
      default: true,
      about:
        'Whether `up`, `serve`, `schedule` and `replay` answer `/metrics`, `/live` and `/ready` on an address of their own.',
    }),
    host: text({
      environment: 'TAKTGEBER_METRICS_HOST',
      default: '127.0.0.1',
      allowed: 'a host name or an address',
      about: 'Address of the metrics; for operators alone, so it should not be reachable from outside.',
    }),
    port: integer({
      environment: 'TAKTGEBER_METRICS_PORT',
      default: 9464,
      minimum: 0,
      maximum: 65_535,
      about: 'Port of the metrics, for each process its own; 0 lets the system choose.',
    }),
  },
  alerts: {
    command: commandLine({
      environment: 'TAKTGEBER_ALERTS_COMMAND',
      about: 'Program that is run when a promise is broken or kept again; it reads the alert from stdin, as JSON.',
    }),
    webhook: text({
      environment: 'TAKTGEBER_ALERTS_WEBHOOK',
      default: null,
      allowed: 'an http or https address',
      isAllowed: (address) => /^https?:\/\//.test(address) && URL.canParse(address),
      isSecret: true,
      about: 'Address that alerts are posted to as JSON.',
    }),
    timeoutSeconds: number({
      environment: 'TAKTGEBER_ALERTS_TIMEOUT_SECONDS',
      default: 10,
      minimum: 1,
      maximum: 60,
      about: 'Time for the command or the webhook to take an alert.',
    }),
    reminderHours: number({
      environment: 'TAKTGEBER_ALERTS_REMINDER_HOURS',
      default: 24,
      minimum: 1,
      maximum: 8760,
      about: 'Time after which a promise that is still broken is told again.',
    }),
    minFreeBytes: integer({
      environment: 'TAKTGEBER_ALERTS_MIN_FREE_BYTES',
      default: 2 * GIBIBYTE,
      minimum: 0,
      maximum: 1024 * 1024 * GIBIBYTE,
      about: 'Free space on the disk of the data folder below which an alert is sent; 0 never.',
    }),
    jobLateMinutes: number({
      environment: 'TAKTGEBER_ALERTS_JOB_LATE_MINUTES',
      default: 90,
      minimum: 1,
      maximum: 10_080,
      about: 'How long after its time a job may begin, or how long it may run, before it counts as late.',
    }),
    timetableDays: integer({
      environment: 'TAKTGEBER_ALERTS_TIMETABLE_DAYS',
      default: 7,
      minimum: 0,
      maximum: 366,
      about: 'Days that a timetable should still cover; an alert is sent when it ends sooner.',
    }),
  },
  operations: {
    postgresUrl: text({
      environment: 'TAKTGEBER_OPERATIONS_POSTGRES_URL',
      default: null,
      allowed: 'an address such as postgres://user:password@host/database',
      pattern: /^postgres(ql)?:\/\//,
      isSecret: true,
      about:
        'Database of the runs of jobs, for this data folder alone, instead of `operations/operations.sqlite` in it; needed where the folder is on a network disk.',
    }),
    timeoutMinutes: text({
      environment: 'TAKTGEBER_OPERATIONS_TIMEOUT_MINUTES',
      default: null,
      allowed: 'minutes by job, such as "ingest-timetable=90, train-predictions=0"',
      pattern: /^[a-z-]+ *= *\d{1,6}( *, *[a-z-]+ *= *\d{1,6})*$/,
      about:
        'Time after which a run of a job is stopped, where it is not the one that `taktgeber jobs <job>` shows; 0: never. In a backfill it holds for each unit.',
    }),
  },
  predictions: {
    paused: flag({
      environment: 'TAKTGEBER_PREDICTIONS_PAUSED',
      default: false,
      about:
        'Whether delay predictions are paused: none are made, their routes answer empty, and transfer risks do without them.',
    }),
  },
} as const;

type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : ValuesOf<Table[Key]>;
};

/** The values of all settings, in the shape of the table. */
export type SettingValues = ValuesOf<typeof settings>;

/** A setting with its dotted key in the file, e.g. `fairUse.burst`. */
export interface NamedSetting {
  readonly key: string;
  readonly setting: Setting<unknown>;
}

export type SettingGroup = { readonly [key: string]: Setting<unknown> | SettingGroup };

export function isSetting(entry: Setting<unknown> | SettingGroup): entry is Setting<unknown> {
  return typeof entry.accepts === 'function';
}

/** All settings in the order of the table. */
export function listSettings(group: SettingGroup = settings, prefix = ''): NamedSetting[] {
  return Object.entries(group).flatMap(([name, entry]) =>
    isSetting(entry) ? [{ key: `${prefix}${name}`, setting: entry }] : listSettings(entry, `${prefix}${name}.`),
  );
}

/** As Fastify accepts them: names of ranges, addresses, and addresses with a prefix length. */
/** @param definition such as `180/600/forecast` */
function isLateNotBelowOnTime(definition: string): boolean {
  const [onTime, late] = definition.split('/');
  return Number(late) >= Number(onTime);
}

function isProxyList(list: string): boolean {
  return list.split(',').every((entry) => {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    if (bits === undefined && ['loopback', 'linklocal', 'uniquelocal'].includes(address)) return true;
    const version = isIP(address);
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    return version !== 0 && isPrefix && rest.length === 0;
  });
}

function isBaseUrl(address: string): boolean {
  return /^https?:\/\//.test(address) && !address.endsWith('/') && URL.canParse(address);
}

/** Setting of a job's schedule. */
function cron({ environment, default: initial, about }: { environment: string; default: string; about: string }) {
  const allowed = `a cron expression of five fields, such as "${initial}"`;
  return text({ environment, default: initial, allowed, isAllowed: isFiveFieldCron, about });
}

function isFiveFieldCron(expression: string): boolean {
  return expression.trim().split(/\s+/).length === 5 && isCron(expression);
}
