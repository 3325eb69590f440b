import { expect, it } from 'vitest';
import { noteStoredSegments } from '../../../jobs/polling/note-stored-segments.ts';
import { findNextSegment } from '../../../pipeline/lake/observations/stored-segment.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { publishTrees } from '../../../pipeline/object-store/publish-trees.ts';
import { memoryObjectStore } from '../../support/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../support/stored-folder.ts';

const [wl, other] = [toSourceId('wl'), toSourceId('other')];
const partition = (source: string, date: string) => `lake/observations/source=${source}/service_date=${date}`;

it('numbers go on after the files of all machines, compacted ones and late rows included', async () => {
  const store = memoryObjectStore();
  const [first, second] = [await storedFolder(store), await storedFolder(store)];
  await writeFiles(first.dataDir, {
    [`${partition('wl', '2026-01-15')}/compact-0000050000.parquet`]: 'a day',
    [`${partition('wl', '2025-12-31')}/part-0000050007.parquet`]: 'late rows',
    [`${partition('wl', '2026-01-16')}/part-0000050003.parquet`]: 'rows',
    'lake/predictions/source=wl/service_date=2026-01-15/part-0000099999.parquet': 'something else',
  });
  await publishTrees(first, { stores: ['observations', 'predictions'] });
  await noteStoredSegments(second, [wl, other]);
  expect(await findNextSegment(second.dataDir, wl, 0)).toBe(51_007);
  expect(await findNextSegment(second.dataDir, wl, 60_000)).toBe(60_001);
  expect(await findNextSegment(second.dataDir, other, 0)).toBe(1);
  expect(await readFiles(second.dataDir)).toEqual({});
  // The machine that wrote them all goes on as before.
  await noteStoredSegments(first, [wl]);
  expect(await findNextSegment(first.dataDir, wl, 50_007)).toBe(50_008);
});
