import webPush from 'web-push';
import { type Clock, nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import type { ResolveHost } from '../../pipeline/effects/pinned-lookup.ts';
import { parseRetryAfter } from '../../pipeline/effects/retry-after.ts';
import type { PendingPush, PushOutcome } from '../watches/outbox.ts';
import type { IsEndpointAllowed } from '../watches/push-endpoint.ts';
import { openConnections, type PushAnswer } from './post-message.ts';
import { backoffSeconds, judgeStatus, tryLater } from './push-outcomes.ts';
import type { SignRequest } from './sign-requests.ts';

/** What became of an attempt. Its reason names neither the subscription nor the watch, so it may be logged. */
export interface PushResult {
  readonly outcome: PushOutcome;
  /** Status or code, such as `status_429` or `ECONNREFUSED`. */
  readonly reason: string;
}

export interface PushSender {
  /** Makes one attempt. Whatever fails is an outcome. */
  send(push: PendingPush): Promise<PushResult>;
  /** Attempts under way fail, to be repeated. */
  close(): void;
}

interface PushSenderOptions {
  readonly signRequest: SignRequest;
  readonly isEndpointAllowed: IsEndpointAllowed;
  readonly resolve: ResolveHost;
  /** Limit of one attempt. */
  readonly attemptMilliseconds: number;
  /** For how long events are of use. */
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
    // A date is one of the real time, also where this service runs at another.
    return retry(push, reason, parseRetryAfter(answer.retryAfter, systemClock.nowMilliseconds()) ?? 0);
  };
  return {
    async send(push) {
      // The list may be another one than when the watch was made.
      if (!isEndpointAllowed(push.target.endpoint)) return drop('endpoint_not_allowed');
      const ttlSeconds = push.usefulUntil - nowInstant(clock);
      if (ttlSeconds <= 0) return drop('too_late');
      const body = encrypt(push);
      if (!body) return drop('keys_unusable');
      const endpoint = new URL(push.target.endpoint);
      const headers = { ...describe(push, ttlSeconds, body), authorization: signRequest(endpoint.origin) };
      // After a pause of this process the claim may be over, and another replica has sent it.
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
function encrypt({ target, payload }: PendingPush): Buffer | null {
  try {
    return webPush.encrypt(target.p256dh, target.auth, payload, 'aes128gcm').cipherText;
  } catch {
    return null;
  }
}

/**
 * The topic is the event's own: sent a second time, it replaces itself where it still waits at the push service, and
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
