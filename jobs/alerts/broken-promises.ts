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

export type PromiseKind = (typeof promiseKinds)[number];

/** What a service promises its operator; each can be broken for several sources or jobs. */
export const promiseKinds = [
  'source_stale',
  'timetable_stale',
  'timetable_ending',
  'job_failing',
  'job_late',
  'data_check_failing',
  'predictions_worse',
  'disk_low',
] as const;

/** A promise that is broken at an instant. */
export interface BrokenPromise {
  readonly kind: PromiseKind;
  /** The source or job; `disk` for the disk. Kind and subject name the promise. */
  readonly subject: string;
  /** What is the matter. One sentence. */
  readonly text: string;
  /** What to do next. One sentence or two. */
  readonly remedy: string;
  /**
   * How long it must last before it counts, where the facts do not say since when: e.g. a source that has never answered.
   * Absent: it counts at once.
   */
  readonly afterSeconds?: number;
}

/** The settings that say what is promised. */
export interface PromiseLimits {
  readonly alerts: Pick<Config['alerts'], 'minFreeBytes' | 'jobLateMinutes' | 'timetableDays'>;
  readonly timetable: Pick<Config['timetable'], 'maxAgeHours'>;
}

export interface Judgement {
  readonly broken: readonly BrokenPromise[];
  /** Kinds of which nothing is known now: they are neither broken nor kept. */
  readonly unknown: ReadonlySet<PromiseKind>;
  /** Kinds that another machine looks at: it tells of them, and this one forgets them. */
  readonly elsewhere: ReadonlySet<PromiseKind>;
}

const timetableKinds: readonly PromiseKind[] = ['timetable_stale', 'timetable_ending'];
const jobKinds: readonly PromiseKind[] = ['job_failing', 'job_late', 'data_check_failing'];
const predictionKinds: readonly PromiseKind[] = ['predictions_worse'];

/** Which promises are broken, by the facts of one instant. */
export function judgePromises(facts: ServiceFacts, limits: PromiseLimits): Judgement {
  const { realtime, timetable, jobs, predictions, disk } = facts;
  /** Without a list nothing is known. */
  const judged: readonly (readonly [kinds: readonly PromiseKind[], broken: readonly BrokenPromise[] | undefined])[] = [
    [['source_stale'], realtime?.flatMap(judgeRealtime)],
    [timetableKinds, timetable?.flatMap((one) => judgeTimetable(one, limits))],
    [jobKinds, jobs?.flatMap((one) => judgeJob(one, limits))],
    [predictionKinds, predictions?.flatMap(judgePredictions)],
    [['disk_low'], disk ? judgeDisk(disk, limits) : undefined],
  ];
  return {
    broken: judged.flatMap(([, broken]) => broken ?? []),
    unknown: new Set(judged.flatMap(([kinds, broken]) => (broken === undefined ? kinds : []))),
    elsewhere: new Set([
      ...(facts.elsewhere.has('timetable') ? timetableKinds : []),
      ...(facts.elsewhere.has('predictions') ? predictionKinds : []),
    ]),
  };
}

/**
 * The same without the promises about jobs, of which each schedule on one database sees the same.
 * @param isKnown whether another machine tells of them
 */
export function withoutJobs({ broken, unknown, elsewhere }: Judgement, isKnown: boolean): Judgement {
  return {
    broken: broken.filter(({ kind }) => !jobKinds.includes(kind)),
    unknown: new Set([...unknown, ...jobKinds]),
    elsewhere: isKnown ? new Set([...elsewhere, ...jobKinds]) : elsewhere,
  };
}

/** Maximum age of a source of which neither the configuration nor a publication says one. */
const DEFAULT_MAX_AGE_SECONDS = 900;

/** A source that has not answered yet has its maximum age for the first answer. */
function judgeRealtime(fact: RealtimeFact): BrokenPromise[] {
  const { source, status, ageSeconds, maxAgeSeconds, trouble, isExpected } = fact;
  const isAwaited = status === 'never' && isExpected;
  if (status !== 'stale' && !isAwaited) return [];
  const reason = trouble === null ? '' : `; the trouble is ${trouble}`;
  const what = isAwaited
    ? 'has not had a usable answer yet'
    : `has had no usable answer for ${formatSpan(ageSeconds ?? 0)}`;
  return [
    {
      kind: 'source_stale',
      subject: source,
      text: `The realtime source ${source} ${what}${reason}.`,
      remedy: `Look at "taktgeber status" and the log. If the publisher is down for long, "taktgeber standby ${source} on" pauses it.`,
      ...(isAwaited && { afterSeconds: maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS }),
    },
  ];
}

function judgeTimetable(
  { source, ageSeconds, endDate, remainingSeconds }: NonNullable<ServiceFacts['timetable']>[number],
  { alerts: { timetableDays }, timetable: { maxAgeHours } }: PromiseLimits,
): BrokenPromise[] {
  const broken: BrokenPromise[] = [];
  if (ageSeconds === null || ageSeconds > maxAgeHours * 3600) {
    const when =
      ageSeconds === null
        ? 'has not been fetched successfully yet'
        : `was last fetched successfully ${formatSpan(ageSeconds)} ago`;
    broken.push({
      kind: 'timetable_stale',
      subject: source,
      text: `The feed of the timetable source ${source} ${when}.`,
      remedy: 'Run "taktgeber run ingest-timetable" and read what it says; the timetable published before is served.',
      ...(ageSeconds === null && { afterSeconds: maxAgeHours * 3600 }),
    });
  }
  if (remainingSeconds !== null && remainingSeconds < timetableDays * 86_400) {
    const isOver = remainingSeconds <= 0;
    broken.push({
      kind: 'timetable_ending',
      subject: source,
      text: isOver
        ? `The timetable of ${source} ended on ${endDate}.`
        : `The timetable of ${source} ends on ${endDate}, in ${formatSpan(remainingSeconds)}.`,
      remedy: `Ask the publisher for the next version, or configure its new address; "taktgeber run ingest-timetable" takes it up.`,
    });
  }
  return broken;
}

function judgeJob(fact: JobFact, { alerts }: PromiseLimits): BrokenPromise[] {
  const { job, lateSeconds, isDueFirstTime, lastStatus } = fact;
  const broken: BrokenPromise[] = lastStatus !== null && isFailure(lastStatus) ? [describeFailure(fact)] : [];
  const limitSeconds = alerts.jobLateMinutes * 60;
  if (isDueFirstTime || lateSeconds > limitSeconds) {
    broken.push({
      kind: 'job_late',
      subject: job,
      text: describeLateness(fact),
      remedy: `Look at "taktgeber jobs" and the log; if its process hangs, end it, and the next start makes up for the run.`,
      ...(isDueFirstTime && { afterSeconds: limitSeconds }),
    });
  }
  return broken;
}

function describeLateness({ job, lateSeconds, isDueFirstTime, isRunning }: JobFact): string {
  if (isDueFirstTime) return `The job ${job} is due for the first time and has not begun.`;
  if (isRunning) return `The job ${job} has been running for ${formatSpan(lateSeconds)}.`;
  return `The job ${job} was due ${formatSpan(lateSeconds)} ago and has not begun.`;
}

function describeFailure({ job, lastSummary }: JobFact): BrokenPromise {
  const reason = lastSummary ?? 'no reason is recorded';
  if (job === CHECK_DATA) {
    return {
      kind: 'data_check_failing',
      subject: job,
      text: `The check of the data has found violated invariants: ${reason}.`,
      remedy: `Run "taktgeber run check-data" for the list; the days that it names can be rebuilt from raw.`,
    };
  }
  return {
    kind: 'job_failing',
    subject: job,
    text: `The job ${job} has failed: ${reason}.`,
    remedy: `Read the reason, and repeat it by "taktgeber run ${job}"; what was published before is served meanwhile.`,
  };
}

/** Worse over all pairs of the last days together, so that one bad day of few trips does not count. */
function judgePredictions({ source, days }: PredictionFact): BrokenPromise[] {
  if (days.length < MEASURED_DAYS) return [];
  const pairs = days.reduce((sum, day) => sum + day.pairs, 0);
  const mean = (of: 'ours' | 'persistence') => days.reduce((sum, day) => sum + day.pairs * day[of], 0) / pairs;
  const [ours, persistence] = [mean('ours'), mean('persistence')];
  // Also without a single pair.
  if (!(ours > persistence)) return [];
  const errors = `${ours.toFixed(1)} s on average, and ${persistence.toFixed(1)} s if the delay had been taken to stay`;
  return [
    {
      kind: 'predictions_worse',
      subject: source,
      text: `Predictions for ${source} were off by ${errors}, over the last ${days.length} measured days.`,
      remedy: `Look at "taktgeber status"; "taktgeber run train-predictions" trains anew, and the setting predictions.paused takes them out.`,
    },
  ];
}

export function isDiskLow(freeBytes: number, { alerts }: Pick<PromiseLimits, 'alerts'>): boolean {
  return freeBytes < alerts.minFreeBytes;
}

function judgeDisk({ freeBytes }: NonNullable<ServiceFacts['disk']>, { alerts }: PromiseLimits): BrokenPromise[] {
  const { minFreeBytes } = alerts;
  if (!isDiskLow(freeBytes, { alerts })) return [];
  const isFull = freeBytes < 1e6;
  return [
    {
      kind: 'disk_low',
      subject: 'disk',
      text: isFull
        ? 'The disk of the data folder is full: nothing new is stored, and what is published is served on.'
        : `The disk of the data folder has ${formatBytes(freeBytes)} left, less than ${formatBytes(minFreeBytes)}.`,
      remedy: `Make room, or lower raw.maxBytes and retention in the configuration; writing resumes by itself.`,
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
