import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomically } from '../effects/files.ts';
import { isSystemError } from '../effects/world-error.ts';
import type { SourceId } from '../model/ids.ts';
import { type Instant, localDate, parseServiceDate, type ServiceDate } from '../model/service-time.ts';

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
 * Counts a request before it is sent, on disk, so that neither a restart nor a crash forgets it. It fails closed: when
 * the count cannot be read or written, nothing may be asked.
 * @returns null when the request may be sent
 */
export async function spendBudget(
  dataDir: string,
  source: SourceId,
  limit: DailyLimit,
  now: Instant,
): Promise<BudgetRefusal | null> {
  const today = localDate(now, limit.zone);
  try {
    const spent = await findSpentBudget(dataDir, source);
    // A day ahead of ours was counted before the clock was set back: it goes on, so that no request is given twice.
    const day = spent && spent.date >= today ? spent : { date: today, used: 0 };
    if (day.used >= limit.requests) return 'budget_spent';
    await writeJsonAtomically(budgetFile(dataDir, source), { date: day.date, used: day.used + 1 });
    return null;
  } catch (error) {
    // Both the disk's errors and a file of another content mean the same: nobody knows what was spent.
    if (error instanceof Error) return 'budget_unusable';
    throw error;
  }
}

/**
 * @returns null when nothing was ever counted
 * @throws the system error of the disk; RangeError when the file holds no count
 */
export async function findSpentBudget(dataDir: string, source: SourceId): Promise<SpentBudget | null> {
  const file = budgetFile(dataDir, source);
  const text = await findText(file);
  return text === null ? null : parseSpentBudget(text, file);
}

function budgetFile(dataDir: string, source: SourceId): string {
  return path.join(dataDir, 'realtime', 'budgets', `${source}.json`);
}

function parseSpentBudget(text: string, file: string): SpentBudget {
  const { date, used } = (JSON.parse(text) ?? {}) as { date?: unknown; used?: unknown };
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
