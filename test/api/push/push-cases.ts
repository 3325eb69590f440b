import { isIP } from 'node:net';
import { onTestFinished } from 'vitest';
import { createPushSender, type PushSender } from '../../../api/push/send-push.ts';
import { createSigner } from '../../../api/push/sign-requests.ts';
import { getVapidKeys } from '../../../api/push/vapid-keys.ts';
import { CLAIM_SECONDS, type PendingPush, type PushTarget } from '../../../api/watches/outbox.ts';
import { allowEndpoints } from '../../../api/watches/push-endpoint.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import { NOTHING_EMITTED } from '../../../api/watches/watch.ts';
import { type Clock, fixedClock } from '../../../pipeline/effects/clock.ts';
import type { ResolveHost } from '../../../pipeline/effects/pinned-lookup.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { openPushReceiver, type PushReceiver, type PushSubscription } from '../../support/fakes/push-receiver.ts';
import { testWatchSettings } from '../../support/fakes/test-watches.ts';
import { LIMITS, NOW, orderOf } from '../watches/store-cases.ts';

export { NOW };
export const START = new Date(NOW * 1000).toISOString();

export const VAPID_KEY = Buffer.alloc(32, 7).toString('base64url');
export const vapidKeys = await getVapidKeys(VAPID_KEY, '');

export function targetOf({ endpoint, keys }: PushSubscription): PushTarget {
  return { endpoint, ...keys };
}

export function pushOf(changes: Partial<PendingPush> = {}): PendingPush {
  return {
    id: 'event-1',
    watchId: 'watch-1',
    target: { endpoint: 'https://push.example.org/1', p256dh: 'cGs', auth: 'YXV0aA' },
    payload: JSON.stringify({ watchId: 'watch-1', event: { id: 'event-1', text: 'S1 fährt 7′ später 🚆' } }),
    urgency: 'high',
    usefulUntil: (NOW + 3600) as Instant,
    attempts: 0,
    claimedUntil: (NOW + CLAIM_SECONDS) as Instant,
    ...changes,
  };
}

/**
 * Makes a watch of lines with events.
 * @returns its id
 */
export async function addWatch(store: WatchStore, target: PushTarget, ...texts: string[]): Promise<string> {
  const expiresAt = (NOW + 86_400) as Instant;
  const put = await store.put(orderOf({ target }), LIMITS, NOW, () => ({
    memory: NOTHING_EMITTED,
    events: [],
    expiresAt,
  }));
  const events = texts.map((text) => ({ kind: 'delay' as const, text }));
  await store.commit([{ watch: put!.watch, verdict: { memory: NOTHING_EMITTED, events, expiresAt: null } }], 0, NOW);
  return put!.watch.id;
}

/** A receiver that stops with the test. */
export async function openReceiver(): Promise<PushReceiver> {
  const receiver = await openPushReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** @returns a sender that wraps the given one, and the outcomes so far */
export function countOutcomes(sender: PushSender) {
  const counts = { delivered: 0, dropped: 0, gone: 0, retried: 0 };
  const send: PushSender['send'] = async (push) => {
    const result = await sender.send(push);
    counts[typeof result.outcome === 'string' ? result.outcome : 'retried']++;
    return result;
  };
  return { counts, sender: { ...sender, send } };
}

/** A resolver that returns the same addresses for every name. */
export function resolvingTo(...addresses: readonly string[]): ResolveHost {
  return async () => addresses.map((address) => ({ address, family: isIP(address) }));
}

interface SenderChanges {
  readonly clock?: Clock;
  readonly resolve?: ResolveHost;
  readonly attemptMilliseconds?: number;
  readonly allowLoopbackPushes?: boolean;
}

/** A sender that closes with the test; waits are at their maximum. */
export function openSender({
  clock = fixedClock(START),
  resolve = resolvingTo('127.0.0.1'),
  attemptMilliseconds = 60_000,
  allowLoopbackPushes = true,
}: SenderChanges = {}): PushSender {
  const sender = createPushSender({
    signRequest: createSigner(vapidKeys, 'mailto:ops@example.org'),
    isEndpointAllowed: allowEndpoints({ ...testWatchSettings, allowLoopbackPushes }),
    resolve,
    attemptMilliseconds,
    clock,
    random: () => 1,
  });
  onTestFinished(() => sender.close());
  return sender;
}
