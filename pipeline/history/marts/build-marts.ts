import { type Clock, nowInstant } from '../../effects/clock.ts';
import type { Log } from '../../effects/log.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { buildMonth } from './build-month.ts';
import { type MartDefinition, nameRules } from './definitions.ts';
import { planMonths } from './plan-months.ts';
import type { RemoteMarts } from './remote-day.ts';

export interface MartsRequest {
  readonly dataDir: string;
  readonly settings: LakeSettings;
  /** At least one, without duplicates. */
  readonly definitions: readonly MartDefinition[];
  /** Range of days to check, both included; null: no bound. */
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  readonly isForced: boolean;
  /** Reports what would be built, and builds nothing. */
  readonly isDryRun: boolean;
  /** Only this month, `YYYY-MM`; absent: all of the range, and those that an interrupted build has left unfinished. */
  readonly month?: string;
  /** Where days are computed; absent: in this process. */
  readonly remote?: RemoteMarts | null;
}

export interface BuiltMonth {
  readonly month: string;
  readonly made: readonly ServiceDate[];
  readonly removed: readonly ServiceDate[];
  /** Days whose rows were copied unchanged. */
  readonly kept: number;
}

/**
 * Updates the marts from the stop events: rebuilds new, changed and removed days, month by month, and nothing else.
 * Each month is complete before the next begins. Calls for different months may run at the same time, also on different
 * machines.
 * @returns the months that changed, or would change
 * @throws ExternalError `mart_check_failed`, `partition_incomplete`; months before the failed one are updated
 */
export async function buildMarts(
  request: MartsRequest,
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<BuiltMonth[]> {
  const { dataDir, settings, definitions, from, to, isForced, isDryRun, month: only, remote = null } = request;
  const plans = (await planMonths({ dataDir, rules: nameRules(definitions), from, to, isForced })).filter(
    ({ month }) => only === undefined || month === only,
  );
  const builtAt = new Date(nowInstant(effects.clock) * 1000).toISOString();
  const report = (line: string) => effects.log.progress(line);
  for (const plan of isDryRun ? [] : plans) {
    await buildMonth(plan, { dataDir, settings, definitions, builtAt, remote, report });
  }
  return plans.map(({ month, made, removed, kept }) => ({ month, made: [...made.keys()], removed, kept: kept.size }));
}
