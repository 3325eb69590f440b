import { expect, it } from 'vitest';
import type { WriteCondition } from '../../../../pipeline/effects/object-store/object-store.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const ANNOUNCEMENTS = { 'announcements.yaml': 'notices: []' };

const careless: readonly [string, (condition: WriteCondition) => WriteCondition][] = [
  ['If-None-Match', (condition) => (condition === 'absent' ? null : condition)],
  ['If-Match', (condition) => (condition === 'absent' ? condition : null)],
];

it.each(careless)('publishes nothing to a store that ignores %s', async (header, kept) => {
  const store = memoryObjectStore();
  const { put } = store;
  store.put = (key, content, condition) => put(key, content, kept(condition));
  const context = await storedFolder(store);
  await writeFiles(context.dataDir, ANNOUNCEMENTS);
  const error = {
    code: 'store_unfit',
    isRetryable: false,
    message: expect.stringContaining(`ignores ${header},`),
  };
  await expect(publishTrees(context, all)).rejects.toMatchObject(error);
  expect([...store.objects.keys()]).toEqual([]);
  store.put = put;
  expect(await publishTrees(context, all)).toMatchObject({ files: 1 });
});

it('tests a store once for a data folder', async () => {
  const store = memoryObjectStore();
  const context = await storedFolder(store);
  const tried = () => store.calls.filter((call) => call.includes('conditions-')).length;
  await publishTrees(context, all);
  expect(tried()).toBe(0);
  await writeFiles(context.dataDir, ANNOUNCEMENTS);
  await publishTrees(context, all);
  expect(tried()).toBe(4);
  await writeFiles(context.dataDir, { 'announcements.yaml': 'notices: [x]' });
  await publishTrees(context, all);
  expect(tried()).toBe(4);
  // Another bucket, another store.
  const other = memoryObjectStore('s3://other/prefix');
  await publishTrees({ ...context, store: other }, all);
  expect(other.calls.filter((call) => call.includes('conditions-'))).toHaveLength(4);
});
