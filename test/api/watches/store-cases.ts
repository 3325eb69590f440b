import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../../api/contract/definitions.ts';
import type { Verdict, WatchOrder, WatchStore } from '../../../api/watches/store/watch-store.ts';
import { MAX_KEPT_EVENTS, type NewEvent, NOTHING_EMITTED, type StoredWatch } from '../../../api/watches/watch.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';

export const NOW = 1_773_646_200 as Instant;
export const LIMITS = { maxTotal: 1000, maxPerAddress: 1000, maxPerToken: 1000 };
const TARGET = { endpoint: 'https://push.example.org/1', p256dh: 'cGs', auth: 'YXV0aA' };

const at = (seconds: number) => (NOW + seconds) as Instant;

export function orderOf(changes: Partial<WatchOrder> = {}): WatchOrder {
  return {
    id: null,
    spec: { kind: 'line', lines: [{ label: 'S1' }], stopIds: [] },
    target: null,
    owner: 'anna',
    address: 'home',
    ...changes,
  };
}

function verdictOf(changes: Partial<Verdict> = {}): Verdict {
  return { memory: NOTHING_EMITTED, events: [], expiresAt: at(3600), ...changes };
}

const eventOf = (text: string): NewEvent => ({ kind: 'delay', text, delayMinutes: 7 });

async function put(store: WatchStore, changes: Partial<WatchOrder> = {}, verdict: Partial<Verdict> = {}) {
  const stored = await store.put(orderOf(changes), LIMITS, NOW, () => verdictOf(verdict));
  return stored ?? expect.fail('a limit is reached');
}

async function addEvents(store: WatchStore, watch: StoredWatch, ...texts: string[]): Promise<StoredWatch> {
  const judged = { watch, verdict: verdictOf({ events: texts.map(eventOf), expiresAt: null }) };
  const [stored] = (await store.commit([judged], 0, NOW)) ?? [];
  return stored ?? expect.fail('the watch has changed');
}

async function eventsOf(store: WatchStore, watch: StoredWatch): Promise<readonly WatchEvent[]> {
  return (await put(store, { id: watch.id, spec: watch.spec, target: watch.target })).events;
}

/** Guarantees of every engine of the store. */
export function describeStore(open: () => Promise<WatchStore>): void {
  describe('a watch', () => {
    test('is read back as stored, with its first events', async () => {
      const store = await open();
      const { watch, events } = await put(store, { target: TARGET }, { events: [eventOf('Zug fährt – 7′ später 🚆')] });
      expect(watch).toMatchObject({
        owner: 'anna',
        target: TARGET,
        eventCount: 1,
        expiresAt: at(3600),
        isRemoved: false,
      });
      expect(events).toEqual([
        {
          id: expect.stringMatching(/^[\w-]{22}$/),
          at: expect.any(String),
          kind: 'delay',
          delayMinutes: 7,
          text: 'Zug fährt – 7′ später 🚆',
        },
      ]);
      expect(await store.listChanged(0, 10)).toEqual([watch]);
    });

    test('has a unique id of 128 bits', async () => {
      const store = await open();
      const ids = [];
      for (let i = 0; i < 20; i++) ids.push((await put(store)).watch.id);
      expect(new Set(ids).size).toBe(20);
      for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(16);
    });

    test('keeps id and events when it is extended', async () => {
      const store = await open();
      const first = await put(store, {}, { events: [eventOf('a')] });
      const again = await store.put(orderOf({ id: first.watch.id }), LIMITS, NOW, (known) => {
        expect(known).toEqual(first.watch);
        return verdictOf({ expiresAt: at(9999), events: [eventOf('b')] });
      });
      expect(again).toMatchObject({ watch: { id: first.watch.id, expiresAt: at(9999), eventCount: 2 } });
      expect(again!.events.map(({ text }) => text)).toEqual(['a', 'b']);
    });

    test.each<[string, Partial<WatchOrder>]>([
      ['another owner', { owner: 'berta' }],
      ['no owner', { owner: '' }],
      ['another kind', { spec: { kind: 'trip', legs: [], minDelayMinutes: 5, until: null } }],
      ['an unknown id', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ])('with %s is a new one', async (_name, changes) => {
      const store = await open();
      const first = await put(store);
      const other = await put(store, { id: first.watch.id, ...changes });
      expect(other.watch.id).not.toBe(first.watch.id);
      expect(await store.listChanged(0, 10)).toHaveLength(2);
    });

    test('that has expired is a new one', async () => {
      const store = await open();
      const { watch } = await put(store);
      const later = await store.put(orderOf({ id: watch.id }), LIMITS, at(3600), () =>
        verdictOf({ expiresAt: at(9999) }),
      );
      expect(later!.watch.id).not.toBe(watch.id);
    });

    test('is removed once, only by its owner', async () => {
      const store = await open();
      const { watch } = await put(store);
      expect(await store.remove(watch.id, 'line', 'berta', NOW)).toBe(false);
      expect(await store.remove(watch.id, 'trip', 'anna', NOW)).toBe(false);
      expect(await store.remove(watch.id, 'line', 'anna', NOW)).toBe(true);
      expect(await store.remove(watch.id, 'line', 'anna', NOW)).toBe(false);
      expect(await store.listChanged(watch.change, 10)).toMatchObject([
        { id: watch.id, isRemoved: true, target: null, owner: '' },
      ]);
    });

    test('is not stored if its judgement fails', async () => {
      const store = await open();
      const failing = store.put(orderOf(), { ...LIMITS, maxTotal: 1 }, NOW, () => {
        throw new Error('no such journey');
      });
      await expect(failing).rejects.toThrow('no such journey');
      expect(await store.listChanged(0, 10)).toEqual([]);
      expect(await store.put(orderOf(), { ...LIMITS, maxTotal: 1 }, NOW, () => verdictOf())).not.toBeNull();
    });
  });

  describe('a limit', () => {
    test.each([
      ['in total', { maxTotal: 2 }, {}],
      ['of one address', { maxPerAddress: 2 }, { owner: '' }],
      ['of one token', { maxPerToken: 2 }, {}],
    ])('%s rejects the next watch, but not an extension', async (_name, limit, changes) => {
      const store = await open();
      const limits = { ...LIMITS, ...limit };
      const put = (more = {}) => store.put(orderOf({ ...changes, ...more }), limits, NOW, () => verdictOf());
      const first = await put();
      expect(await put()).not.toBeNull();
      expect(await put()).toBeNull();
      expect(await store.listChanged(0, 10)).toHaveLength(2);
      expect(await put({ id: first!.watch.id })).not.toBeNull();
      await store.remove(first!.watch.id, 'line', first!.watch.owner, NOW);
      expect(await put()).not.toBeNull();
    });

    test('applies to concurrent requests', async () => {
      const store = await open();
      const limits = { ...LIMITS, maxTotal: 5 };
      const created = await Promise.all(
        Array.from({ length: 20 }, () => store.put(orderOf(), limits, NOW, () => verdictOf())),
      );
      expect(created.filter((one) => one !== null)).toHaveLength(5);
    });
  });

  describe('a judgement', () => {
    test('adds its events in order, with ids that depend only on watch and number', async () => {
      const store = await open();
      const { watch } = await put(store);
      const emitted = await addEvents(store, await addEvents(store, watch, 'a', 'b'), 'c');
      const events = await eventsOf(store, emitted);
      expect(events.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
      expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    });

    test('of a watch that has changed meanwhile is not stored', async () => {
      const store = await open();
      const { watch } = await put(store);
      const other = await put(store);
      await addEvents(store, watch, 'a');
      const judged = [watch, other.watch].map((one) => ({
        watch: one,
        verdict: verdictOf({ events: [eventOf('b')] }),
      }));
      const stored = await store.commit(judged, 0, NOW);
      expect(stored).toMatchObject([null, { id: other.watch.id, eventCount: 1 }]);
      expect((await eventsOf(store, watch)).map(({ text }) => text)).toEqual(['a']);
    });

    test('of a removed watch is not stored', async () => {
      const store = await open();
      const { watch } = await put(store);
      await store.remove(watch.id, 'line', 'anna', NOW);
      expect(await store.commit([{ watch, verdict: verdictOf() }], 0, NOW)).toEqual([null]);
    });

    test('with an older realtime snapshot than the newest judged is rejected', async () => {
      const store = await open();
      const { watch } = await put(store);
      const newest = NOW * 1000;
      expect(await store.beginJudging(newest)).toBe(newest);
      expect(await store.beginJudging(newest - 1)).toBe(newest);
      const verdict = verdictOf({ events: [eventOf('a')] });
      expect(await store.commit([{ watch, verdict }], newest - 1, NOW)).toBeNull();
      expect(await eventsOf(store, watch)).toEqual([]);
      const [known] = await store.listChanged(0, 1);
      expect(await store.commit([{ watch: known!, verdict }], newest, NOW)).toMatchObject([{ eventCount: 1 }]);
    });

    test('counts again if the newest was judged long ago: realtime has ended', async () => {
      const store = await open();
      await store.beginJudging((NOW - 601) * 1000);
      expect(await store.beginJudging(0)).toBe(0);
    });

    test('drops events beyond the newest', async () => {
      const store = await open();
      const { watch } = await put(store);
      const texts = Array.from({ length: MAX_KEPT_EVENTS + 3 }, (_, i) => `e${i}`);
      const emitted = await addEvents(store, watch, ...texts);
      expect((await eventsOf(store, emitted)).map(({ text }) => text)).toEqual(texts.slice(3));
    });
  });

  describe('the outbox', () => {
    test('hands out the events of pushed watches once, one of a watch at a time', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      const polled = await put(store);
      await addEvents(store, watch, 'a', 'b');
      await addEvents(store, polled.watch, 'never pushed');
      const [first, ...others] = await store.claim(NOW, 10);
      expect(others).toEqual([]);
      expect(first).toMatchObject({ watchId: watch.id, target: TARGET, attempts: 0, urgency: 'high' });
      expect(JSON.parse(first!.payload)).toMatchObject({ watchId: watch.id, event: { id: first!.id, text: 'a' } });
      expect(await store.claim(NOW, 10)).toEqual([]);
      await store.settle([{ ...first!, outcome: 'delivered' }]);
      const [second] = await store.claim(NOW, 10);
      expect(JSON.parse(second!.payload)).toMatchObject({ event: { text: 'b' } });
      await store.settle([{ ...second!, outcome: 'dropped' }]);
      expect(await store.claim(at(120), 10)).toEqual([]);
    });

    test('does not push events that the response itself contains', async () => {
      const store = await open();
      await put(store, { target: TARGET }, { events: [eventOf('in the answer')] });
      expect(await store.claim(at(60), 10)).toEqual([]);
    });

    test('hands out again events that were claimed but never settled, and those to be retried', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      await addEvents(store, watch, 'a');
      const [claimed] = await store.claim(NOW, 10);
      expect(await store.claim(at(59), 10)).toEqual([]);
      const [again] = await store.claim(at(60), 10);
      expect(again).toMatchObject({ id: claimed!.id, attempts: 0 });
      await store.settle([{ ...again!, outcome: { retryAt: at(300) } }]);
      expect(await store.claim(at(299), 10)).toEqual([]);
      expect(await store.claim(at(300), 10)).toMatchObject([{ id: claimed!.id, attempts: 1 }]);
    });

    test('accepts no retry of a claim that has passed to another replica, but every delivery', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      await addEvents(store, watch, 'a');
      const [lost] = await store.claim(NOW, 10);
      const [held] = await store.claim(at(60), 10);
      expect([lost!.claimedUntil, held!.claimedUntil]).toEqual([at(60), at(120)]);
      await store.settle([{ ...lost!, outcome: { retryAt: at(65) } }]);
      expect(await store.claim(at(119), 10)).toEqual([]);
      expect(await store.claim(at(120), 10)).toMatchObject([{ id: held!.id, attempts: 0 }]);
      await store.settle([{ ...lost!, outcome: 'delivered' }]);
      expect(await store.claim(at(300), 10)).toEqual([]);
    });

    test('drops events that are no longer useful', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      await addEvents(store, watch, 'a');
      expect(await store.claim(at(4000), 10)).toEqual([]);
    });

    test('ends a watch whose subscription is gone', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      await addEvents(store, watch, 'a', 'b');
      const [push] = await store.claim(NOW, 10);
      await store.settle([{ ...push!, outcome: 'gone' }]);
      await store.settle([{ ...push!, outcome: 'gone' }]);
      expect(await store.claim(at(600), 10)).toEqual([]);
      expect(await store.remove(watch.id, 'line', 'anna', NOW)).toBe(false);
    });

    test('settles several at once, each with its outcome', async () => {
      const store = await open();
      for (const name of ['a', 'b', 'c', 'd']) {
        const { watch } = await put(store, { target: { ...TARGET, endpoint: `https://push.example.org/${name}` } });
        await addEvents(store, watch, name);
      }
      const pushes = await store.claim(NOW, 10);
      const outcomes = ['delivered', 'gone', { retryAt: at(20) }, 'gone'] as const;
      await store.settle(outcomes.map((outcome, i) => ({ ...pushes[i]!, outcome })));
      expect((await store.claim(at(20), 10)).map(({ id }) => id)).toEqual([pushes[2]!.id]);
      const removed = (await store.listChanged(0, 10)).filter(({ isRemoved }) => isRemoved);
      expect(new Set(removed.map(({ id }) => id))).toEqual(new Set([pushes[1]!.watchId, pushes[3]!.watchId]));
      expect(new Set(removed.map(({ change }) => change)).size).toBe(2);
    });

    test('does not end a watch that the app has subscribed again meanwhile', async () => {
      const store = await open();
      const { watch } = await put(store, { target: TARGET });
      await addEvents(store, watch, 'a');
      const [push] = await store.claim(NOW, 10);
      const target = { ...TARGET, endpoint: 'https://push.example.org/2' };
      await put(store, { id: watch.id, spec: watch.spec, target }, { expiresAt: null });
      await store.settle([{ ...push!, outcome: 'gone' }]);
      expect(await store.claim(NOW, 10)).toMatchObject([{ id: push!.id, target }]);
    });
  });

  test('keys are those of the first replica', async () => {
    const store = await open();
    const keys = { 'watches.vapidKey': 'a', referenceKey: 'b' };
    expect(await store.confirmKeys(keys)).toEqual([]);
    expect(await store.confirmKeys({ ...keys, referenceKey: 'c' })).toEqual(['referenceKey']);
    expect(await store.confirmKeys({ ...keys, 'watches.vapidKey': 'd' })).toEqual(['watches.vapidKey']);
    expect(await store.confirmKeys(keys)).toEqual([]);
  });

  describe('clean-up', () => {
    test('removes expired watches, frees their quota, and drops them later', async () => {
      const store = await open();
      const limits = { ...LIMITS, maxTotal: 2 };
      const put = (expiresAt: Instant) => store.put(orderOf(), limits, NOW, () => verdictOf({ expiresAt }));
      const short = await put(at(10));
      const long = await put(at(100_000));
      expect(await store.cleanUp(at(9))).toBe(0);
      expect(await store.cleanUp(at(10))).toBe(1);
      expect(await store.cleanUp(at(11))).toBe(0);
      expect(await store.listChanged(long!.watch.change, 10)).toMatchObject([{ id: short!.watch.id, isRemoved: true }]);
      expect(await put(at(100_000))).not.toBeNull();
      expect(await store.cleanUp(at(3700))).toBe(0);
      const left = await store.listChanged(0, 10);
      expect(left.every(({ isRemoved }) => !isRemoved)).toBe(true);
      expect(left).toHaveLength(2);
    });
  });
}
