import type { MartReader } from '../../../api/history/mart-reader.ts';
import { openTrinoHistory } from '../../../api/history/trino-reader.ts';
import type { PoolLimits } from '../../../api/history/worker-pool.ts';
import type { Clock } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { Trino } from '../../../pipeline/scale-out/trino/open-trino.ts';
import type { MartFile } from '../../../pipeline/snapshots/mart-snapshot.ts';

/** Fails instead of answering: a silent fallback would compare DuckDB with itself. */
const noFiles: MartReader = {
  hasMonths: false,
  query: () => Promise.reject(new Error('Trino did not answer')),
  queryCharts: () => Promise.reject(new Error('Trino did not answer')),
};

interface TrinoOnly {
  openReader(files: readonly MartFile<string>[]): MartReader;
  close(): Promise<void>;
}

/** History readers that only Trino answers. */
export function openTrinoOnly(
  trino: Trino,
  limits: PoolLimits,
  effects: { readonly clock: Clock; readonly log: Log },
): TrinoOnly {
  const { openReader, close } = openTrinoHistory({ trino, limits, ...effects, onAnswer: () => {} });
  return { openReader: (files) => openReader(files, noFiles), close };
}

/** Waits until the reader has found the states of its tables. @throws Error after a minute */
export async function untilTrinoAnswers(query: () => Promise<unknown>): Promise<void> {
  let reason: unknown;
  for (let attempt = 0; attempt < 120; attempt++) {
    try {
      return void (await query());
    } catch (error) {
      reason = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`Trino has no states of the tables that belong to the history: ${(reason as Error).message}`);
}
