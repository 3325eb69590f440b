import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deliverPushes, type PushDelivery } from '../../../api/push/deliver-pushes.ts';
import type { PushResult, PushSender } from '../../../api/push/send-push.ts';
import type { Outbox, PendingPush } from '../../../api/watches/outbox.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import {
  addWatch,
  countOutcomes,
  NOW,
  openReceiver,
  openSender,
  pushOf,
  START,
  targetOf,
  vapidKeys,
} from './push-cases.ts';

const QUICKLY = { pollMilliseconds: 5, pauseMilliseconds: 5, settleAgainMilliseconds: 5, graceMilliseconds: 50 };
/** A busy machine may need longer. */
const SOON = { timeout: 90_000, interval: 5 };
const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();

async function openStore(clock = fixedClock(START)): Promise<WatchStore> {
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  return store;
}

function deliver(outbox: Outbox, sender: PushSender, clock = fixedClock(START), log: Log = silentLog): PushDelivery {
  const delivery = deliverPushes(outbox, sender, { clock, log }, QUICKLY);
  onTestFinished(() => delivery.stop());
  return delivery;
}

const textsOf = (pushes: readonly { readonly message: unknown }[]) =>
  pushes.map(({ message }) => (message as { event: { text: string } }).event.text);

describe('queued events', () => {
  test('are delivered once, and in order per watch', async () => {
    const receiver = await openReceiver();
    const store = await openStore();
    const [first, second] = [receiver.subscribe(vapidKeys.publicKey), receiver.subscribe(vapidKeys.publicKey)];
    const watchId = await addWatch(store, targetOf(first), 'a', 'b', 'c');
    await addWatch(store, targetOf(second), 'd');
    const { counts, sender } = countOutcomes(openSender());
    const { stop } = deliver(store, sender);
    const received = await receiver.waitFor(4);
    await stop();
    expect(textsOf(received.filter(({ endpoint }) => endpoint === first.endpoint))).toEqual(['a', 'b', 'c']);
    expect(textsOf(received.filter(({ endpoint }) => endpoint === second.endpoint))).toEqual(['d']);
    const { message } = received.find(({ endpoint }) => endpoint === first.endpoint)!;
    expect(message).toMatchObject({ watchId, event: { id: expect.any(String), kind: 'delay' } });
    expect(counts).toEqual({ delivered: 4, dropped: 0, gone: 0, retried: 0 });
    expect(await store.claim((NOW + 3000) as Instant, 10)).toEqual([]);
  });

  test('are retried with the same id after a failure', async () => {
    const receiver = await openReceiver();
    const clock = fixedClock(START);
    const store = await openStore(clock);
    await addWatch(store, targetOf(receiver.subscribe(vapidKeys.publicKey)), 'a');
    receiver.answerNext({ status: 503 }, 'close');
    const { counts, sender } = countOutcomes(openSender({ clock }));
    deliver(store, sender, clock);
    await vi.waitFor(() => expect(counts.retried).toBe(1), SOON);
    clock.set(at(5));
    await vi.waitFor(() => expect(counts.retried).toBe(2), SOON);
    clock.set(at(15));
    const [first, ...others] = await receiver.waitFor(3);
    expect(others.map(({ message }) => message)).toEqual([first!.message, first!.message]);
    expect(others.map(({ ttlSeconds }) => ttlSeconds)).toEqual([3595, 3585]);
    await vi.waitFor(() => expect(counts).toEqual({ delivered: 1, dropped: 0, gone: 0, retried: 2 }), SOON);
  });

  test('end their watch if the subscription has ended', async () => {
    const receiver = await openReceiver();
    const store = await openStore();
    const [over, alive] = [receiver.subscribe(vapidKeys.publicKey), receiver.subscribe(vapidKeys.publicKey)];
    const ended = await addWatch(store, targetOf(over), 'a', 'b');
    const kept = await addWatch(store, targetOf(alive), 'c');
    receiver.unsubscribe(over);
    const { counts, sender } = countOutcomes(openSender());
    deliver(store, sender);
    await vi.waitFor(() => expect(counts).toEqual({ delivered: 1, dropped: 0, gone: 1, retried: 0 }), SOON);
    await vi.waitFor(async () => {
      const watches = await store.listChanged(0, 10);
      expect(new Map(watches.map(({ id, isRemoved }) => [id, isRemoved]))).toEqual(
        new Map([
          [kept, false],
          [ended, true],
        ]),
      );
      expect(watches.find(({ id }) => id === ended)!.target).toBeNull();
    }, SOON);
  });
});

/** An outbox that hands out pushes to one host, and records their outcomes. */
function fakeOutbox(count: number) {
  const waiting = Array.from({ length: count }, (_, i) => pushOf({ id: String(i) }));
  const settled = new Map<string, unknown>();
  let failure: Error | null = null;
  const outbox: Outbox = {
    async claim(_now, limit) {
      if (failure) throw failure;
      return waiting.splice(0, limit);
    },
    async settle(settlements) {
      for (const { id, outcome } of settlements) settled.set(id, outcome);
    },
  };
  return {
    outbox,
    settled,
    fail: (error: Error | null) => {
      failure = error;
    },
    add: (push: PendingPush) => waiting.push(push),
  };
}

describe('the delivery loop', () => {
  test('limits concurrent attempts, and completes all', async () => {
    const { outbox, settled } = fakeOutbox(500);
    const held: (() => void)[] = [];
    let isHolding = true;
    const sender: PushSender = {
      send: () =>
        new Promise((resolve) => {
          const answer = () => resolve({ outcome: 'delivered', reason: 'status_201' });
          if (isHolding) held.push(answer);
          else answer();
        }),
      close: () => {},
    };
    deliver(outbox, sender);
    await vi.waitFor(() => expect(held).toHaveLength(64), SOON);
    await new Promise((resolve) => setTimeout(resolve, 10 * QUICKLY.pollMilliseconds));
    expect(held).toHaveLength(64);
    isHolding = false;
    for (const answer of held) answer();
    await vi.waitFor(() => expect(settled.size).toBe(500), SOON);
    expect(new Set(settled.values())).toEqual(new Set(['delivered']));
  });

  test('continues after a failure of the store, which is logged once', async () => {
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    const { outbox, settled, fail, add } = fakeOutbox(0);
    const sender: PushSender = { send: async () => ({ outcome: 'delivered', reason: '' }), close: () => {} };
    const claim = vi.spyOn(outbox, 'claim');
    fail(new Error('the disk is full'));
    deliver(outbox, sender, fixedClock(START), { ...silentLog, warn: note, info: note });
    await vi.waitFor(() => expect(claim.mock.calls.length).toBeGreaterThan(3), SOON);
    add(pushOf());
    fail(null);
    await vi.waitFor(() => expect(settled.size).toBe(1), SOON);
    expect(lines).toEqual(['pushes wait: the disk is full', 'pushes are sent again']);
  });

  test('stores an outcome again after failures of the store, and sends once', async () => {
    const { outbox, settled } = fakeOutbox(1);
    const settle = vi.spyOn(outbox, 'settle');
    for (let i = 0; i < 2; i++) settle.mockRejectedValueOnce(new Error('the database restarts'));
    const send = vi.fn<PushSender['send']>(async () => ({ outcome: 'delivered', reason: 'status_201' }));
    deliver(outbox, { send, close: () => {} });
    await vi.waitFor(() => expect([...settled.values()]).toEqual(['delivered']), SOON);
    expect(settle).toHaveBeenCalledTimes(3);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test('gives up an outcome whose claim has expired, because another replica has the push', async () => {
    const { outbox } = fakeOutbox(1);
    const clock = fixedClock(START);
    const settle = vi.spyOn(outbox, 'settle').mockRejectedValue(new Error('the database is away'));
    const send = vi.fn<PushSender['send']>(async () => ({ outcome: 'delivered', reason: 'status_201' }));
    const { stop } = deliver(outbox, { send, close: () => {} }, clock);
    await vi.waitFor(() => expect(settle.mock.calls.length).toBeGreaterThan(2), SOON);
    clock.set(at(60));
    await new Promise((resolve) => setTimeout(resolve, 10 * QUICKLY.settleAgainMilliseconds));
    const { length } = settle.mock.calls;
    await new Promise((resolve) => setTimeout(resolve, 10 * QUICKLY.settleAgainMilliseconds));
    expect(settle.mock.calls.length).toBe(length);
    await stop();
  });

  test('logs totals of abandoned pushes, without recipients', async () => {
    const lines: string[] = [];
    const { outbox, settled } = fakeOutbox(30);
    const sender: PushSender = { send: async () => ({ outcome: 'dropped', reason: 'status_403' }), close: () => {} };
    deliver(outbox, sender, fixedClock(START), {
      ...silentLog,
      warn: (line) => void lines.push(line),
    });
    await vi.waitFor(() => expect(lines).toHaveLength(1), SOON);
    expect([...settled.values()]).toEqual(Array.from({ length: 30 }, () => 'dropped'));
    expect(lines).toEqual(['pushes were given up: 30 at push.example.org (status_403)']);
  });

  test('aborts hanging attempts when stopped, to be repeated', async () => {
    const receiver = await openReceiver();
    const store = await openStore();
    await addWatch(store, targetOf(receiver.subscribe(vapidKeys.publicKey)), 'a');
    receiver.answerNext('hang');
    const { counts, sender } = countOutcomes(openSender());
    const { stop } = deliver(store, sender);
    await receiver.waitFor(1);
    await stop();
    expect(counts).toEqual({ delivered: 0, dropped: 0, gone: 0, retried: 1 });
    expect(await store.claim((NOW + 4) as Instant, 10)).toEqual([]);
    expect(await store.claim((NOW + 5) as Instant, 10)).toMatchObject([{ attempts: 1 }]);
  });

  test('waits for attempts that are about to be answered when stopped', async () => {
    const { outbox, settled } = fakeOutbox(1);
    let answer = (_result: PushResult) => {};
    const send = vi.fn(
      () =>
        new Promise<PushResult>((resolve) => {
          answer = resolve;
        }),
    );
    const { stop } = deliver(outbox, { send, close: () => {} });
    await vi.waitFor(() => expect(send).toHaveBeenCalled(), SOON);
    const stopped = stop();
    answer({ outcome: 'delivered', reason: 'status_201' });
    await stopped;
    expect([...settled.values()]).toEqual(['delivered']);
  });
});
