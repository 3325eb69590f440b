import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { writeJsonAtomically } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import { addDays, type Instant, localDate, parseServiceDate, type ServiceDate } from '../../model/service-time.ts';

/** Requests sent to a source on one day in the source's time zone. */
export interface SpentBudget {
  readonly date: ServiceDate;
  readonly used: number;
}

export interface DailyLimit {
  readonly requests: number;
  /** Time zone of the day. */
  readonly zone: string;
}

/** Why no request may be sent: the day's budget is spent, or the number of sent requests is unknown. */
export type BudgetRefusal = 'budget_spent' | 'budget_unusable';

/**
 * Days that are kept, so that a clock set to another day and back finds its earlier count. A clock jump can add to a
 * day only what was sent under the wrong date: at most one more limit.
 */
const KEPT_DAYS = 8;

/**
 * Counts a request on disk before it is sent, so that a restart or crash loses no count. It fails closed: when the
 * count cannot be read or written, no request may be sent. A count dated more than a day ahead is reported and ignored.
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
    // After the clock was set back over midnight tomorrow's count is continued: no request is granted twice.
    const known = days.find(({ date }) => date === addDays(today, 1)) ?? days.find(({ date }) => date === today);
    if (!known) reportAhead(source, days, today, log);
    const { date, used } = known ?? { date: today, used: 0 };
    if (used >= limit.requests) return 'budget_spent';
    const others = days.filter((one) => one.date !== date).slice(1 - KEPT_DAYS);
    await writeJsonAtomically(budgetFile(dataDir, source), { days: [...others, { date, used: used + 1 }] });
    return null;
  } catch (error) {
    // After an error of the disk as well as with an invalid file, the number of sent requests is unknown.
    if (error instanceof Error) return 'budget_unusable';
    throw error;
  }
}

/**
 * @returns the last counted day that is not in the future; null if no day was counted
 * @throws the system error of the disk; RangeError when the file is invalid
 */
export async function findSpentBudget(dataDir: string, source: SourceId, now: Instant): Promise<SpentBudget | null> {
  const days = await readDays(dataDir, source);
  return days.findLast((day) => !isFarAhead(day, localDate(now, 'UTC'))) ?? null;
}

/** Called with the first request of a day, so that it is reported once. */
function reportAhead(source: SourceId, days: readonly SpentBudget[], today: ServiceDate, log: Log): void {
  for (const { date, used } of days.filter((day) => isFarAhead(day, today))) {
    log.warn(`${source}: ${used} requests are counted under ${date}, which is in the future; they are ignored`);
  }
}

/** By more than a day, as the date differs between zones and when a clock is set across midnight. */
function isFarAhead({ date }: SpentBudget, today: ServiceDate): boolean {
  return date > addDays(today, 1);
}

function budgetFile(dataDir: string, source: SourceId): string {
  return path.join(dataDir, 'realtime', 'budgets', `${source}.json`);
}

/** In counting order, the newest last. */
async function readDays(dataDir: string, source: SourceId): Promise<readonly SpentBudget[]> {
  const file = budgetFile(dataDir, source);
  const text = await findText(file);
  if (text === null) return [];
  const content = (JSON.parse(text) ?? {}) as { days?: unknown };
  // Versions before 2026-11 stored a single day as the content itself.
  const days = Array.isArray(content.days) ? content.days : [content];
  return days.map((day) => parseSpentBudget(day, file));
}

function parseSpentBudget(day: unknown, file: string): SpentBudget {
  const { date, used } = (day ?? {}) as { date?: unknown; used?: unknown };
  const isCount = typeof used === 'number' && Number.isSafeInteger(used) && used >= 0;
  if (!isCount || typeof date !== 'string' || parseServiceDate(date) !== date) {
    throw new RangeError(`${file} is not a count of requests`);
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
