import { backoffMilliseconds, type RetryPolicy } from '../model/retry-policy.ts';
import { sleep } from './effects.ts';
import { mayPass } from './external-error.ts';

interface RetryOptions<Result> {
  /** Default: waits in real time. @throws the signal's reason */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** At least 0 and below 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Ends the waits between attempts; a running attempt must watch it itself. */
  readonly signal?: AbortSignal | undefined;
  /** Whether another attempt may succeed after this error. Default: `mayPass`. */
  readonly isRetryable?: (error: unknown, waitMilliseconds: number) => boolean;
  /** Whether a returned result counts as a failure. Default: none does. */
  readonly isFailure?: (result: Result) => boolean;
  /** Called before each wait. */
  readonly onRetry?: (failure: FailedAttempt<Result>, waitMilliseconds: number) => void;
}

/** What a failed attempt threw, or its result if that counts as a failure. */
interface FailedAttempt<Result> {
  readonly error?: unknown;
  readonly result?: Result;
}

/**
 * Calls a function until it succeeds, fails in a way that no attempt can change, or the policy allows no further attempt.
 * Every retry in this project runs here. Where a timer or a schedule decides when the next attempt starts, it takes its
 * waits from the same `RetryPolicy`, by `backoffMilliseconds`.
 * @returns the result of the last attempt, even if it counts as a failure
 * @throws the error of the last attempt, or the reason of the signal
 */
export async function retry<Result>(
  policy: RetryPolicy,
  attempt: () => Promise<Result>,
  options: RetryOptions<Result> = {},
): Promise<Result> {
  const { sleep: wait = sleep, random = Math.random, signal, isRetryable = mayPass, isFailure } = options;
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    const waitMilliseconds = backoffMilliseconds(policy, failures, random());
    const isLast = () =>
      failures === policy.maxAttempts || performance.now() - startedAt > (policy.maxMilliseconds ?? Infinity);
    let failure: FailedAttempt<Result>;
    try {
      const result = await attempt();
      if (!isFailure?.(result) || isLast()) return result;
      failure = { result };
    } catch (error) {
      if (isLast() || !isRetryable(error, waitMilliseconds)) throw error;
      failure = { error };
    }
    options.onRetry?.(failure, waitMilliseconds);
    if (waitMilliseconds > 0) await wait(waitMilliseconds, signal);
  }
}
