import { cp, link, stat } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { fetchTrees } from '../../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../../pipeline/scale-out/object-store/store-rules.ts';
import { parseTree, treeKey, writeTree } from '../../../../pipeline/scale-out/object-store/tree-document.ts';
import { memoryObjectStore } from '../../../support/fakes/memory-object-store.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { readFiles, storedFolder, writeFiles } from '../../../support/worlds/stored-folder.ts';

const all = { stores: storeNames };
const day = (date: string) => ({
  rows: `lake/stop_events/source=wl/service_date=${date}/part-0.parquet`,
  manifest: `lake/manifests/stop_events/source=wl/service_date=${date}.json`,
});
const one = day('2026-01-15');
const two = day('2026-01-16');

/** The folder of a machine after its first day. */
const world = {
  [one.rows]: 'rows of the 15th',
  [one.manifest]: '{"rows":1}',
  'marts/line_daily/month=2026-01/part-0.parquet': 'a month',
  'marts/manifest.json': '{"months":1}',
  'snapshots/history/a/line_daily/month=2026-01/part-0.parquet': 'a month',
  'snapshots/history/current.json': '{"id":"a"}',
  'announcements.yaml': 'notices: []',
};

describe('files published by one machine and fetched by another', () => {
  it('are the same, each content once', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, { ...world, 'secrets/vapid-key': 'secret', 'tmp/x/y': 'unfinished' });
    const published = await publishTrees(a, all);
    expect(published).toMatchObject({ files: 7, removed: 0, contents: 3 });
    expect(published.trees).toEqual(['days/wl/2026-01', 'marts', 'announcements', 'snapshots/history']);
    const fetched = await fetchTrees(b, all);
    expect(fetched).toMatchObject({ files: 7, removed: 0, overruled: [] });
    expect(await readFiles(b.dataDir)).toEqual(world);
    // A second name of a content is a link, and times are those of the writer.
    expect(fetched.linked).toBe(1);
    const [here, there] = await Promise.all([
      stat(path.join(a.dataDir, one.rows)),
      stat(path.join(b.dataDir, one.rows)),
    ]);
    expect(Math.trunc(there.mtimeMs)).toBe(Math.trunc(here.mtimeMs));
  });

  it('do nothing the second time, with few requests', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await fetchTrees(b, all);
    store.calls.length = 0;
    expect(await publishTrees(a, all)).toMatchObject({ trees: [], files: 0 });
    expect(await publishTrees(b, all)).toMatchObject({ trees: [], files: 0 });
    expect(store.calls).toEqual([]);
    expect(await fetchTrees(b, all)).toMatchObject({ trees: [], files: 0 });
    expect(await fetchTrees(a, all)).toMatchObject({ trees: [], files: 0 });
    expect(new Set(store.calls.map((call) => call.split(' ')[0]))).toEqual(new Set(['list']));
  });

  it('include changes and removals, in both directions', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await fetchTrees(b, all);
    await writeFiles(b.dataDir, { [two.rows]: 'rows of the 16th', [two.manifest]: '{"rows":2}' });
    await writeFiles(b.dataDir, { [one.rows]: null, [one.manifest]: null, 'announcements.yaml': 'notices: [x]' });
    expect(await publishTrees(b, all)).toMatchObject({ files: 3, removed: 2 });
    expect(await fetchTrees(a, all)).toMatchObject({ files: 3, removed: 2 });
    expect(await readFiles(a.dataDir)).toEqual(await readFiles(b.dataDir));
    expect(Object.keys(await readFiles(a.dataDir))).not.toContain(one.rows);
  });

  it('are unchanged after a touch', async () => {
    const store = memoryObjectStore();
    const a = await storedFolder(store);
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await writeFiles(a.dataDir, { 'announcements.yaml': world['announcements.yaml'] });
    expect(await publishTrees(a, all)).toMatchObject({ trees: [], files: 0 });
    store.calls.length = 0;
    await publishTrees(a, all);
    expect(store.calls).toEqual([]);
  });

  it('include removals, also in a folder that was copied since: its files are the same under other inodes', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await fetchTrees(b, all);
    const copied = { ...b, dataDir: await temporaryFolder() };
    await cp(b.dataDir, copied.dataDir, { recursive: true, preserveTimestamps: true });
    await writeFiles(a.dataDir, { [one.rows]: null, [one.manifest]: null });
    await publishTrees(a, all);
    expect(await fetchTrees(copied, all)).toMatchObject({ removed: 2 });
    expect(await publishTrees(copied, all)).toMatchObject({ files: 0 });
    expect(Object.keys(await readFiles(copied.dataDir))).not.toContain(one.rows);
  });

  it('restore files that a machine has lost', async () => {
    const store = memoryObjectStore();
    const a = await storedFolder(store);
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await writeFiles(a.dataDir, { [one.rows]: null });
    expect(await fetchTrees(a, all)).toMatchObject({ files: 1 });
    expect(await readFiles(a.dataDir)).toEqual(world);
  });

  it('are not fetched by a folder with equal files but without its state', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, world);
    await writeFiles(b.dataDir, world);
    await publishTrees(a, all);
    expect(await fetchTrees(b, all)).toMatchObject({ files: 0, overruled: [] });
    expect(await publishTrees(b, all)).toMatchObject({ files: 0 });
  });

  it('remain hard links to one content', async () => {
    const store = memoryObjectStore();
    const a = await storedFolder(store);
    const month = path.join(a.dataDir, 'marts/line_daily/month=2026-01/part-0.parquet');
    await writeFiles(a.dataDir, {
      'marts/line_daily/month=2026-01/part-0.parquet': 'a month',
      'snapshots/history/a/x': '',
    });
    await link(month, path.join(a.dataDir, 'snapshots/history/a/month.parquet'));
    expect(await publishTrees(a, all)).toMatchObject({ files: 3, contents: 2 });
  });
});

describe('a large tree whose fetch fails in the middle', () => {
  it('is completed by the next one, which fetches nothing twice; its manifest comes last', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    const names = [1, 2, 3, 4].map((n) => `marts/line_daily/month=2026-0${n}/part-0.parquet`);
    const marts = {
      ...Object.fromEntries(names.map((name) => [name, `rows of ${name}`])),
      'marts/manifest.json': '{"months":4}',
    };
    await writeFiles(a.dataDir, marts);
    await publishTrees(a, all);
    const files = new Map(parseTree(store.objects.get(treeKey('marts'))!.bytes, 'marts'));
    for (const name of names) files.set(name, { ...files.get(name)!, bytes: 2 ** 30 });
    await store.put(treeKey('marts'), writeTree('marts', files, 0), null);
    let downloads = 0;
    store.before = (call) => {
      if (call.startsWith('download') && ++downloads === 3) throw new ExternalError('store_unreachable', 'down');
    };
    await expect(fetchTrees(b, all)).rejects.toThrow('down');
    expect(Object.keys(await readFiles(b.dataDir))).toEqual(names.slice(0, 2));
    expect(await publishTrees(b, all)).toMatchObject({ trees: [] });
    expect(await fetchTrees(b, all)).toMatchObject({ files: 3, trees: ['marts'] });
    expect(await readFiles(b.dataDir)).toEqual(marts);
    expect(downloads).toBe(5);
    expect(await fetchTrees(b, all)).toMatchObject({ files: 0 });
  });
});

describe('changes on both sides', () => {
  const local = { 'announcements.yaml': 'of a' };

  it('at different paths are merged', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, { [one.rows]: 'a', [one.manifest]: '{}' });
    await writeFiles(b.dataDir, { [two.rows]: 'b', [two.manifest]: '{}' });
    await publishTrees(a, all);
    await publishTrees(b, all);
    await fetchTrees(a, all);
    await fetchTrees(b, all);
    expect(await readFiles(a.dataDir)).toEqual(await readFiles(b.dataDir));
    expect(Object.keys(await readFiles(a.dataDir))).toHaveLength(4);
  });

  it("at the same path: the first wins, the other must fetch, and then has the store's", async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, local);
    await writeFiles(b.dataDir, { 'announcements.yaml': 'of b', 'marts/manifest.json': '{"of":"b"}' });
    await publishTrees(a, all);
    await expect(publishTrees(b, all)).rejects.toMatchObject({ code: 'write_lost', isRetryable: true });
    expect(await fetchTrees(b, all)).toMatchObject({ overruled: ['announcements.yaml'] });
    await publishTrees(b, all);
    await fetchTrees(a, all);
    expect(await readFiles(a.dataDir)).toEqual({ ...local, 'marts/manifest.json': '{"of":"b"}' });
    expect(await readFiles(b.dataDir)).toEqual(await readFiles(a.dataDir));
  });

  it('unpublished files remain when others are fetched', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, world);
    await publishTrees(a, all);
    await fetchTrees(b, all);
    await writeFiles(b.dataDir, { 'announcements.yaml': 'of b', [two.rows]: 'b' });
    expect(await fetchTrees(b, all)).toMatchObject({ files: 0, overruled: [] });
    expect((await readFiles(b.dataDir))['announcements.yaml']).toBe('of b');
    expect(await publishTrees(b, all)).toMatchObject({ files: 2 });
  });
});

describe('concurrent writers', () => {
  it('on different paths all succeed; on one path exactly one does', async () => {
    const writer = fc.record({ paths: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), fc.boolean(), async (writers, isDisjoint) => {
        const store = memoryObjectStore();
        const contexts = await Promise.all(writers.map(() => storedFolder(store)));
        const wanted = writers.map(({ paths }, w) =>
          Object.fromEntries(paths.map((n) => [`marts/m${isDisjoint ? w : ''}x${n}/part-0.parquet`, `of ${w}`])),
        );
        await Promise.all(contexts.map(({ dataDir }, w) => writeFiles(dataDir, wanted[w]!)));
        const ends = await Promise.allSettled(contexts.map((context) => publishTrees(context, all)));
        const reader = await storedFolder(store);
        await fetchTrees(reader, all);
        const there = await readFiles(reader.dataDir);
        ends.forEach((end, w) => {
          const isThere = Object.entries(wanted[w]!).every(([name, content]) => there[name] === content);
          // All paths of a writer or none: a tree changes in one step.
          expect(isThere).toBe(end.status === 'fulfilled');
          if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'write_lost', isRetryable: true });
        });
        if (isDisjoint) expect(ends.every(({ status }) => status === 'fulfilled')).toBe(true);
        expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a job that writes to the folder of a concurrent fetch', () => {
  const MART = 'marts/line_daily/month=2026-01/part-0.parquet';
  const OTHER = 'marts/line_daily/month=2026-02/part-0.parquet';

  /** Two machines with the same files; the second fetches the changes of the first, while a job writes. */
  async function raced(
    before: Record<string, string>,
    there: Record<string, string | null>,
    write: (b: Awaited<ReturnType<typeof storedFolder>>) => Promise<unknown>,
  ) {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    await writeFiles(a.dataDir, before);
    await publishTrees(a, all);
    await fetchTrees(b, all);
    await writeFiles(a.dataDir, there);
    await publishTrees(a, all);
    store.before = async (call) => {
      if (!call.startsWith('download')) return;
      store.before = () => {};
      await write(b);
    };
    return { a, b, fetched: await fetchTrees(b, all) };
  }
  const marts = (content: string) => ({ [MART]: content, 'marts/manifest.json': JSON.stringify({ content }) });

  it('keeps the files it wrote, and publishes them', async () => {
    const { a, b, fetched } = await raced(marts('old'), marts('of a'), async (there) => {
      await fetchTrees(there, all);
      await writeFiles(there.dataDir, marts('newer'));
    });
    expect(fetched).toMatchObject({ files: 0, kept: [MART, 'marts/manifest.json'] });
    expect(await readFiles(b.dataDir)).toEqual(marts('newer'));
    expect(await publishTrees(b, all)).toMatchObject({ files: 2 });
    await fetchTrees(a, all);
    expect(await readFiles(a.dataDir)).toEqual(marts('newer'));
  });

  it('keeps its data without a manifest of the store beside it, until it is published or discarded', async () => {
    const { b } = await raced(marts('old'), marts('of a'), ({ dataDir }) => writeFiles(dataDir, { [MART]: 'half' }));
    expect(await readFiles(b.dataDir)).toEqual({ ...marts('old'), [MART]: 'half' });
    await expect(publishTrees(b, all)).rejects.toMatchObject({ code: 'write_lost' });
    expect(await fetchTrees(b, all)).toMatchObject({ overruled: [MART], kept: [] });
    expect(await readFiles(b.dataDir)).toEqual(marts('of a'));
  });

  it('keeps a file it wrote at a path removed from the store', async () => {
    const { b, fetched } = await raced({ [MART]: 'old', [OTHER]: 'x' }, { [MART]: null, [OTHER]: 'y' }, (there) =>
      writeFiles(there.dataDir, { [MART]: 'new here' }),
    );
    expect(fetched).toMatchObject({ files: 1, removed: 0, kept: [MART] });
    expect(await readFiles(b.dataDir)).toEqual({ [MART]: 'new here', [OTHER]: 'y' });
  });
});

describe('files that change while they are published', () => {
  it('of an index that grows only whole lines are published', async () => {
    const index = 'lake/raw/source=wl/fetch_date=2026-01-15/answers-0123abcd.ndjson';
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    for (const text of ['{"n":1}\n{"n"', '{"n":1}\n{"n":2}\n']) {
      await writeFiles(a.dataDir, { [index]: text });
      await publishTrees(a, all);
      await fetchTrees(b, all);
      expect((await readFiles(b.dataDir))[index]).toBe(text.slice(0, text.lastIndexOf('\n') + 1));
    }
  });

  const snapshot = (id: string) => ({
    [`snapshots/realtime/${id}.rt`]: `content of ${id}`,
    'snapshots/realtime/current.json': `{"id":"${id}"}`,
  });

  it('a pointer to a realtime snapshot is never published without its snapshot', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    const realtime = { stores: ['realtime snapshots'] as const };
    await writeFiles(a.dataDir, snapshot('a'));
    await publishTrees(a, realtime);
    await writeFiles(a.dataDir, snapshot('b'));
    store.before = async (call) => {
      if (!call.startsWith('get trees/')) return;
      store.before = () => {};
      await writeFiles(a.dataDir, snapshot('c'));
    };
    await publishTrees(a, realtime);
    await fetchTrees(b, all);
    expect(await readFiles(b.dataDir)).toEqual({ ...snapshot('a'), ...snapshot('b'), ...snapshot('c') });
  });

  it('a temporarily missing file is not removed', async () => {
    const store = memoryObjectStore();
    const [a, b] = [await storedFolder(store), await storedFolder(store)];
    const folder = 'lake/observations/source=wl/service_date=2026-01-15';
    const [kept, moved] = [`${folder}/a.parquet`, `${folder}/b.parquet`];
    await writeFiles(a.dataDir, { [kept]: 'a', [moved]: 'b' });
    await publishTrees(a, all);
    await writeFiles(a.dataDir, { [kept]: 'new', [moved]: null });
    store.before = async (call) => {
      if (call.startsWith('get trees/')) await writeFiles(a.dataDir, { [moved]: 'b' });
    };
    expect(await publishTrees(a, all)).toMatchObject({ files: 1, removed: 0 });
    await fetchTrees(b, all);
    expect(await readFiles(b.dataDir)).toEqual({ [kept]: 'new', [moved]: 'b' });
  });
});
