import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PendingPush, PushOutcome } from '../watches/outbox.ts';

const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 900;

/** What the status of a push service says of a message. @see RFC 8030, sections 5 and 7.3 */
export function judgeStatus(status: number): Exclude<PushOutcome, object> | 'retry' {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  // It took too long, or asks for patience.
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'retry';
  return 'dropped';
}

/**
 * The wait after a failed attempt: doubled with each, up to a quarter of an hour, and spread over its second half, so
 * that what failed together is not tried together.
 * @param attempts failed before this one
 * @param random from 0 to 1
 */
export function backoffSeconds(attempts: number, random: number): number {
  const longest = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(attempts, 20), MAX_WAIT_SECONDS);
  return Math.ceil(longest * (0.5 + random / 2));
}

/** @param waitSeconds until the next attempt, which is made only while the event is of use */
export function tryLater({ usefulUntil }: PendingPush, now: Instant, waitSeconds: number): PushOutcome {
  const retryAt = (now + waitSeconds) as Instant;
  return retryAt < usefulUntil ? { retryAt } : 'dropped';
}
