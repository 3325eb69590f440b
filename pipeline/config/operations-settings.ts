import { validate as isCron } from 'node-cron';
import { GIBIBYTE } from './byte-units.ts';
import { commandLine, flag, integer, number, text } from './setting.ts';

/** Settings of the schedule, of what is recorded of the service, and of alerts. */
export const operationsSettings = {
  schedule: {
    isEnabled: flag({
      environment: 'TAKTGEBER_SCHEDULE_IS_ENABLED',
      default: true,
      about: 'Whether `up` also runs the jobs at their times; `schedule` always does.',
    }),
    concurrency: integer<number | null>({
      environment: 'TAKTGEBER_SCHEDULE_CONCURRENCY',
      default: null,
      minimum: 1,
      maximum: 64,
      about:
        'Jobs that the schedule runs at the same time; unset: as many as fit into the memory of machine or container.',
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
        'When past days of observations become one file each, in UTC; raw answers beyond their limits are dropped then, and hourly while polling.',
    }),
    finaliseStopEvents: cron({
      environment: 'TAKTGEBER_SCHEDULE_FINALISE_STOP_EVENTS',
      default: '45 3,13 * * *',
      about:
        'When completed days become stop events, in UTC: after their observations were compacted, and again when the last trips of the night are six hours past.',
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
    compactPredictions: cron({
      environment: 'TAKTGEBER_SCHEDULE_COMPACT_PREDICTIONS',
      default: '55 4 * * *',
      about: 'When the predictions of past days become one file each, in UTC.',
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
    collectObjects: cron({
      environment: 'TAKTGEBER_SCHEDULE_COLLECT_OBJECTS',
      default: '35 6 * * *',
      about: 'When contents of the object store that nothing refers to are removed, in UTC.',
    }),
  },
  metrics: {
    isEnabled: flag({
      environment: 'TAKTGEBER_METRICS_IS_ENABLED',
      default: true,
      about:
        'Whether `up`, `serve`, `schedule`, `work` and `replay` answer `/metrics`, `/live` and `/ready` on a separate address.',
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
      about:
        'Program that is run when an alert starts firing, and when it is resolved; it reads the alert from stdin, as JSON.',
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
      about: 'Time limit for the command or the webhook to accept an alert.',
    }),
    reminderHours: number({
      environment: 'TAKTGEBER_ALERTS_REMINDER_HOURS',
      default: 24,
      minimum: 1,
      maximum: 8760,
      about: 'Time after which an alert that is still firing is sent again.',
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
      about: 'How late a job may start, or how long it may run, before an alert fires.',
    }),
    timetableDays: integer({
      environment: 'TAKTGEBER_ALERTS_TIMETABLE_DAYS',
      default: 7,
      minimum: 0,
      maximum: 366,
      about: 'Days that a timetable should still cover; an alert is sent when it ends sooner.',
    }),
    licenceDays: integer({
      environment: 'TAKTGEBER_ALERTS_LICENCE_DAYS',
      default: 28,
      minimum: 0,
      maximum: 366,
      about:
        'The same for sources with `stopAfterValidity`, whose licence forbids serving them any longer; the greater of the two counts.',
    }),
  },
  sql: {
    timeLimitSeconds: number({
      environment: 'TAKTGEBER_SQL_TIME_LIMIT_SECONDS',
      default: 600,
      minimum: 0.1,
      maximum: 86_400,
      about: 'Time after which `taktgeber sql` stops a call with its statements, or one of those typed in.',
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
        'Database of job runs, locks and the queue of workers, instead of files in the data folder; used by this data folder and its copies only. Required if the folder is on a network disk, and for `taktgeber work`.',
    }),
    isSingleMachine: flag({
      environment: 'TAKTGEBER_OPERATIONS_IS_SINGLE_MACHINE',
      default: false,
      about:
        'Whether no other machine runs jobs with the same `store.url`: then locks in the data folder suffice, and `up`, `schedule` and `doctor` do not require `operations.postgresUrl`.',
    }),
    leaseSeconds: number({
      environment: 'TAKTGEBER_OPERATIONS_LEASE_SECONDS',
      default: 60,
      minimum: 3,
      maximum: 3600,
      about:
        'With `operations.postgresUrl`: time after which the locks and the shard of a process that does not report are released; a process that cannot report for that long stops its job.',
    }),
    isDistributed: flag({
      environment: 'TAKTGEBER_OPERATIONS_IS_DISTRIBUTED',
      default: false,
      about:
        'With `operations.postgresUrl`: whether jobs of the schedule leave their days or months to workers (`taktgeber work`), where any is running.',
    }),
    timeoutMinutes: text({
      environment: 'TAKTGEBER_OPERATIONS_TIMEOUT_MINUTES',
      default: null,
      allowed: 'minutes by job, such as "ingest-timetable=90, train-predictions=0"',
      pattern: /^[a-z-]+ *= *\d{1,6}( *, *[a-z-]+ *= *\d{1,6})*$/,
      about:
        'Time limit of a run by job, instead of the default that `taktgeber jobs <job>` shows; 0: none. In a backfill it applies to each unit.',
    }),
  },
} as const;

/** Setting of a job's schedule. */
function cron({ environment, default: initial, about }: { environment: string; default: string; about: string }) {
  const allowed = `a cron expression of five fields, such as "${initial}"`;
  return text({ environment, default: initial, allowed, isAllowed: isFiveFieldCron, about });
}

function isFiveFieldCron(expression: string): boolean {
  return expression.trim().split(/\s+/).length === 5 && isCron(expression);
}
