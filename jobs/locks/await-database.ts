import type { Effects } from '../../pipeline/effects/effects.ts';
import { mayPass } from '../../pipeline/effects/external-error.ts';

/** Waits between attempts to reach the database. */
const WAITS_MILLISECONDS: readonly number[] = [1000, 2000, 4000, 8000, 15_000];

/**
 * Calls the database until it answers, for half a minute at most.
 * @param waiting what waits, for the log: "build-marts waits for its locks"
 * @throws what the last attempt has thrown; the reason of `stopping`
 */
export async function awaitDatabase<Result>(
  waiting: string,
  call: () => Promise<Result>,
  { log, sleep }: Pick<Effects, 'log' | 'sleep'>,
  stopping?: AbortSignal,
): Promise<Result> {
  for (const wait of WAITS_MILLISECONDS) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error)) throw error;
      log.warn(`${waiting}: ${(error as Error).message}; retrying in ${wait / 1000} s`);
    }
    await sleep(wait, stopping);
  }
  return call();
}
