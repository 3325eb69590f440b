import type { Duckdb } from '../effects/duckdb.ts';
import type { ServiceDate } from '../model/service-time.ts';
import type { UnitEvaluation } from '../predictions/measured/build-figures.ts';
import type { HorizonBucket } from '../predictions/measured/forecast-table.ts';

/** Kinds of files that can be evaluated. */
export const layoutNames = ['pl_rail', 'hu_snapshots'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** Service dates of an evaluation, all included: from which on there is data, and which days are forecast. */
export interface EvaluationWindow {
  readonly from: ServiceDate;
  readonly testFrom: ServiceDate;
  readonly testTo: ServiceDate;
}

export interface EvaluationOptions {
  /** Also what each group of features is worth. */
  readonly hasAblation: boolean;
  /** Told before each step, for whoever waits and for whoever measures. */
  onStep(step: EvaluationStep): void;
  /** For layouts of more than one file. */
  readonly companions?: CompanionFiles;
}

/** Files beside the one that is evaluated. */
export interface CompanionFiles {
  /** What came in the end. */
  readonly finals: string;
  /** Live positions of vehicles; empty where there are none. */
  readonly positions: readonly string[];
}

export type EvaluationStep = 'load' | 'train' | 'forecast' | 'tables' | 'ablation' | 'done';

/**
 * A kind of file and how the protocol evaluates it: how it is loaded, which pairs there are, what persistence says and
 * which buckets count. What comes after it, measuring and telling, is the same for all.
 */
export interface Layout {
  readonly name: LayoutName;
  readonly buckets: readonly HorizonBucket[];
  /**
   * @returns one evaluation per unit, in the order in which they are told
   * @throws UnfitWindowError
   */
  evaluate(db: Duckdb, file: string, window: EvaluationWindow, options: EvaluationOptions): Promise<UnitEvaluation[]>;
}
