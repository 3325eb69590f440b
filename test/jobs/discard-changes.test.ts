import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishWaiting } from '../../jobs/store/publish-waiting.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { compactName, partName } from '../../pipeline/lake/observations/partition-files.ts';
import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { type StoreName, storeNames } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { listMarks, markWriting } from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { memoryObjectStore } from '../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../support/worlds/stored-folder.ts';

type Changes = Readonly<Record<string, string | null>>;

const all = { stores: storeNames };
const mart = (month: string) => `marts/line_daily/month=2026-${month}/part-0.parquet`;
const record = (source: string) => `lake/manifests/imports/source=${source}/archive.json`;

/** A job of `a` has died; before that another machine has published changes since both were equal. */
async function lost(stores: readonly StoreName[], before: Changes, there: Changes, here: Changes) {
  const store = memoryObjectStore();
  const warnings: string[] = [];
  const [a, b] = [await storedFolder(store, warnings), await storedFolder(store)];
  await writeFiles(a.dataDir, before);
  await publishTrees(a, all);
  await fetchTrees(b, all);
  await writeFiles(b.dataDir, there);
  await publishTrees(b, all);
  const mark = await markWriting(a.dataDir, 'import-history', stores, { clock: systemClock });
  await writeFiles(a.dataDir, here);
  await mark.wait();
  return { store, a, b, warnings };
}

async function readElsewhere({ store }: StoreContext) {
  const reader = await storedFolder(store);
  await fetchTrees(reader, all);
  return readFiles(reader.dataDir);
}

it('files that a killed compaction has moved aside are not published as removed', async () => {
  const a = await storedFolder(memoryObjectStore());
  const days = 'lake/observations/source=wl';
  const aside = 'state/observations/source=wl/swaps/service_date=2026-01-15';
  const part = partName('0123abcd', 1);
  await writeFiles(a.dataDir, {
    [`${days}/service_date=2026-01-15/${part}`]: 'one part',
    [`${days}/service_date=2026-01-16/${part}`]: 'another day',
  });
  await publishTrees(a, all);
  const mark = await markWriting(a.dataDir, 'compact-observations', ['observations'], { clock: systemClock });
  await writeFiles(a.dataDir, {
    [`${aside}/${compactName('0123abcd', 1)}`]: 'compacted',
    [`${aside}/old/${part}`]: 'one part',
  });
  await rm(path.join(a.dataDir, days, 'service_date=2026-01-15'), { recursive: true });
  await mark.wait();
  await publishWaiting(a);
  expect(await readElsewhere(a)).toEqual({
    [`${days}/service_date=2026-01-15/${compactName('0123abcd', 1)}`]: 'compacted',
    [`${days}/service_date=2026-01-16/${part}`]: 'another day',
  });
});

describe('waiting publications, if another machine was faster', () => {
  it('are published except for the lost trees', async () => {
    const { a, warnings } = await lost(
      ['imports'],
      { [record('aa')]: 'old', [record('bb')]: 'old', [record('cc')]: 'old' },
      { [record('aa')]: 'b' },
      { [record('aa')]: 'a', [record('bb')]: 'a', [record('cc')]: null },
    );
    await publishWaiting(a);
    const expected = { [record('aa')]: 'b', [record('bb')]: 'a' };
    expect(await readFiles(a.dataDir)).toEqual(expected);
    expect(await readElsewhere(a)).toEqual(expected);
    expect(await listMarks(a.dataDir)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('local changes there by import-history are discarded')]);
  });

  const marts = [
    ['marts'],
    { [mart('01')]: '01 old', [mart('02')]: '02 old', [mart('03')]: '03', 'marts/manifest.json': '{"01":"old"}' },
    { [mart('02')]: '02 b', 'marts/manifest.json': '{"02":"b"}' },
    { [mart('01')]: '01 a', [mart('03')]: null, [mart('04')]: '04 a', 'marts/manifest.json': '{"01":"a"}' },
  ] as const;
  const ofB = { [mart('01')]: '01 old', [mart('02')]: '02 b', [mart('03')]: '03', 'marts/manifest.json': '{"02":"b"}' };

  it('is discarded as a whole tree: changed, new and removed files', async () => {
    const { a } = await lost(...marts);
    await publishWaiting(a);
    expect(await readFiles(a.dataDir)).toEqual(ofB);
    await publishTrees(a, all);
    expect(await readElsewhere(a)).toEqual(ofB);
  });

  it('is discarded as a whole tree where the run dies in the middle of it', async () => {
    const { a, store } = await lost(...marts);
    store.before = (call) => {
      if (call.startsWith('download')) throw new ExternalError('store_unreachable', 'down', { isRetryable: true });
    };
    await expect(publishWaiting(a)).rejects.toMatchObject({ code: 'store_unreachable' });
    store.before = () => {};
    expect(await listMarks(a.dataDir)).toMatchObject([{ givenUp: ['marts'] }]);
    // All conflicting files are those of the store, new local files are not removed yet.
    await writeFiles(a.dataDir, { [mart('02')]: '02 b', 'marts/manifest.json': '{"02":"b"}' });
    await publishWaiting(a);
    expect(await readFiles(a.dataDir)).toEqual(ofB);
    expect(await readElsewhere(a)).toEqual(ofB);
    expect(await listMarks(a.dataDir)).toEqual([]);
  });

  it('loses no answers and nothing that was written by hand', async () => {
    const index = (writer: string) => `lake/raw/source=wl/fetch_date=2026-01-15/answers-${writer}.ndjson`;
    const [ours, theirs] = [index('0a0a0a0a'), index('0b0b0b0b')];
    const { a } = await lost(
      ['index of raw answers', 'observations', 'imports', 'streets'],
      { [ours]: '1\n', [record('wl')]: 'old', 'streets/one.bin': 'old' },
      { [theirs]: '2\n', [record('wl')]: 'b', 'streets/one.bin': 'b' },
      {
        ...{ [ours]: '1\n3\n', [record('wl')]: 'a', 'streets/one.bin': 'a', 'streets/two.bin': 'a' },
        'lake/observations/source=wl/service_date=2026-01-16/part-0.parquet': 'seen',
      },
    );
    await publishWaiting(a);
    const expected = {
      ...{ [ours]: '1\n3\n', [record('wl')]: 'b', 'streets/one.bin': 'b', 'streets/two.bin': 'a' },
      'lake/observations/source=wl/service_date=2026-01-16/part-0.parquet': 'seen',
    };
    expect(await readFiles(a.dataDir)).toEqual(expected);
    expect(await readElsewhere(a)).toEqual({ ...expected, [theirs]: '2\n' });
  });

  it('a file that was changed here and removed there is published as a new one after the fetch', async () => {
    const { a, b } = await lost(['observations'], { [record('wl')]: 'old' }, { [record('wl')]: null }, {});
    await rm(path.join(a.dataDir, 'state/object-store/writing'), { recursive: true });
    await writeFiles(a.dataDir, { [record('wl')]: 'a' });
    await expect(publishTrees(a, all)).rejects.toMatchObject({ code: 'write_lost' });
    await fetchTrees(a, all);
    expect(await publishTrees(a, all)).toMatchObject({ files: 1 });
    await fetchTrees(b, all);
    expect(await readFiles(b.dataDir)).toEqual({ [record('wl')]: 'a' });
  });
});
