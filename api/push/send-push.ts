import { type Clock, nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import type { ResolveHost } from '../../pipeline/effects/pinned-lookup.ts';
import { parseRetryAfter } from '../../pipeline/effects/retry-after.ts';
import type { PendingPush, PushOutcome } from '../watches/outbox.ts';
import type { IsEndpointAllowed } from '../watches/push-endpoint.ts';
import { openConnections, type PushAnswer } from './post-message.ts';
import { backoffSeconds, judgeStatus, tryLater } from './push-outcomes.ts';
import type { SignRequest } from './sign-requests.ts';

/** Outcome of an attempt. Its reason contains neither subscription nor watch, so it may be logged. */
export interface PushResult {
  readonly outcome: PushOutcome;
  /** Status or code, such as `status_429` or `ECONNREFUSED`. */
  readonly reason: string;
}

export interface PushSender {
  /** Makes one attempt. Failures are outcomes. */
  send(push: PendingPush): Promise<PushResult>;
  /** Fails the attempts in progress; they are repeated. */
  close(): void;
}

interface PushSenderOptions {
  readonly signRequest: SignRequest;
  readonly isEndpointAllowed: IsEndpointAllowed;
  readonly resolve: ResolveHost;
  /** Limit of one attempt. */
  readonly attemptMilliseconds: number;
  /** How long events are useful. */
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

export function createPushSender(options: PushSenderOptions): PushSender {
  const { signRequest, isEndpointAllowed, clock, random } = options;
  const connections = openConnections(options.resolve, options.attemptMilliseconds);
  const retry = (push: PendingPush, reason: string, requestedSeconds = 0): PushResult => {
    const waitSeconds = Math.max(backoffSeconds(push.attempts, random()), requestedSeconds);
    return { outcome: tryLater(push, nowInstant(clock), waitSeconds), reason };
  };
  const judge = (push: PendingPush, answer: PushAnswer): PushResult => {
    const reason = `status_${answer.status}`;
    const outcome = judgeStatus(answer.status);
    if (outcome !== 'retry') return { outcome, reason };
    // A date is in real time, even if the clock of this service is simulated.
    return retry(push, reason, parseRetryAfter(answer.retryAfter, systemClock.nowMilliseconds()) ?? 0);
  };
  return {
    async send(push) {
      // The list may have changed since the watch was created.
      if (!isEndpointAllowed(push.target.endpoint)) return drop('endpoint_not_allowed');
      const ttlSeconds = push.usefulUntil - nowInstant(clock);
      if (ttlSeconds <= 0) return drop('too_late');
      const body = await encrypt(push);
      if (!body) return drop('keys_unusable');
      const endpoint = new URL(push.target.endpoint);
      const authorization = await signRequest(endpoint.origin);
      const headers = { ...describe(push, ttlSeconds, body), authorization };
      // After a pause of this process the claim may have expired, and another replica may have sent it.
      const mayBeSent = () => nowInstant(clock) < push.claimedUntil;
      try {
        return judge(push, await connections.post({ endpoint, headers, body, mayBeSent }));
      } catch (error) {
        const code = codeOf(error);
        return code === 'push_address_refused' ? drop(code) : retry(push, code);
      }
    },
    close: () => connections.close(),
  };
}

function drop(reason: string): PushResult {
  return { outcome: 'dropped', reason };
}

/** @returns null if the subscription has no valid keys */
async function encrypt({ target, payload }: PendingPush): Promise<Buffer | null> {
  const { default: webPush } = await import('web-push');
  try {
    return webPush.encrypt(target.p256dh, target.auth, payload, 'aes128gcm').cipherText;
  } catch {
    return null;
  }
}

/**
 * Each event has its own topic: sent again, it replaces itself if it still waits at the push service, and
 * never another event.
 * @see RFC 8030, section 5.4
 */
function describe({ id, urgency }: PendingPush, ttlSeconds: number, body: Buffer) {
  return {
    ttl: ttlSeconds,
    urgency,
    topic: id,
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    'content-length': body.length,
  };
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
