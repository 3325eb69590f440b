import type { Effects } from '../../pipeline/effects/effects.ts';
import { retry } from '../../pipeline/effects/retry.ts';
import { HALF_JITTER, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';

const databaseCalls: RetryPolicy = {
  firstWaitMilliseconds: 1000,
  factor: 2,
  maxWaitMilliseconds: 15_000,
  jitter: HALF_JITTER,
  maxAttempts: 6,
};

/**
 * Calls the database until it answers, for half a minute at most.
 * @param waiting what waits, for the log: "build-marts waits for its locks"
 * @throws the error of the last attempt; the reason of `stopping`
 */
export function awaitDatabase<Result>(
  waiting: string,
  call: () => Promise<Result>,
  { log, sleep }: Pick<Effects, 'log' | 'sleep'>,
  stopping?: AbortSignal,
): Promise<Result> {
  return retry(databaseCalls, call, {
    sleep,
    signal: stopping,
    onRetry: ({ error }, wait) =>
      log.warn(`${waiting}: ${(error as Error).message}; retrying in ${Math.ceil(wait / 1000)} s`),
  });
}
