import type { PlayedScene, ReportedOption } from './play-scene.ts';
import type { RideFailure } from './ride-trip.ts';

/** How often options worked, against their predicted probability. */
export interface OptionScore {
  /** Options with a probability. */
  readonly count: number;
  /** Share of them that worked, and mean of the predicted probabilities; NaN without any. */
  readonly worked: number;
  readonly predicted: number;
  /** Mean square of probability minus outcome. */
  readonly brier: number;
  readonly bins: readonly ScoreBin[];
  /** Options of which nothing was known, and the share of these that worked. */
  readonly unknown: { readonly count: number; readonly worked: number };
  /** Those that did not work, unknown ones included, by reason. */
  readonly failures: Readonly<Record<RideFailure, number>>;
  /** Of those that worked: minutes between the predicted and the real arrival; their mean size, and their mean. */
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
  /** Scenes without an offered option. */
  readonly untold: number;
  /** The best ones as first offered, and as offered once the transfer was missed. */
  readonly best: OptionScore;
  readonly bestOnceMissed: OptionScore;
  /** The best ones, and all, once the first train ran again. */
  readonly bestAfterwards: OptionScore;
  readonly all: OptionScore;
}

export function scoreScenes(scenes: readonly PlayedScene[]): SceneScore {
  const withOptions = scenes.filter(({ options }) => options.length > 0);
  return {
    scenes: scenes.length,
    untold: scenes.length - withOptions.length,
    best: scoreOptions(withOptions.map(({ options }) => options[0]!)),
    bestOnceMissed: scoreOptions(scenes.flatMap(({ onceMissed }) => onceMissed.slice(0, 1))),
    bestAfterwards: scoreOptions(scenes.flatMap(({ afterwards }) => afterwards.slice(0, 1))),
    all: scoreOptions(scenes.flatMap(({ afterwards }) => afterwards)),
  };
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
