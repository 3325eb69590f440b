import type { Duckdb } from '../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { UnitEvaluation } from '../../pipeline/predictions/measured/build-prediction-metrics.ts';
import type { HorizonBucket } from '../../pipeline/predictions/measured/comparison-table.ts';

/** Kinds of files that can be evaluated. */
export const layoutNames = ['pl_rail', 'hu_snapshots'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** Records on which the first days of a source are evaluated: archives, and cities that are made up. */
export const recordLayouts = ['pl_rail', 'hu_final', 'made_up_city'] as const;
export type RecordLayout = (typeof recordLayouts)[number];

/** Service dates of an evaluation, all inclusive: begin of the data, and the days that are forecast. */
export interface EvaluationWindow {
  readonly from: ServiceDate;
  readonly testFrom: ServiceDate;
  readonly testTo: ServiceDate;
}

export interface EvaluationOptions {
  /** Also evaluates each group of features. */
  readonly hasAblation: boolean;
  /** Called before each step, for progress output and for measurements. */
  onStep(step: EvaluationStep): void;
  /** For layouts of more than one file. */
  readonly companions?: CompanionFiles;
}

/** Files in addition to the evaluated one. */
export interface CompanionFiles {
  /** Final values. */
  readonly finals: string;
  /** Live positions of vehicles; empty where there are none. */
  readonly positions: readonly string[];
}

export type EvaluationStep = 'load' | 'train' | 'forecast' | 'tables' | 'ablation' | 'done';

/**
 * A kind of file and its evaluation according to the protocol: how it is loaded, its pairs, its persistence and its
 * buckets. Measuring and printing are the same for all layouts.
 */
export interface Layout {
  readonly name: LayoutName;
  readonly buckets: readonly HorizonBucket[];
  /**
   * @returns one evaluation per unit, in the order of the output
   * @throws UnfitWindowError
   */
  evaluate(db: Duckdb, file: string, window: EvaluationWindow, options: EvaluationOptions): Promise<UnitEvaluation[]>;
}
