import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import {
  type FollowedTree,
  type FollowOptions,
  followTrees,
} from '../../../../pipeline/scale-out/object-store/follow-trees.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const realtime: FollowedTree = { name: 'snapshots/realtime', stores: ['realtime snapshots'], everySeconds: 1 };
const snapshot = (id: string) => ({
  [`snapshots/realtime/${id}.rt`]: `content of ${id}`,
  'snapshots/realtime/current.json': JSON.stringify({ id }),
});

/** A writer, and a follower whose rounds the test starts. */
async function followed() {
  const store = memoryObjectStore();
  const warnings: string[] = [];
  const [writer, folder] = [await storedFolder(store), await storedFolder(store, warnings)];
  let now = 0;
  let wake = () => {};
  let asleep: () => void = () => {};
  const sleep = (_milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wake = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      asleep();
    });
  const clock = { nowMilliseconds: () => now };
  const slept = () =>
    new Promise<void>((resolve) => {
      asleep = resolve;
    });
  const context = { ...folder, effects: { ...folder.effects, clock, sleep } };
  const begin = async (options: FollowOptions = {}) => {
    const round = slept();
    const following = followTrees(context, { trees: [realtime], ...options });
    await round;
    return following;
  };
  const next = async (seconds: number) => {
    now += seconds * 1000;
    const round = slept();
    wake();
    await round;
  };
  const publish = async (files: Record<string, string | null>) => {
    await writeFiles(writer.dataDir, files);
    await publishTrees(writer, all);
  };
  return { store, context, warnings, begin, next, publish, read: () => readFiles(context.dataDir) };
}

describe('an API that follows the store', () => {
  it('has each new state, and keeps removed files for a while', async () => {
    const { begin, next, publish, read, store } = await followed();
    await publish(snapshot('a'));
    const following = await begin();
    await following.ready;
    expect(await read()).toEqual(snapshot('a'));
    await publish({ ...snapshot('b'), 'snapshots/realtime/a.rt': null });
    await next(1);
    expect(await read()).toEqual({ ...snapshot('a'), ...snapshot('b') });
    await next(30);
    expect(Object.keys(await read())).toContain('snapshots/realtime/a.rt');
    await next(31);
    expect(await read()).toEqual(snapshot('b'));
    await following.close();
    expect(store.calls.filter((call) => call.startsWith('list'))).toEqual([]);
  });

  it('sends one request per round while nothing changes', async () => {
    const { begin, next, publish, store } = await followed();
    await publish(snapshot('a'));
    const following = await begin();
    store.calls.length = 0;
    for (let round = 0; round < 5; round++) await next(1);
    expect(store.calls).toEqual(Array(5).fill('get trees/snapshots/realtime.json'));
    await following.close();
  });

  it('continues with its files while the store is down, and reports since when', async () => {
    const { begin, next, publish, read, store, warnings } = await followed();
    await publish(snapshot('a'));
    const following = await begin();
    expect(following.freshness()).toEqual([{ name: 'snapshots/realtime', confirmedAt: 0, trouble: null }]);
    store.before = () => {
      throw new ExternalError('store_unreachable', 'down', { isRetryable: true });
    };
    await next(10);
    await next(10);
    expect(following.freshness()).toEqual([{ name: 'snapshots/realtime', confirmedAt: 0, trouble: 'down' }]);
    expect(warnings).toEqual(['the tree snapshots/realtime stays as it is: down']);
    expect(await read()).toEqual(snapshot('a'));
    store.before = () => {};
    await publish(snapshot('b'));
    await next(10);
    expect(following.freshness()).toEqual([{ name: 'snapshots/realtime', confirmedAt: 30_000, trouble: null }]);
    expect(JSON.parse((await read())['snapshots/realtime/current.json']!)).toEqual({ id: 'b' });
    await following.close();
  });

  it('never has a pointer to a missing file', async () => {
    const { begin, next, publish, read, store } = await followed();
    await publish(snapshot('a'));
    const following = await begin();
    await publish(snapshot('b'));
    store.before = (call) => {
      if (call.startsWith('download')) throw new ExternalError('store_unreachable', 'down', { isRetryable: true });
    };
    await next(1);
    expect(await read()).toEqual(snapshot('a'));
    store.before = () => {};
    await next(1);
    expect(await read()).toEqual({ ...snapshot('a'), ...snapshot('b') });
    await following.close();
  });

  it('fetches files changed while a job of the same folder was writing, once it has ended', async () => {
    const { begin, next, publish, read, store } = await followed();
    await publish(snapshot('a'));
    let isBusy = false;
    const following = await begin({ findBusy: async () => () => isBusy });
    isBusy = true;
    await publish(snapshot('b'));
    await next(1);
    expect(await read()).toEqual(snapshot('a'));
    // The local files grow old.
    expect(following.freshness()).toMatchObject([
      { confirmedAt: 0, trouble: expect.stringContaining('a job of this') },
    ]);
    isBusy = false;
    await next(1);
    expect(following.freshness()).toMatchObject([{ confirmedAt: 2000, trouble: null }]);
    expect(await read()).toEqual({ ...snapshot('a'), ...snapshot('b') });
    store.calls.length = 0;
    await next(1);
    expect(store.calls).toEqual(['get trees/snapshots/realtime.json']);
    await following.close();
  });

  it('checks a tree again if a job wrote one of its files during the fetch', async () => {
    const { begin, next, publish, read, store, context } = await followed();
    await publish(snapshot('a'));
    const following = await begin();
    await publish(snapshot('b'));
    store.before = async (call) => {
      if (!call.startsWith('download')) return;
      store.before = () => {};
      await writeFiles(context.dataDir, { 'snapshots/realtime/b.rt': 'made here' });
    };
    await next(1);
    expect(await read()).toEqual({ ...snapshot('a'), 'snapshots/realtime/b.rt': 'made here' });
    await next(1);
    expect(await read()).toEqual({ ...snapshot('a'), ...snapshot('b') });
    await following.close();
  });

  it('removes files that were removed while a job of the same folder was writing', async () => {
    const { begin, next, publish, read } = await followed();
    await publish({ ...snapshot('a'), ...snapshot('b') });
    let isBusy = false;
    const following = await begin({ findBusy: async () => () => isBusy });
    isBusy = true;
    await publish({ 'snapshots/realtime/a.rt': null });
    await next(1);
    isBusy = false;
    await next(1);
    await next(61);
    expect(await read()).toEqual(snapshot('b'));
    await following.close();
  });

  it('fetches files that another machine changed in a tree that a job of the same folder then wrote to', async () => {
    const { begin, next, publish, read, store, context } = await followed();
    const lake: FollowedTree = { name: 'lake', stores: ['credits', 'guide'], everySeconds: 5 };
    await publish({ 'lake/README.md': 'guide' });
    const following = await begin({ trees: [lake] });
    await writeFiles(context.dataDir, { 'lake/manifests/sources.json': '{"of":"here"}' });
    store.before = async (call) => {
      if (!call.startsWith('put trees/lake')) return;
      store.before = () => {};
      await publish({ 'lake/README.md': 'another guide' });
    };
    await publishTrees(context, { stores: ['credits'] });
    expect((await read())['lake/README.md']).toBe('guide');
    await next(5);
    expect(await read()).toEqual({ 'lake/README.md': 'another guide', 'lake/manifests/sources.json': '{"of":"here"}' });
    await following.close();
  });
});
