/** How often a failed operation is attempted again, and after which waits. */
export interface RetryPolicy {
  /** Wait before the second attempt; 0 retries immediately. */
  readonly firstWaitMilliseconds: number;
  /** Growth from one wait to the next; 1 keeps them equal. */
  readonly factor: number;
  readonly maxWaitMilliseconds: number;
  /** Range of the random factor of each wait, which keeps clients that fail together from returning together. */
  readonly jitter?: readonly [from: number, to: number];
  /** Includes the first attempt. Default: unlimited. */
  readonly maxAttempts?: number;
  /** No attempt follows a failure later than this after the first attempt began. Default: unlimited. */
  readonly maxMilliseconds?: number;
}

/** The second half of each wait is random. */
export const HALF_JITTER: NonNullable<RetryPolicy['jitter']> = [0.5, 1];

/** Larger exponents change no wait, and would overflow. */
const MAX_EXPONENT = 40;

/**
 * The wait after consecutive failures.
 * @param failures at least 1
 * @param random at least 0 and at most 1
 */
export function backoffMilliseconds(policy: RetryPolicy, failures: number, random = Math.random()): number {
  const { firstWaitMilliseconds, factor, maxWaitMilliseconds, jitter: [from, to] = [1, 1] } = policy;
  const grown = firstWaitMilliseconds * factor ** Math.min(failures - 1, MAX_EXPONENT);
  return Math.min(grown, maxWaitMilliseconds) * (from + (to - from) * random);
}
