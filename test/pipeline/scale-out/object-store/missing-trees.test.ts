import { expect, it } from 'vitest';
import { fetchTrees } from '../../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { followTrees } from '../../../../pipeline/scale-out/object-store/follow-trees.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { sendMissing } from '../../../../pipeline/scale-out/object-store/send-missing.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const URL = 's3://bucket/prefix';
const ANSWER = 'lake/raw/source=wl/fetch_date=2026-01-15/101530-a-1a2b3c4d.json.gz';
const world = {
  'lake/stop_events/source=wl/service_date=2026-01-15/part-0.parquet': 'rows of the 15th',
  'marts/line_daily/month=2026-01/part-0.parquet': 'a month',
  'marts/manifest.json': '{"months":1}',
  'announcements.yaml': 'notices: []',
  [ANSWER]: 'an answer',
};

/** A folder whose files are all in a store at an endpoint. */
async function published(warnings: string[] = []) {
  const store = memoryObjectStore(URL, 'http://one');
  const context = await storedFolder(store, warnings);
  await writeFiles(context.dataDir, world);
  await publishTrees(context, all);
  return { store, context };
}

it('an emptied bucket removes nothing from a working copy, and is reported', async () => {
  const { store, context } = await published();
  store.objects.clear();
  await expect(fetchTrees(context, all)).rejects.toMatchObject({
    code: 'tree_missing',
    isRetryable: false,
    message: expect.stringMatching(/restore trees\/.*, or remove .*object-store and run "taktgeber store publish"/),
  });
  expect(await fetchTrees(context, { stores: ['raw answers'] })).toMatchObject({ removed: 0 });
  for (const stores of [['marts'], ['announcements']] as const) {
    await expect(fetchTrees(context, { stores })).rejects.toMatchObject({ code: 'tree_missing' });
  }
  expect(await readFiles(context.dataDir)).toEqual(world);
});

it('publishes nothing into the remains of an emptied bucket, even after reading the tree again', async () => {
  const { store, context } = await published();
  await writeFiles(context.dataDir, { 'marts/x/part-0.parquet': 'new' });
  store.before = (call) => {
    if (call === 'put trees/marts.json') store.objects.clear();
  };
  await expect(publishTrees(context, all)).rejects.toMatchObject({ code: 'tree_missing' });
  expect([...store.objects.keys()].filter((key) => key.startsWith('trees/'))).toEqual([]);
});

it('an API keeps its files, and reports the reason', async () => {
  const warnings: string[] = [];
  const { store, context } = await published(warnings);
  store.objects.clear();
  const sleep = (_milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const trees = [{ name: 'announcements', stores: ['announcements'] as const, everySeconds: 5 }];
  const following = followTrees({ ...context, effects: { ...context.effects, sleep } }, { trees });
  await following.ready;
  expect(following.freshness()).toMatchObject([{ confirmedAt: null, trouble: expect.stringContaining('is gone') }]);
  expect(warnings).toMatchObject([expect.stringContaining('the tree announcements stays as it is')]);
  await following.close();
  expect(await readFiles(context.dataDir)).toEqual(world);
});

it('another endpoint shares nothing: nothing is removed, and everything is published', async () => {
  const { context } = await published();
  const other = { ...context, store: memoryObjectStore(URL, 'http://two') };
  expect(await fetchTrees(other, all)).toMatchObject({ files: 0, removed: 0 });
  expect(await publishTrees(other, all)).toMatchObject({ files: 5 });
  expect(await readFiles(context.dataDir)).toEqual(world);
  const reader = await storedFolder(other.store);
  await fetchTrees(reader, all);
  expect(await readFiles(reader.dataDir)).toEqual(world);
});

it('a missing tree of raw responses is not an error, and removes no response', async () => {
  const { store, context } = await published();
  store.objects.delete('trees/raw/wl/2026-01-15-10.json');
  expect(await fetchTrees(context, all)).toMatchObject({ removed: 0 });
  expect(await publishTrees(context, all)).toMatchObject({ files: 0, removed: 0 });
  expect(await readFiles(context.dataDir)).toEqual(world);
});

it('keeps responses if another machine has filled an emptied bucket', async () => {
  const { store, context } = await published();
  store.objects.clear();
  const other = await storedFolder(store);
  const { [ANSWER]: _answer, ...less } = world;
  await writeFiles(other.dataDir, less);
  await publishTrees(other, all);
  expect(await fetchTrees(context, all)).toMatchObject({ removed: 0 });
  expect(await readFiles(context.dataDir)).toEqual(world);
});

it('sends contents that the store has lost again from a folder that has them', async () => {
  const { store, context } = await published();
  const keys = [...store.objects.keys()].filter((key) => key.startsWith('objects/'));
  for (const key of keys) store.objects.delete(key);
  const reader = await storedFolder(store);
  await expect(fetchTrees(reader, all)).rejects.toMatchObject({ code: 'object_missing' });
  expect(await sendMissing(reader)).toEqual({ sent: 0, stillMissing: keys.length });
  // Local content that differs from the lost one is not sent in its place.
  await writeFiles(context.dataDir, { 'announcements.yaml': 'notices: [x]' });
  expect(await sendMissing(context)).toEqual({ sent: keys.length - 1, stillMissing: 1 });
  await writeFiles(context.dataDir, { 'announcements.yaml': world['announcements.yaml'] });
  await publishTrees(context, all);
  expect(await sendMissing(context)).toEqual({ sent: 1, stillMissing: 0 });
  expect(await sendMissing(context)).toEqual({ sent: 0, stillMissing: 0 });
  await fetchTrees(reader, all);
  expect(await readFiles(reader.dataDir)).toEqual(world);
});
