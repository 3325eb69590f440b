import { expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { fetchTrees } from '../../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { type MemoryObjectStore, memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const day = (n: number, content: string) => ({
  [`lake/stop_events/source=wl/service_date=2026-01-0${n}/part-0.parquet`]: `${content} ${n}`,
  [`lake/manifests/stop_events/source=wl/service_date=2026-01-0${n}.json`]: JSON.stringify({ rows: `${content} ${n}` }),
});
const before = {
  ...day(1, 'old'),
  ...day(2, 'old'),
  'marts/manifest.json': '{"of":"old"}',
  'marts/a/part-0.parquet': 'old',
};
const after = {
  ...day(1, 'new'),
  ...day(3, 'new'),
  'marts/manifest.json': '{"of":"new"}',
  'marts/a/part-0.parquet': 'new',
};
const removed = Object.fromEntries(Object.keys(day(2, '')).map((name) => [name, null]));

/** A reader finds the old or the new state of each tree, and of a day with a manifest its rows. */
async function checkStore(store: MemoryObjectStore): Promise<void> {
  const reader = await storedFolder(store);
  await fetchTrees(reader, all);
  checkFiles(await readFiles(reader.dataDir));
  const files = await readFiles(reader.dataDir);
  const days = Object.entries(files).filter(([name]) => name.startsWith('lake/'));
  const marts = Object.entries(files).filter(([name]) => name.startsWith('marts/'));
  const isOf = (entries: [string, string][], state: Record<string, string>, prefix: string) =>
    JSON.stringify(entries.sort()) ===
    JSON.stringify(
      Object.entries(state)
        .filter(([name]) => name.startsWith(prefix))
        .sort(),
    );
  expect(isOf(days, before, 'lake/') || isOf(days, after, 'lake/')).toBe(true);
  expect(isOf(marts, before, 'marts/') || isOf(marts, after, 'marts/')).toBe(true);
}

/** Each manifest refers to existing rows. */
function checkFiles(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const [, date] = /manifests\/stop_events\/source=wl\/service_date=(.*)\.json$/.exec(name) ?? [];
    if (date === undefined) continue;
    expect(files[`lake/stop_events/source=wl/service_date=${date}/part-0.parquet`]).toBeDefined();
    expect(JSON.parse(content)).toHaveProperty('rows');
  }
}

/** Ends the process: nothing of this context runs any more. */
class Killed extends Error {}

/**
 * Kills before or after the call with a number.
 * @returns whether that call was reached
 */
function killAt(store: MemoryObjectStore, number: number, instant: 'before' | 'after'): () => boolean {
  let calls = 0;
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Killed();
  };
  store.before = () => {
    if (isDead || (++calls === number && instant === 'before')) die();
  };
  store.after = () => {
    if (calls === number && instant === 'after') die();
  };
  return () => isDead;
}

function revive(store: MemoryObjectStore): void {
  store.before = () => {};
  store.after = () => {};
}

it.each(['before', 'after'] as const)('a writer that is killed %s any call leaves a valid store', async (instant) => {
  for (let number = 1; ; number++) {
    const store = memoryObjectStore();
    const writer = await storedFolder(store);
    await writeFiles(writer.dataDir, before);
    await publishTrees(writer, all);
    await writeFiles(writer.dataDir, { ...after, ...removed });
    const isDead = killAt(store, number, instant);
    await publishTrees(writer, all).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
    revive(store);
    await checkStore(store);
    // The next run completes it, in any state.
    await publishTrees(writer, all);
    const reader = await storedFolder(store);
    await fetchTrees(reader, all);
    expect(await readFiles(reader.dataDir)).toEqual(after);
    if (!isDead()) break;
  }
});

it.each(['before', 'after'] as const)(
  'a reader that is killed %s any call has complete files, and completes the rest',
  async (instant) => {
    for (let number = 1; ; number++) {
      const store = memoryObjectStore();
      const [writer, reader] = [await storedFolder(store), await storedFolder(store)];
      await writeFiles(writer.dataDir, before);
      await publishTrees(writer, all);
      await fetchTrees(reader, all);
      await writeFiles(writer.dataDir, { ...after, ...removed });
      await publishTrees(writer, all);
      const isDead = killAt(store, number, instant);
      await fetchTrees(reader, all).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      revive(store);
      checkFiles(await readFiles(reader.dataDir));
      await fetchTrees(reader, all);
      expect(await readFiles(reader.dataDir)).toEqual(after);
      expect(await publishTrees(reader, all)).toMatchObject({ trees: [] });
      if (!isDead()) break;
    }
  },
);

it('an error of the store on any call loses nothing', async () => {
  for (let number = 1; number < 40; number++) {
    const store = memoryObjectStore();
    const writer = await storedFolder(store);
    await writeFiles(writer.dataDir, before);
    await publishTrees(writer, all);
    await writeFiles(writer.dataDir, { ...after, ...removed });
    let calls = 0;
    store.before = () => {
      if (++calls >= number) throw new ExternalError('store_unreachable', 'down', { isRetryable: true });
    };
    await publishTrees(writer, all).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'store_unreachable' }),
    );
    revive(store);
    await checkStore(store);
    await publishTrees(writer, all);
    const reader = await storedFolder(store);
    await fetchTrees(reader, all);
    expect(await readFiles(reader.dataDir)).toEqual(after);
  }
});

it('missing or damaged contents are reported by name and not replaced', async () => {
  const store = memoryObjectStore();
  const [writer, reader] = [await storedFolder(store), await storedFolder(store)];
  await writeFiles(writer.dataDir, before);
  await publishTrees(writer, all);
  const [key, object] = [...store.objects].find(([name]) => name.startsWith('objects/'))!;
  store.objects.set(key, { ...object, bytes: Buffer.from('other') });
  await expect(fetchTrees(reader, all)).rejects.toMatchObject({ code: 'object_damaged', isRetryable: false });
  store.objects.delete(key);
  await expect(fetchTrees(reader, all)).rejects.toMatchObject({ code: 'object_missing' });
  store.objects.set('trees/marts.json', { ...object, bytes: Buffer.from('{"treeFormat":2}') });
  await expect(fetchTrees(await storedFolder(store), { stores: ['marts'] })).rejects.toMatchObject({
    code: 'tree_too_new',
  });
  store.objects.set('trees/marts.json', { ...object, bytes: Buffer.from('{"treeF') });
  await expect(fetchTrees(await storedFolder(store), { stores: ['marts'] })).rejects.toMatchObject({
    code: 'tree_damaged',
  });
  const outside = '{"treeFormat":1,"files":{"marts/../secrets/key":{"sha256":"00","bytes":1,"modified":1}}}';
  store.objects.set('trees/marts.json', { ...object, bytes: Buffer.from(outside) });
  await expect(fetchTrees(await storedFolder(store), { stores: ['marts'] })).rejects.toMatchObject({
    code: 'tree_damaged',
  });
});
