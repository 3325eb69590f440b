import type { Config } from '../../pipeline/config/load-config.ts';
import { CHECK_DATA } from '../definitions/check-data.ts';
import {
  type JobFact,
  MEASURED_DAYS,
  type PredictionFact,
  type RealtimeFact,
  type ServiceFacts,
} from '../monitoring/service-facts.ts';
import { isFailure } from '../runner/run-statistics.ts';

export type AlertKind = (typeof alertKinds)[number];

/** Kinds of alerts; each can fire for several sources or jobs. */
export const alertKinds = [
  'source_stale',
  'timetable_stale',
  'timetable_ending',
  'job_failing',
  'job_late',
  'data_check_failing',
  'predictions_worse',
  'disk_low',
] as const;

/** An alert whose condition is true now; it fires once it has lasted long enough. */
export interface ActiveAlert {
  readonly kind: AlertKind;
  /** The source or job; `disk` for the disk. Kind and subject identify the alert. */
  readonly subject: string;
  /** What is wrong. One sentence. */
  readonly text: string;
  /** What to do next. One sentence or two. */
  readonly remedy: string;
  /**
   * How long the condition must last before the alert fires, where the facts have no start time: e.g. a source that has
   * never responded. Absent: the common minimum.
   */
  readonly afterSeconds?: number;
}

/** The settings with the limits. */
export interface AlertLimits {
  readonly alerts: Pick<Config['alerts'], 'minFreeBytes' | 'jobLateMinutes' | 'timetableDays' | 'licenceDays'>;
  readonly timetable: Pick<Config['timetable'], 'maxAgeHours'>;
}

export interface AlertEvaluation {
  readonly active: readonly ActiveAlert[];
  /** Kinds whose facts cannot be read now: their alerts keep their state. */
  readonly unknown: ReadonlySet<AlertKind>;
  /** Kinds that another machine evaluates and reports; this one drops their state. */
  readonly elsewhere: ReadonlySet<AlertKind>;
}

const timetableKinds: readonly AlertKind[] = ['timetable_stale', 'timetable_ending'];
const jobKinds: readonly AlertKind[] = ['job_failing', 'job_late', 'data_check_failing'];
const predictionKinds: readonly AlertKind[] = ['predictions_worse'];

/** Finds the alerts that are active by the facts of one instant. */
export function evaluateAlerts(facts: ServiceFacts, limits: AlertLimits): AlertEvaluation {
  const { realtime, timetable, jobs, predictions, disk } = facts;
  /** Without a list the kinds are unknown. */
  const evaluated: readonly (readonly [kinds: readonly AlertKind[], active: readonly ActiveAlert[] | undefined])[] = [
    [['source_stale'], realtime?.flatMap(evaluateRealtime)],
    [timetableKinds, timetable?.flatMap((one) => evaluateTimetable(one, limits))],
    [jobKinds, jobs?.flatMap((one) => evaluateJob(one, limits))],
    [predictionKinds, predictions?.flatMap(evaluatePredictions)],
    [['disk_low'], disk ? evaluateDisk(disk, limits) : undefined],
  ];
  return {
    active: evaluated.flatMap(([, active]) => active ?? []),
    unknown: new Set(evaluated.flatMap(([kinds, active]) => (active === undefined ? kinds : []))),
    elsewhere: new Set([
      ...(facts.elsewhere.has('timetable') ? timetableKinds : []),
      ...(facts.elsewhere.has('predictions') ? predictionKinds : []),
    ]),
  };
}

/**
 * Leaves out the alerts about jobs, which every schedule on one database sees alike.
 * @param isKnown whether another machine reports them
 */
export function excludeJobAlerts({ active, unknown, elsewhere }: AlertEvaluation, isKnown: boolean): AlertEvaluation {
  return {
    active: active.filter(({ kind }) => !jobKinds.includes(kind)),
    unknown: new Set([...unknown, ...jobKinds]),
    elsewhere: isKnown ? new Set([...elsewhere, ...jobKinds]) : elsewhere,
  };
}

/** Maximum age of a source for which neither the configuration nor a publication gives one. */
const DEFAULT_MAX_AGE_SECONDS = 900;

/** A source that has not responded yet has its maximum age for the first response. */
function evaluateRealtime(fact: RealtimeFact): ActiveAlert[] {
  const { source, status, ageSeconds, maxAgeSeconds, trouble, isExpected } = fact;
  const isAwaited = status === 'never' && isExpected;
  if (status !== 'stale' && !isAwaited) return [];
  const reason = trouble === null ? '' : ` (${trouble})`;
  const what = isAwaited
    ? 'has not sent a usable response yet'
    : `has sent no usable response for ${formatSpan(ageSeconds ?? 0)}`;
  return [
    {
      kind: 'source_stale',
      subject: source,
      text: `The realtime source ${source} ${what}${reason}.`,
      remedy: `Read "taktgeber status" and the log. If the publisher will be down for long, pause the source with "taktgeber standby ${source} on".`,
      ...(isAwaited && { afterSeconds: maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS }),
    },
  ];
}

function evaluateTimetable(
  { source, ageSeconds, endDate, remainingSeconds, stopAfterValidity }: NonNullable<ServiceFacts['timetable']>[number],
  { alerts: { timetableDays, licenceDays }, timetable: { maxAgeHours } }: AlertLimits,
): ActiveAlert[] {
  const active: ActiveAlert[] = [];
  if (ageSeconds === null || ageSeconds > maxAgeHours * 3600) {
    const when =
      ageSeconds === null
        ? 'has not been fetched successfully yet'
        : `was last fetched successfully ${formatSpan(ageSeconds)} ago`;
    active.push({
      kind: 'timetable_stale',
      subject: source,
      text: `The feed of the timetable source ${source} ${when}.`,
      remedy: 'Run "taktgeber run ingest-timetable" and read its output. The last published timetable is still served.',
      ...(ageSeconds === null && { afterSeconds: maxAgeHours * 3600 }),
    });
  }
  const days = stopAfterValidity ? Math.max(timetableDays, licenceDays) : timetableDays;
  if (remainingSeconds !== null && remainingSeconds < days * 86_400) {
    const licence = stopAfterValidity ? ' Its licence forbids serving it after that day.' : '';
    const isOver = remainingSeconds <= 0;
    active.push({
      kind: 'timetable_ending',
      subject: source,
      text: isOver
        ? `The timetable of ${source} ended on ${endDate}.${licence}`
        : `The timetable of ${source} ends on ${endDate}, in ${formatSpan(remainingSeconds)}.${licence}`,
      remedy: `Request the next version from the publisher, or configure its new address, and run "taktgeber run ingest-timetable".`,
    });
  }
  return active;
}

function evaluateJob(fact: JobFact, { alerts }: AlertLimits): ActiveAlert[] {
  const { job, lateSeconds, isDueFirstTime, lastStatus } = fact;
  const active: ActiveAlert[] = lastStatus !== null && isFailure(lastStatus) ? [describeFailure(fact)] : [];
  const limitSeconds = alerts.jobLateMinutes * 60;
  if (isDueFirstTime || lateSeconds > limitSeconds) {
    active.push({
      kind: 'job_late',
      subject: job,
      text: describeLateness(fact),
      remedy: `Read "taktgeber jobs" and the log. If the process hangs, stop it; the next start runs the job.`,
      ...(isDueFirstTime && { afterSeconds: limitSeconds }),
    });
  }
  return active;
}

function describeLateness({ job, lateSeconds, isDueFirstTime, isRunning }: JobFact): string {
  if (isDueFirstTime) return `The job ${job} is due for its first run and has not started.`;
  if (isRunning) return `The job ${job} has been running for ${formatSpan(lateSeconds)}.`;
  return `The job ${job} was due ${formatSpan(lateSeconds)} ago and has not started.`;
}

function describeFailure({ job, lastSummary }: JobFact): ActiveAlert {
  const reason = lastSummary ?? 'no reason is recorded';
  if (job === CHECK_DATA) {
    return {
      kind: 'data_check_failing',
      subject: job,
      text: `The data check found violated invariants: ${reason}.`,
      remedy: `Run "taktgeber run check-data" for the list. The days in it can be rebuilt from raw data.`,
    };
  }
  return {
    kind: 'job_failing',
    subject: job,
    text: `The job ${job} failed: ${reason}.`,
    remedy: `Resolve the cause and run "taktgeber run ${job}". The last published data are still served.`,
  };
}

/** Compares over all pairs of the last days together, so that one bad day with few trips does not count. */
function evaluatePredictions({ source, days }: PredictionFact): ActiveAlert[] {
  if (days.length < MEASURED_DAYS) return [];
  const pairs = days.reduce((sum, day) => sum + day.pairs, 0);
  const mean = (of: 'ours' | 'persistence') => days.reduce((sum, day) => sum + day.pairs * day[of], 0) / pairs;
  const [ours, persistence] = [mean('ours'), mean('persistence')];
  // Also without a single pair.
  if (!(ours > persistence)) return [];
  const errors = `MAE ${ours.toFixed(1)} s (persistence baseline: ${persistence.toFixed(1)} s)`;
  return [
    {
      kind: 'predictions_worse',
      subject: source,
      text: `Predictions for ${source} are worse than the baseline over the last ${days.length} measured days: ${errors}.`,
      remedy: `Retrain with "taktgeber run train-predictions", or set predictions.isPaused to withdraw them.`,
    },
  ];
}

export function isDiskLow(freeBytes: number, { alerts }: Pick<AlertLimits, 'alerts'>): boolean {
  return freeBytes < alerts.minFreeBytes;
}

function evaluateDisk({ freeBytes }: NonNullable<ServiceFacts['disk']>, { alerts }: AlertLimits): ActiveAlert[] {
  const { minFreeBytes } = alerts;
  if (!isDiskLow(freeBytes, { alerts })) return [];
  const isFull = freeBytes < 1e6;
  return [
    {
      kind: 'disk_low',
      subject: 'disk',
      text: isFull
        ? 'The disk of the data folder is full. Nothing new is stored; published data are still served.'
        : `The disk of the data folder has ${formatBytes(freeBytes)} free, less than ${formatBytes(minFreeBytes)}.`,
      remedy: `Free space, or lower raw.maxBytes and retention in the configuration. Writing resumes by itself.`,
    },
  ];
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

function formatSpan(seconds: number): string {
  const [count, unit] =
    seconds >= 2 * 86_400
      ? [seconds / 86_400, 'days']
      : seconds >= 2 * 3600
        ? [seconds / 3600, 'hours']
        : [seconds / 60, 'minutes'];
  return `${Math.floor(count)} ${unit}`;
}
