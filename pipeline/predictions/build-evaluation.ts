import { type EtaFigures, measureEtaAccuracy } from './eta-benchmark.ts';
import { type ForecastUnit, INCREMENT_TABLE, OURS } from './forecast-table.ts';
import type { ImplausibleCounts } from './implausible-calls.ts';
import type { AblationFigure, Layout, UnitEvaluation } from './layout.ts';
import {
  type ClassFigures,
  type ErrorFigures,
  type IntervalFigures,
  listSlices,
  measureClasses,
  measureErrors,
  measureIntervals,
} from './measure-forecasts.ts';

/** All figures of one unit. */
export interface UnitFigures {
  readonly unit: ForecastUnit;
  readonly pairs: number;
  readonly learntPairs: number;
  readonly trees: number;
  readonly errors: readonly ErrorFigures[];
  readonly intervals: readonly IntervalFigures[];
  /** Winkler score of ours relative to the increment table's, by slice; 0.9 is 10 % better. Null without pairs. */
  readonly winklerAgainstTable: Readonly<Record<string, number | null>>;
  readonly classes: readonly ClassFigures[];
  readonly etaBenchmark: readonly EtaFigures[];
  readonly ablation: readonly AblationFigure[];
  /** Calls that were left out; null where the layout has no such rule. */
  readonly implausible: ImplausibleCounts | null;
}

/** Measures what a layout's evaluation came to. */
export function buildFigures(
  layout: Layout,
  { table, learntPairs, trees, ablation, implausible }: UnitEvaluation,
): UnitFigures {
  const slices = listSlices(table, layout.buckets);
  const intervals = slices.flatMap((slice) =>
    table.forecasters.flatMap((forecaster) => measureIntervals(table, slice, forecaster) ?? []),
  );
  const winkler = (slice: string, name: string) =>
    intervals.find((one) => one.slice === slice && one.forecaster === name)?.winkler ?? null;
  const against = slices.map(({ name }) => {
    const [ours, tables] = [winkler(name, OURS), winkler(name, INCREMENT_TABLE)];
    return [name, ours === null || !tables ? null : ours / tables];
  });
  return {
    unit: table.unit,
    pairs: table.count,
    learntPairs,
    trees,
    errors: slices.map((slice) => measureErrors(table, slice)),
    intervals,
    winklerAgainstTable: Object.fromEntries(against),
    classes: measureClasses(table),
    etaBenchmark: measureEtaAccuracy(table),
    ablation,
    implausible,
  };
}
