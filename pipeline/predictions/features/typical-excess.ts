import type { PlanIndex } from './plan-index.ts';
import type { RecentValues } from './recent-values.ts';

/** Minimum number of values for a statistic of a leg. */
export const ENOUGH_VALUES = 4;

/** Median seconds by which recent rides on the leg that ends at a call took longer than planned; 0 without any. */
export function typicalExcess(plannedLegs: RecentValues, legs: RecentValues, index: PlanIndex, call: number): number {
  const planned = index.plannedLeg[call]!;
  const excess =
    plannedLegs.count(planned) >= ENOUGH_VALUES
      ? plannedLegs.quantile(planned, 0.5)
      : legs.quantile(index.leg[call]!, 0.5);
  return Number.isNaN(excess) ? 0 : excess;
}
