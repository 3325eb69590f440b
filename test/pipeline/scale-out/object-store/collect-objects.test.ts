import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectObjects } from '../../../../pipeline/scale-out/object-store/collect-objects.ts';
import { fetchTrees } from '../../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { listLocalTrees } from '../../../../pipeline/scale-out/object-store/local-state.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const HOUR = 3_600_000;
const MART = 'marts/line_daily/month=2026-01/part-0.parquet';

/** A machine and a store on one clock, in hours. */
async function clocked() {
  let hours = 0;
  const store = memoryObjectStore();
  store.now = () => hours * HOUR;
  const folder = await storedFolder(store);
  const clock = { nowMilliseconds: () => hours * HOUR };
  const context = { ...folder, effects: { ...folder.effects, clock } };
  const objects = () => [...store.objects.keys()].filter((key) => key.startsWith('objects/')).length;
  return {
    ...{ store, context, objects },
    at: (instant: number) => {
      hours = instant;
    },
    collect: () => collectObjects(context, { now: hours * HOUR, isDryRun: false }),
    write: async (files: Record<string, string | null>) => {
      await writeFiles(context.dataDir, files);
      await publishTrees(context, all);
    },
  };
}

it('unreferenced objects are removed after the grace period, and not before', async () => {
  const { at, collect, write, objects } = await clocked();
  await write({ [MART]: 'old' });
  at(100);
  await write({ [MART]: 'new' });
  expect(await collect()).toMatchObject({ needed: 1, garbage: 1, removed: 0 });
  at(147);
  expect(await collect()).toMatchObject({ garbage: 1, removed: 0 });
  at(149);
  expect(await collect()).toMatchObject({ garbage: 1, removed: 1, removedBytes: 3 });
  expect(objects()).toBe(1);
  expect(await collect()).toMatchObject({ garbage: 0, removed: 0 });
});

it('content that is published again meanwhile is written again, and remains', async () => {
  const { at, collect, write, context } = await clocked();
  await write({ [MART]: 'old' });
  at(100);
  await write({ [MART]: 'new' });
  await collect();
  at(149);
  await write({ [MART]: 'old' });
  expect(await collect()).toMatchObject({ removed: 0 });
  const reader = { ...(await storedFolder(context.store)), effects: context.effects };
  await fetchTrees(reader, all);
  expect(await readFiles(reader.dataDir)).toEqual({ [MART]: 'old' });
});

it('also between listing and removal', async () => {
  const { at, collect, write, store, context } = await clocked();
  await write({ [MART]: 'old' });
  at(100);
  await write({ [MART]: 'new' });
  await collect();
  at(149);
  let isRaced = false;
  store.before = async (call) => {
    if (!call.startsWith('put garbage') || isRaced) return;
    isRaced = true;
    await write({ [MART]: 'old' });
  };
  expect(await collect()).toMatchObject({ removed: 0 });
  store.before = () => {};
  const reader = { ...(await storedFolder(context.store)), effects: context.effects };
  await fetchTrees(reader, all);
  expect(await readFiles(reader.dataDir)).toEqual({ [MART]: 'old' });
});

it('removes empty trees of raw responses', async () => {
  const { at, collect, write, store, context } = await clocked();
  const answer = 'lake/raw/source=wl/fetch_date=2026-01-15/101530-a-1a2b3c4d.json.gz';
  await write({ [answer]: 'x' });
  expect(await listLocalTrees(context.dataDir)).toEqual(['raw/wl/2026-01-15-10']);
  await write({ [answer]: null });
  // Each hour of each source has such a tree: the folder does not record them all.
  expect(await listLocalTrees(context.dataDir)).toEqual([]);
  at(1);
  await collect();
  expect(store.objects.has('trees/raw/wl/2026-01-15-10.json')).toBe(true);
  at(60);
  await collect();
  expect(store.objects.has('trees/raw/wl/2026-01-15-10.json')).toBe(false);
});

it('of two concurrent collections one ends', async () => {
  const { at, collect, write } = await clocked();
  await write({ [MART]: 'old' });
  at(100);
  await write({ [MART]: 'new' });
  const ends = await Promise.allSettled([collect(), collect()]);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('after any sequence of publications and collections, every tree can be fetched', async () => {
  const step = fc.oneof(
    fc.record({ mart: fc.integer({ min: 0, max: 2 }), content: fc.constantFrom('a', 'b', 'c', null) }),
    fc.constant('collect' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 60 })), { maxLength: 12 }), async (steps) => {
      const { at, collect, write, context } = await clocked();
      let hours = 0;
      for (const [one, later] of steps) {
        hours += later;
        at(hours);
        if (one === 'collect') await collect();
        else await write({ [`marts/m${one.mart}/part-0.parquet`]: one.content });
      }
      const reader = { ...(await storedFolder(context.store)), effects: context.effects };
      await fetchTrees(reader, all);
      expect(await readFiles(reader.dataDir)).toEqual(await readFiles(context.dataDir));
    }),
    { numRuns: 25 },
  );
});

it('the record of empty trees by earlier versions is dropped by a publication, but not that of other stores', async () => {
  const { context } = await clocked();
  const { url, endpoint } = context.store;
  const knowledge = { endpoint, etag: '"1"', remote: {}, common: {} };
  const tree = (hour: string) => `state/object-store/trees/raw%2Fwl%2F2026-01-15-${hour}.json`;
  await writeFiles(context.dataDir, {
    [tree('10')]: JSON.stringify({ url, ...knowledge }),
    [tree('11')]: JSON.stringify({ url, ...knowledge }),
    [tree('12')]: JSON.stringify({ url: 's3://other', ...knowledge }),
  });
  await publishTrees(context, { stores: storeNames, isDryRun: true });
  expect(await listLocalTrees(context.dataDir)).toHaveLength(3);
  await publishTrees(context, { stores: storeNames });
  expect(await listLocalTrees(context.dataDir)).toEqual(['raw/wl/2026-01-15-12']);
});
