import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomically } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import { isSystemError } from '../../effects/world-error.ts';
import type { SourceId } from '../../model/ids.ts';
import { addDays, type Instant, localDate, parseServiceDate, type ServiceDate } from '../../model/service-time.ts';

/** Requests that were sent to a source on one day of its own zone. */
export interface SpentBudget {
  readonly date: ServiceDate;
  readonly used: number;
}

export interface DailyLimit {
  readonly requests: number;
  /** Whose midnight begins a new day. */
  readonly zone: string;
}

/** Why nothing may be asked: the day's requests are used up, or nobody can say how many were. */
export type BudgetRefusal = 'budget_spent' | 'budget_unusable';

/**
 * Days that are remembered, so that a clock that is set to another day and back finds what was counted before. What was
 * sent under a wrong date is all that a jump of the clock can add to a day: one more limit at most.
 */
const KEPT_DAYS = 8;

/**
 * Counts a request before it is sent, on disk, so that neither a restart nor a crash forgets it. It fails closed: when
 * the count cannot be read or written, nothing may be asked. A count under a date that is more than a day ahead is
 * reported and ignored.
 * @returns null when the request may be sent
 */
export async function spendBudget(
  dataDir: string,
  source: SourceId,
  limit: DailyLimit,
  now: Instant,
  { log }: { readonly log: Log },
): Promise<BudgetRefusal | null> {
  const today = localDate(now, limit.zone);
  try {
    const days = await readDays(dataDir, source);
    // Tomorrow was counted before the clock was set back over midnight: it goes on, so that no request is given twice.
    const known = days.find(({ date }) => date === addDays(today, 1)) ?? days.find(({ date }) => date === today);
    if (!known) reportAhead(source, days, today, log);
    const { date, used } = known ?? { date: today, used: 0 };
    if (used >= limit.requests) return 'budget_spent';
    const others = days.filter((one) => one.date !== date).slice(1 - KEPT_DAYS);
    await writeJsonAtomically(budgetFile(dataDir, source), { days: [...others, { date, used: used + 1 }] });
    return null;
  } catch (error) {
    // Both the disk's errors and a file of another content mean the same: nobody knows what was spent.
    if (error instanceof Error) return 'budget_unusable';
    throw error;
  }
}

/**
 * @returns the day that was counted last, of those that are not ahead; null when nothing was ever counted
 * @throws the system error of the disk; RangeError when the file holds no count
 */
export async function findSpentBudget(dataDir: string, source: SourceId, now: Instant): Promise<SpentBudget | null> {
  const days = await readDays(dataDir, source);
  return days.findLast((day) => !isFarAhead(day, localDate(now, 'UTC'))) ?? null;
}

/** With the first request of a day, so that it is reported once. */
function reportAhead(source: SourceId, days: readonly SpentBudget[], today: ServiceDate, log: Log): void {
  for (const { date, used } of days.filter((day) => isFarAhead(day, today))) {
    log.warn(`${source}: ${used} requests are counted under ${date}, which is still to come; they are ignored`);
  }
}

/** By more than a day: which day it is differs from zone to zone, and for a clock that is set over midnight. */
function isFarAhead({ date }: SpentBudget, today: ServiceDate): boolean {
  return date > addDays(today, 1);
}

function budgetFile(dataDir: string, source: SourceId): string {
  return path.join(dataDir, 'realtime', 'budgets', `${source}.json`);
}

/** In the order in which they were counted, the newest last. */
async function readDays(dataDir: string, source: SourceId): Promise<readonly SpentBudget[]> {
  const file = budgetFile(dataDir, source);
  const text = await findText(file);
  if (text === null) return [];
  const content = (JSON.parse(text) ?? {}) as { days?: unknown };
  // Versions before 2026-11 knew a single day, as the content itself.
  const days = Array.isArray(content.days) ? content.days : [content];
  return days.map((day) => parseSpentBudget(day, file));
}

function parseSpentBudget(day: unknown, file: string): SpentBudget {
  const { date, used } = (day ?? {}) as { date?: unknown; used?: unknown };
  const isCount = typeof used === 'number' && Number.isSafeInteger(used) && used >= 0;
  if (!isCount || typeof date !== 'string' || parseServiceDate(date) !== date) {
    throw new RangeError(`${file} holds no count of requests`);
  }
  return { date: date as ServiceDate, used };
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
