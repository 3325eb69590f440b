import { choice, flag, integer, number, text } from './setting.ts';

/** Settings of the history: its definition of punctuality, its queries, and the engines that run them. */
export const historySettings = {
  engine: choice({
    environment: 'TAKTGEBER_ENGINE',
    default: 'duckdb',
    choices: ['duckdb', 'trino'],
    about:
      'Engine that builds the marts and runs history queries: DuckDB in the process, or Trino over the Iceberg tables.',
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
      about: 'User of the statements; read-only access is sufficient.',
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
      about: 'Time limit of one statement of a mart build, including the time in the queue of Trino.',
    }),
    queryTimeLimitSeconds: number({
      environment: 'TAKTGEBER_TRINO_QUERY_TIME_LIMIT_SECONDS',
      default: 5,
      minimum: 0.1,
      maximum: 300,
      about:
        'Time limit of a history query in Trino; beyond it the API uses its local history, and does not use Trino for half a minute.',
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
      about: 'Hours for which a replaced snapshot of an Iceberg table and its files remain readable.',
    }),
    keepSnapshots: integer({
      environment: 'TAKTGEBER_ICEBERG_KEEP_SNAPSHOTS',
      default: 2,
      minimum: 1,
      maximum: 10_000,
      about: 'Minimum number of readable snapshots of an Iceberg table, including the current one.',
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
    countsLastForecasts: flag({
      environment: 'TAKTGEBER_HISTORY_COUNTS_LAST_FORECASTS',
      default: true,
      about:
        'Count calls a second time, with final forecasts where nothing was observed, for `definition=lastForecast`; doubles the rows of the marts.',
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
      about: 'Threads of the engine for queries of custom periods; a busy one takes a core from the boards.',
    }),
    maxConcurrent: integer({
      environment: 'TAKTGEBER_HISTORY_MAX_CONCURRENT',
      default: 1,
      minimum: 1,
      maximum: 3,
      about: 'History queries that run at once. Node has four threads for disk and engine, and one remains free.',
    }),
    maxQueued: integer({
      environment: 'TAKTGEBER_HISTORY_MAX_QUEUED',
      default: 64,
      minimum: 0,
      maximum: 100_000,
      about: 'History queries that may wait; others are rejected as `overloaded`.',
    }),
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_HISTORY_TIME_LIMIT_SECONDS',
      default: 8,
      minimum: 0.1,
      maximum: 300,
      about: 'Time limit of a history query, including the time in the queue.',
    }),
    memoryLimit: text({
      environment: 'TAKTGEBER_HISTORY_MEMORY_LIMIT',
      default: '512MB',
      allowed: 'a size such as 512MB or 2GB',
      pattern: /^[1-9]\d{0,5}(\.\d+)?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/,
      about: 'Memory limit of the engine for queries of custom periods, including its file cache.',
    }),
  },
} as const;

/** @param definition such as `180/600/forecast` */
function isLateNotBelowOnTime(definition: string): boolean {
  const [onTime, late] = definition.split('/');
  return Number(late) >= Number(onTime);
}
