/** One row of the results table. */
export interface Metric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
  /** Its target does not depend on the machine: a missed one is a failure. */
  readonly isFirm?: true;
}

/** @returns null for a metric without a target */
export function isTargetMet({ value, target }: Metric): boolean | null {
  if (!target) return null;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

/** The names of metrics whose firm target is missed. */
export function listFailures(metrics: readonly Metric[]): string[] {
  return metrics.filter((metric) => metric.isFirm && isTargetMet(metric) === false).map(({ name }) => name);
}

/** @param sorted in ascending order */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) throw new RangeError('nothing was measured');
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Returns the milliseconds of every run in ascending order, without the first round, which warms up. */
export function measureRuns(runs: readonly (() => unknown)[], rounds: number): number[] {
  const milliseconds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const run of runs) {
      const started = performance.now();
      run();
      if (round > 0) milliseconds.push(performance.now() - started);
    }
  }
  return milliseconds.sort((a, b) => a - b);
}
