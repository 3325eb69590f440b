import type { PlayedScene, ReportedOption } from './play-scene.ts';
import type { RideFailure } from './ride-trip.ts';

/** Success rate of options, compared with their predicted probability. */
export interface OptionScore {
  /** Options with a probability. */
  readonly count: number;
  /** Share of them that worked, and mean of the predicted probabilities; NaN without any. */
  readonly worked: number;
  readonly predicted: number;
  /** Mean square of probability minus outcome. */
  readonly brier: number;
  readonly bins: readonly ScoreBin[];
  /** Options with unknown probability, and the share of these that worked. */
  readonly unknown: { readonly count: number; readonly worked: number };
  /** Options that did not work, unknown ones included, by reason. */
  readonly failures: Readonly<Record<RideFailure, number>>;
  /** Of those that worked: minutes between predicted and actual arrival; mean absolute value, and mean. */
  readonly arrivalErrorMinutes: number;
  readonly arrivalBiasMinutes: number;
}

/** Options offered with a probability in `[from, to)`; the last bin includes 1. */
interface ScoreBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly worked: number;
  readonly predicted: number;
}

export interface SceneScore {
  readonly scenes: number;
  /** Scenes in which no option was offered. */
  readonly withoutOption: number;
  /** The best options as first offered, and as offered once the transfer was missed. */
  readonly best: OptionScore;
  readonly bestOnceMissed: OptionScore;
  /** The best options, and all, after the first train continued. */
  readonly bestAfterwards: OptionScore;
  readonly all: OptionScore;
  /** Of the latter, the best of each kind in each scene. */
  readonly kinds: readonly KindScore[];
}

/** Options of one kind, from different scenes, so that their outcomes are independent. */
export interface KindScore {
  readonly kind: ReportedOption['kind'];
  readonly count: number;
  readonly worked: number;
  readonly predicted: number;
  /** 95 % confidence interval of the share that works. */
  readonly interval: { readonly low: number; readonly high: number };
}

export function scoreScenes(scenes: readonly PlayedScene[]): SceneScore {
  const withOptions = scenes.filter(({ options }) => options.length > 0);
  return {
    scenes: scenes.length,
    withoutOption: scenes.length - withOptions.length,
    best: scoreOptions(withOptions.map(({ options }) => options[0]!)),
    bestOnceMissed: scoreOptions(scenes.flatMap(({ onceMissed }) => onceMissed.slice(0, 1))),
    bestAfterwards: scoreOptions(scenes.flatMap(({ afterwards }) => afterwards.slice(0, 1))),
    all: scoreOptions(scenes.flatMap(({ afterwards }) => afterwards)),
    kinds: KINDS.map((kind) => scoreKind(kind, scenes)),
  };
}

const KINDS = ['wait', 'next', 'exitEarlier', 'reroute', 'walk'] as const satisfies ReportedOption['kind'][];

function scoreKind(kind: KindScore['kind'], scenes: readonly PlayedScene[]): KindScore {
  const outcomes = scenes.flatMap(({ afterwards }): Outcome | [] => {
    const option = afterwards.find((one) => one.kind === kind && one.probability !== null);
    return option ? { probability: option.probability!, worked: hasWorked(option.ridden) } : [];
  });
  const count = outcomes.length;
  return { kind, count, ...average(outcomes), interval: findInterval(average(outcomes).worked, count) };
}

/** Normal distribution: 95 % of values are within this many standard deviations of the mean. */
const DEVIATIONS = 1.96;

/** @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927) */
function findInterval(share: number, count: number): KindScore['interval'] {
  const square = DEVIATIONS ** 2;
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const half =
    (DEVIATIONS * Math.sqrt((share * (1 - share)) / count + square / (4 * count ** 2))) / (1 + square / count);
  return { low: middle - half, high: middle + half };
}

/** Points by which a prediction differs from the observed share; 0 within its confidence interval. */
export function findError({ predicted, worked, interval }: KindScore): number {
  const isWithin = predicted >= interval.low && predicted <= interval.high;
  return isWithin ? 0 : 100 * Math.abs(predicted - worked);
}

const BINS = [0, 0.5, 0.7, 0.9, 1];

function scoreOptions(options: readonly ReportedOption[]): OptionScore {
  const known = options.flatMap(({ probability, ridden }) =>
    probability === null ? [] : [{ probability, worked: hasWorked(ridden) }],
  );
  const unknown = options.filter(({ probability }) => probability === null).map(({ ridden }) => hasWorked(ridden));
  const failures = { cancelled: 0, skipped: 0, missed: 0 };
  for (const { ridden } of options) if (ridden.failure) failures[ridden.failure]++;
  const lateMinutes = options.flatMap(({ arrival, ridden }) =>
    ridden.failure === null ? [(ridden.arrival - arrival) / 60] : [],
  );
  return {
    count: known.length,
    ...average(known),
    brier: mean(known.map(({ probability, worked }) => (probability - worked) ** 2)),
    bins: BINS.slice(0, -1).map((from, i) => scoreBin(known, from, BINS[i + 1]!)),
    unknown: { count: unknown.length, worked: mean(unknown) },
    failures,
    arrivalErrorMinutes: mean(lateMinutes.map(Math.abs)),
    arrivalBiasMinutes: mean(lateMinutes),
  };
}

interface Outcome {
  readonly probability: number;
  /** 0 or 1. */
  readonly worked: number;
}

function hasWorked({ failure }: ReportedOption['ridden']): number {
  return failure === null ? 1 : 0;
}

function scoreBin(outcomes: readonly Outcome[], from: number, to: number): ScoreBin {
  const within = outcomes.filter(({ probability: p }) => p >= from && (p < to || to === 1));
  return { from, to, count: within.length, ...average(within) };
}

function average(outcomes: readonly Outcome[]): { readonly worked: number; readonly predicted: number } {
  return {
    worked: mean(outcomes.map(({ worked }) => worked)),
    predicted: mean(outcomes.map(({ probability }) => probability)),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}
