import { backoffMilliseconds, HALF_JITTER, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PendingPush, PushOutcome } from '../watches/outbox.ts';

/** Without a limit of attempts: `usefulUntil` of each push is the limit. */
const pushDelivery: RetryPolicy = {
  firstWaitMilliseconds: 5000,
  factor: 2,
  maxWaitMilliseconds: 900_000,
  jitter: HALF_JITTER,
};

/** Outcome of a message by the status of the push service. @see RFC 8030, sections 5 and 7.3 */
export function judgeStatus(status: number): Exclude<PushOutcome, object> | 'retry' {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  // Timeout, or too many requests.
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'retry';
  return 'dropped';
}

/**
 * The wait after a failed attempt.
 * @param attempts failed before this one
 * @param random from 0 to 1
 */
export function backoffSeconds(attempts: number, random: number): number {
  return Math.ceil(backoffMilliseconds(pushDelivery, attempts + 1, random) / 1000);
}

/** @param waitSeconds until the next attempt, which is made only while the event is useful */
export function tryLater({ usefulUntil }: PendingPush, now: Instant, waitSeconds: number): PushOutcome {
  const retryAt = (now + waitSeconds) as Instant;
  return retryAt < usefulUntil ? { retryAt } : 'dropped';
}
