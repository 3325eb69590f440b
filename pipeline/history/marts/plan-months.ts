import type { SourceId } from '../../model/ids.ts';
import { touchesMonth } from '../../model/month-range.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { findStopEventManifest, listStopEventDays } from '../stop-events/stop-event-manifest.ts';
import { type DayFacts, isIntact, listMartMonths, readMartManifest } from './mart-manifest.ts';

/** A finished day of one source. */
export interface DayInput {
  readonly source: SourceId;
  readonly rowsHash: string;
  readonly scheduled: number;
  readonly cancelled: number;
}

/** Work to be done in one month. */
export interface MonthPlan {
  readonly month: string;
  /** Days whose rows are kept. */
  readonly kept: ReadonlyMap<ServiceDate, DayFacts>;
  readonly made: ReadonlyMap<ServiceDate, readonly DayInput[]>;
  /** Days that no longer have stop events. */
  readonly removed: readonly ServiceDate[];
}

interface PlanRequest {
  readonly dataDir: string;
  /** From `nameRules`. */
  readonly rules: string;
  /** Range of days to check, both included; null: no bound. */
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  /** Rebuilds all of these days. */
  readonly isForced: boolean;
}

/**
 * Compares the marts with the stop events. A month built by other rules, or with incomplete files, is rebuilt with all
 * its days, whatever the range: its files must not mix two kinds of rows.
 * @returns months with work to do, oldest first
 */
export async function planMonths(request: PlanRequest): Promise<MonthPlan[]> {
  const { dataDir, rules } = request;
  const inputs = await readInputs(dataDir);
  const { months: known } = await readMartManifest(dataDir);
  const onDisk = await listMartMonths(dataDir);
  const months = new Set([...inputs.keys()].map(monthOf).concat(Object.keys(known), onDisk));
  const plans: MonthPlan[] = [];
  for (const month of [...months].sort()) {
    const facts = known[month];
    // Half of an unfinished month is new and half is old, so it is finished whatever the range.
    if (!touchesMonth(request, month) && facts?.rules !== '') continue;
    const days = new Map([...inputs].filter(([date]) => monthOf(date) === month));
    const isNew = !facts && !onDisk.includes(month);
    const isWhole = isNew || (facts?.rules === rules && (await isIntact(dataDir, month, facts)));
    const plan = isWhole ? planDays(month, facts?.days ?? {}, days, request) : planWholeMonth(month, days);
    if (!isWhole || plan.made.size > 0 || plan.removed.length > 0) plans.push(plan);
  }
  return plans;
}

function monthOf(date: ServiceDate): string {
  return date.slice(0, 7);
}

function planWholeMonth(month: string, days: MonthPlan['made']): MonthPlan {
  return { month, kept: new Map(), made: days, removed: [] };
}

function planDays(
  month: string,
  known: Readonly<Record<ServiceDate, DayFacts>>,
  days: MonthPlan['made'],
  { from, to, isForced }: PlanRequest,
): MonthPlan {
  const kept = new Map<ServiceDate, DayFacts>();
  const made = new Map<ServiceDate, readonly DayInput[]>();
  const removed: ServiceDate[] = [];
  for (const date of [...new Set([...Object.keys(known), ...days.keys()])].sort() as ServiceDate[]) {
    const before = known[date];
    const now = days.get(date);
    const isRequested = date >= (from ?? date) && date <= (to ?? date);
    const isSame = before !== undefined && now !== undefined && nameInputs(now) === nameFacts(before);
    if (before && (!isRequested || (isSame && !isForced))) kept.set(date, before);
    else if (now && isRequested) made.set(date, now);
    else if (before) removed.push(date);
  }
  return { month, kept, made, removed };
}

function nameInputs(inputs: readonly DayInput[]): string {
  return JSON.stringify(inputs.map(({ source, rowsHash }) => [source, rowsHash]).sort());
}

function nameFacts({ inputs }: DayFacts): string {
  return JSON.stringify(Object.entries(inputs).sort());
}

async function readInputs(dataDir: string): Promise<Map<ServiceDate, DayInput[]>> {
  const inputs = new Map<ServiceDate, DayInput[]>();
  for (const { source, serviceDate } of await listStopEventDays(dataDir)) {
    const manifest = await findStopEventManifest(dataDir, source, serviceDate);
    // Removed since it was listed: treated as if removed before.
    if (!manifest) continue;
    const { rowsHash, counts } = manifest;
    const input = { source, rowsHash, scheduled: counts.scheduled, cancelled: counts.cancelled };
    inputs.set(serviceDate, [...(inputs.get(serviceDate) ?? []), input]);
  }
  return new Map([...inputs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
