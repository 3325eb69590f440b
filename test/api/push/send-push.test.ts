import { describe, expect, test } from 'vitest';
import { createSigner } from '../../../api/push/sign-requests.ts';
import { CLAIM_SECONDS, MAX_PAYLOAD_BYTES } from '../../../api/watches/outbox.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { ResolveHost } from '../../../pipeline/effects/pinned-lookup.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { verifyVapid } from '../../support/fakes/push-protocol.ts';
import type { ScriptedAnswer } from '../../support/fakes/push-receiver.ts';
import { NOW, openReceiver, openSender, pushOf, resolvingTo, START, targetOf, vapidKeys } from './push-cases.ts';

const later = (seconds: number) => (NOW + seconds) as Instant;
const retryAt = (seconds: number) => ({ retryAt: later(seconds) });

describe('a push', () => {
  test('arrives as written, with its time to live and urgency', async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const push = pushOf({ target, urgency: 'normal', usefulUntil: later(1800) });
    expect(await openSender().send(push)).toEqual({ outcome: 'delivered', reason: 'status_201' });
    expect(receiver.received).toEqual([
      {
        endpoint: target.endpoint,
        message: JSON.parse(push.payload),
        ttlSeconds: 1800,
        urgency: 'normal',
        topic: push.id,
        contact: 'mailto:ops@example.org',
        answer: { status: 201 },
        at: expect.any(Number),
        answeredAt: expect.any(Number),
      },
    ]);
    expect(receiver.faults).toEqual([]);
  });

  test('accepts as many bytes as the store permits', async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const payload = JSON.stringify('x'.repeat(MAX_PAYLOAD_BYTES - 2));
    expect((await openSender().send(pushOf({ target, payload }))).outcome).toBe('delivered');
    expect(receiver.received[0]!.message).toBe(JSON.parse(payload));
  });

  test('to many subscriptions is encrypted for each with its keys', async () => {
    const receiver = await openReceiver();
    const sender = openSender();
    const subscriptions = Array.from({ length: 20 }, () => receiver.subscribe(vapidKeys.publicKey));
    const sent = subscriptions.map((subscription, i) =>
      sender.send(pushOf({ target: targetOf(subscription), payload: String(i) })),
    );
    for (const { outcome } of await Promise.all(sent)) expect(outcome).toBe('delivered');
    const messages = subscriptions.map(
      ({ endpoint }) => receiver.received.find((push) => push.endpoint === endpoint)?.message,
    );
    expect(messages).toEqual(subscriptions.map((_, i) => i));
  });

  test("is refused if the subscription is for another key than the sender's", async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe('of another'));
    expect(await openSender().send(pushOf({ target }))).toEqual({ outcome: 'dropped', reason: 'status_400' });
    expect(receiver.faults).toEqual(['the key of another sender']);
  });
});

describe('the response of the push service decides', () => {
  const endless: ScriptedAnswer = { status: 201, body: 'x'.repeat(1_000_000) };
  const patience = (header: string): ScriptedAnswer => ({ status: 429, headers: { 'retry-after': header } });
  test.each<[string, ScriptedAnswer, outcome: unknown, reason: string]>([
    ['200', { status: 200 }, 'delivered', 'status_200'],
    ['202', { status: 202 }, 'delivered', 'status_202'],
    ['201 and more text than the sender reads', endless, 'delivered', 'status_201'],
    ['400', { status: 400, body: 'no' }, 'dropped', 'status_400'],
    ['403', { status: 403 }, 'dropped', 'status_403'],
    ['404', { status: 404 }, 'gone', 'status_404'],
    ['410', { status: 410 }, 'gone', 'status_410'],
    ['413', { status: 413 }, 'dropped', 'status_413'],
    ['429', { status: 429 }, retryAt(5), 'status_429'],
    ['429 and a longer wait', patience('120'), retryAt(120), 'status_429'],
    ['429 and a shorter wait', patience('0'), retryAt(5), 'status_429'],
    ['429 and an endless wait', patience('999999'), retryAt(3600), 'status_429'],
    ['429 and an invalid wait', patience('soon'), retryAt(5), 'status_429'],
    ['500', { status: 500 }, retryAt(5), 'status_500'],
    ['503', { status: 503 }, retryAt(5), 'status_503'],
    ['a connection that closes', 'close', retryAt(5), 'ECONNRESET'],
  ])('%s', async (_what, answer, outcome, reason) => {
    const receiver = await openReceiver();
    receiver.answerNext(answer);
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    expect(await openSender().send(pushOf({ target, usefulUntil: later(7200) }))).toEqual({ outcome, reason });
    expect(receiver.received).toHaveLength(1);
  });

  test('and a date to wait for uses the real time', async () => {
    const receiver = await openReceiver();
    receiver.answerNext(patience(new Date(Date.now() + 600_000).toUTCString()));
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const { outcome } = await openSender().send(pushOf({ target }));
    const { retryAt: instant } = outcome as { retryAt: Instant };
    expect(instant - NOW).toBeGreaterThan(300);
    expect(instant - NOW).toBeLessThanOrEqual(600);
  });

  test('and a timeout is retried later', async () => {
    const receiver = await openReceiver();
    receiver.answerNext('hang');
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const sender = openSender({ attemptMilliseconds: 50 });
    expect(await sender.send(pushOf({ target }))).toEqual({ outcome: retryAt(5), reason: 'push_timeout' });
  });

  test('and an unreachable service is retried later', async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    await receiver.close();
    expect(await openSender().send(pushOf({ target }))).toEqual({ outcome: retryAt(5), reason: 'ECONNREFUSED' });
  });

  test('each failure doubles the wait, while the event is valid', async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const sender = openSender();
    const attempts = [0, 1, 2, 3, 9, 10];
    receiver.answerNext(...attempts.map(() => ({ status: 503 })));
    const outcomes = [];
    for (const failed of attempts) outcomes.push((await sender.send(pushOf({ target, attempts: failed }))).outcome);
    expect(outcomes).toEqual([retryAt(5), retryAt(10), retryAt(20), retryAt(40), retryAt(900), retryAt(900)]);
    receiver.answerNext({ status: 503 });
    const last = pushOf({ target, attempts: 3, usefulUntil: later(40) });
    expect((await sender.send(last)).outcome).toBe('dropped');
  });
});

describe('does not follow a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const receiver = await openReceiver();
    const [subscribed, other] = [receiver.subscribe(vapidKeys.publicKey), receiver.subscribe(vapidKeys.publicKey)];
    receiver.answerNext({ status, headers: { location: other.endpoint } });
    const result = await openSender().send(pushOf({ target: targetOf(subscribed) }));
    expect(result).toEqual({ outcome: 'dropped', reason: `status_${status}` });
    expect(receiver.received.map(({ endpoint }) => endpoint)).toEqual([subscribed.endpoint]);
    expect(receiver.faults).toEqual([]);
  });
});

describe('nothing is sent', () => {
  const nothing = Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
  nothing.catch(() => {});
  const [publicHost, loopback] = ['https://push.example.org/1', 'http://localhost:1/1'];
  test.each([
    [
      'to a private address behind a public name',
      publicHost,
      resolvingTo('10.0.0.1'),
      'dropped',
      'push_address_refused',
    ],
    ['to this machine behind a public name', publicHost, resolvingTo('127.0.0.1'), 'dropped', 'push_address_refused'],
    ['to this machine by IPv6', publicHost, resolvingTo('::1', '::ffff:127.0.0.1'), 'dropped', 'push_address_refused'],
    ['to a name without address', publicHost, resolvingTo(), 'dropped', 'push_address_refused'],
    ['to a name that does not resolve now', publicHost, () => nothing, retryAt(5), 'ENOTFOUND'],
    [
      'to another machine behind the name of this one',
      loopback,
      resolvingTo('1.1.1.1'),
      'dropped',
      'push_address_refused',
    ],
    [
      'to a host that is not allowed',
      'https://example.com/1',
      resolvingTo('1.1.1.1'),
      'dropped',
      'endpoint_not_allowed',
    ],
  ])('%s', async (_what, endpoint, resolve, outcome, reason) => {
    const { p256dh, auth } = targetOf((await openReceiver()).subscribe(vapidKeys.publicKey));
    const push = pushOf({ target: { endpoint, p256dh, auth } });
    expect(await openSender({ resolve }).send(push)).toEqual({ outcome, reason });
  });

  test('to this machine unless a test allows it', async () => {
    const receiver = await openReceiver();
    const push = pushOf({ target: targetOf(receiver.subscribe(vapidKeys.publicKey)) });
    const sender = openSender({ allowLoopbackPushes: false });
    expect(await sender.send(push)).toEqual({ outcome: 'dropped', reason: 'endpoint_not_allowed' });
    expect(receiver.received).toEqual([]);
  });

  test('with invalid keys, or after its time to live', async () => {
    const receiver = await openReceiver();
    const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
    const sender = openSender();
    const broken = pushOf({ target: { ...target, p256dh: Buffer.alloc(65, 4).toString('base64url') } });
    expect(await sender.send(broken)).toEqual({ outcome: 'dropped', reason: 'keys_unusable' });
    const late = pushOf({ target, usefulUntil: NOW });
    expect(await sender.send(late)).toEqual({ outcome: 'dropped', reason: 'too_late' });
    expect([receiver.received, receiver.faults]).toEqual([[], []]);
  });
});

test('nothing is sent after the claim has expired: the process may pause anywhere before', async () => {
  const receiver = await openReceiver();
  const { endpoint, p256dh, auth } = targetOf(receiver.subscribe(vapidKeys.publicKey));
  const clock = fixedClock(START);
  const pausing: ResolveHost = async () => {
    clock.set(new Date((NOW + CLAIM_SECONDS) * 1000).toISOString());
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const target = { endpoint: endpoint.replace('127.0.0.1', 'localhost'), p256dh, auth };
  const sender = openSender({ clock, resolve: pausing });
  expect(await sender.send(pushOf({ target }))).toEqual({
    outcome: retryAt(CLAIM_SECONDS + 5),
    reason: 'push_claim_over',
  });
  // Also on an open connection.
  const kept = openSender({ clock });
  const again = pushOf({ target: { endpoint, p256dh, auth }, claimedUntil: later(2 * CLAIM_SECONDS) });
  expect((await kept.send(again)).outcome).toBe('delivered');
  clock.set(new Date((NOW + 2 * CLAIM_SECONDS) * 1000).toISOString());
  expect((await kept.send(again)).reason).toBe('push_claim_over');
  expect(receiver.received).toHaveLength(1);
});

test('a name is resolved once per connection, which goes to the checked address', async () => {
  const receiver = await openReceiver();
  const { endpoint, p256dh, auth } = targetOf(receiver.subscribe(vapidKeys.publicKey));
  const subscribed: string[] = [];
  const resolve = async (name: string) => {
    subscribed.push(name);
    // A second response would lead elsewhere.
    return [{ address: subscribed.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
  };
  const target = { endpoint: endpoint.replace('127.0.0.1', 'localhost'), p256dh, auth };
  const sender = openSender({ resolve });
  // The token is for the origin, and the receiver identifies itself by its address.
  expect(await sender.send(pushOf({ target }))).toEqual({ outcome: 'dropped', reason: 'status_400' });
  expect(receiver.faults).toEqual([`a token for ${new URL(target.endpoint).origin}`]);
  expect(subscribed).toEqual(['localhost']);
});

test('a token is reused for its origin, and for no other', async () => {
  const sign = createSigner(vapidKeys, 'https://example.org/contact');
  const [first, second] = ['https://a.example.org', 'https://b.example.org'];
  const claims = { contact: 'https://example.org/contact', key: vapidKeys.publicKey };
  expect(verifyVapid(await sign(first!), first!, Date.now() / 1000)).toEqual(claims);
  expect(verifyVapid(await sign(second!), second!, Date.now() / 1000)).toEqual(claims);
  expect(await sign(first!)).toBe(await sign(first!));
});
