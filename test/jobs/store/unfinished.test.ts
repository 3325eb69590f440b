import { describe, expect, it } from 'vitest';
import { fetchUnlessWritten } from '../../../jobs/store/fetch-unless-written.ts';
import { publishStores } from '../../../jobs/store/publish-stores.ts';
import { publishWaiting } from '../../../jobs/store/publish-waiting.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { martNames } from '../../../pipeline/history/marts/mart-manifest.ts';
import { compactedName } from '../../../pipeline/lake/predictions/prediction-files.ts';
import { fetchTrees } from '../../../pipeline/scale-out/object-store/fetch-trees.ts';
import type { StoreContext } from '../../../pipeline/scale-out/object-store/store-context.ts';
import { storeNames } from '../../../pipeline/scale-out/object-store/store-rules.ts';
import { listMarks, markWriting } from '../../../pipeline/scale-out/object-store/writing-marks.ts';
import { memoryObjectStore } from '../../support/fakes/memory-object-store.ts';
import { readFiles, storedFolder, writeFiles } from '../../support/worlds/stored-folder.ts';

type Changes = Readonly<Record<string, string | null>>;

const DAY = 'source=at/service_date=2026-01-15';
const day = {
  rows: `lake/stop_events/${DAY}/part-0.parquet`,
  manifest: `lake/manifests/stop_events/${DAY}.json`,
  aside: `lake/manifests/stop_events/${DAY}.replaced`,
};
const features = {
  rows: 'lake/prediction_features/source=at/part-0.parquet',
  manifest: 'lake/manifests/prediction_features/source=at.json',
};
const VERSION = 'source=at/feed_version=v1';
const version = {
  text: `lake/gtfs/stops/${VERSION}/part-0.parquet`,
  typed: `lake/timetable/stops/${VERSION}/part-0.parquet`,
  manifest: `lake/manifests/timetable/${VERSION}.json`,
};
const month = (mart: string) => `marts/${mart}/month=2026-01/part-0.parquet`;
const MONTH_MANIFEST = 'marts/month-manifests/month=2026-01/manifest.json';
const monthFacts = (rules: string, content: string) => {
  const files = Object.fromEntries(martNames.map((mart) => [mart, { rows: 1, bytes: content.length }]));
  return JSON.stringify({ formatVersion: 1, facts: { rules, days: {}, files, builtAt: '' } });
};
const wholeMonth = (content: string) => ({
  ...Object.fromEntries(martNames.map((mart) => [month(mart), content])),
  [MONTH_MANIFEST]: monthFacts('rules', content),
});
const [firstMart = ''] = martNames;

/** By killed operation: the state before, the changes of the job until then, and the result of its next run. */
const killed: Readonly<Record<string, { before: Changes; halfway: Changes; again: Changes }>> = {
  'the replacement of a day, before its rows': {
    before: { [day.rows]: 'rows 1', [day.manifest]: '1' },
    halfway: { [day.manifest]: null, [day.aside]: '1' },
    again: { [day.rows]: 'rows 2', [day.manifest]: '2' },
  },
  'the replacement of a day, after its rows': {
    before: { [day.rows]: 'rows 1', [day.manifest]: '1' },
    halfway: { [day.manifest]: null, [day.aside]: '1', [day.rows]: 'rows 2' },
    again: { [day.rows]: 'rows 2', [day.manifest]: '2' },
  },
  'the replacement of a day, while its folder is exchanged': {
    before: { [day.rows]: 'rows 1', [day.manifest]: '1' },
    halfway: { [day.manifest]: null, [day.aside]: '1', [day.rows]: null },
    again: { [day.rows]: 'rows 2', [day.manifest]: '2' },
  },
  'the removal of a day': {
    before: { [day.rows]: 'rows 1', [day.manifest]: '1' },
    halfway: { [day.manifest]: null },
    again: { [day.rows]: null, [day.manifest]: null },
  },
  'the replacement of features': {
    before: { [features.rows]: 'rows 1', [features.manifest]: '1' },
    halfway: { [features.manifest]: null, [features.rows]: 'rows 2' },
    again: { [features.rows]: 'rows 2', [features.manifest]: '2' },
  },
  'the staging of a version': {
    before: { [version.text]: 'text 1', [version.typed]: 'typed 1', [version.manifest]: '1' },
    halfway: { [version.manifest]: null, [version.text]: 'text 2' },
    again: { [version.text]: 'text 2', [version.typed]: 'typed 2', [version.manifest]: '2' },
  },
  'the replacement of a month': {
    before: wholeMonth('old'),
    halfway: { [MONTH_MANIFEST]: monthFacts('', 'old'), [month(firstMart)]: 'newer' },
    again: wholeMonth('newer'),
  },
  'the removal of a month': {
    before: wholeMonth('old'),
    halfway: { [month(firstMart)]: null },
    again: {
      ...Object.fromEntries(martNames.map((mart) => [month(mart), null])),
      [MONTH_MANIFEST]: JSON.stringify({ formatVersion: 1, facts: null }),
    },
  },
};

async function readElsewhere({ store }: StoreContext) {
  const reader = await storedFolder(store);
  await fetchTrees(reader, { stores: storeNames });
  return readFiles(reader.dataDir);
}

/** The state after changes, without files that stay on the machine. */
function merge(...changes: readonly Changes[]): Changes {
  const files = Object.entries(Object.assign({}, ...changes) as Changes);
  return Object.fromEntries(files.filter(([name, content]) => content !== null && name !== day.aside));
}

const otherDay = {
  'lake/stop_events/source=at/service_date=2026-01-16/part-0.parquet': 'other rows',
  'lake/manifests/stop_events/source=at/service_date=2026-01-16.json': '1',
};

describe('partial output of a killed job', () => {
  for (const [what, { before, halfway, again }] of Object.entries(killed)) {
    it(`is not published, and is replaced by the next fetch: ${what}`, async () => {
      const warnings: string[] = [];
      const a = await storedFolder(memoryObjectStore(), warnings);
      await writeFiles(a.dataDir, before);
      await publishStores(a, storeNames);
      const mark = await markWriting(a.dataDir, 'build-marts', storeNames, { clock: systemClock });
      await writeFiles(a.dataDir, { ...halfway, ...otherDay });
      await mark.wait();
      await publishWaiting(a);
      expect(await readElsewhere(a)).toEqual({ ...before, ...otherDay });
      await fetchUnlessWritten(a, storeNames);
      expect(merge(await readFiles(a.dataDir))).toEqual({ ...before, ...otherDay });
      expect(warnings).toEqual([]);
      await writeFiles(a.dataDir, { ...again, [day.aside]: null });
      await publishStores(a, storeNames);
      expect(await readElsewhere(a)).toEqual(merge(before, otherDay, again));
    });
  }

  it('does not look like a month without a new mart', async () => {
    const a = await storedFolder(memoryObjectStore());
    const facts = { rules: 'former', days: {}, files: { [firstMart]: { rows: 1, bytes: 3 } }, builtAt: '' };
    const files = { [month(firstMart)]: 'old', [MONTH_MANIFEST]: JSON.stringify({ formatVersion: 1, facts }) };
    await writeFiles(a.dataDir, files);
    await publishStores(a, storeNames);
    expect(await readElsewhere(a)).toEqual(files);
  });

  it('of a new day is not published', async () => {
    const a = await storedFolder(memoryObjectStore());
    await writeFiles(a.dataDir, { ...otherDay, [day.rows]: 'rows' });
    await publishStores(a, storeNames);
    expect(await readElsewhere(a)).toEqual(otherDay);
    await fetchUnlessWritten(a, storeNames);
    expect(await readFiles(a.dataDir)).toEqual({ ...otherDay, [day.rows]: 'rows' });
  });
});

describe('a killed compaction of predictions', () => {
  const folder = `lake/predictions/${DAY}`;
  const aside = 'state/predictions/source=at/swaps/service_date=2026-01-15';
  const swap = {
    [`${folder}/1-a.parquet`]: null,
    [`${aside}/old/1-a.parquet`]: 'part',
    [`${aside}/covered.json`]: '{"files":["1-a.parquet"]}',
    [`${aside}/${compactedName('ab')}`]: 'compacted',
  };

  async function killedCompaction() {
    const a = await storedFolder(memoryObjectStore());
    await writeFiles(a.dataDir, { [`${folder}/1-a.parquet`]: 'part' });
    await publishStores(a, storeNames);
    const mark = await markWriting(a.dataDir, 'compact-predictions', ['predictions'], { clock: systemClock });
    await writeFiles(a.dataDir, swap);
    return { a, mark };
  }

  it('is completed before waiting changes are published', async () => {
    const { a, mark } = await killedCompaction();
    await mark.wait();
    await publishWaiting(a);
    expect(await readElsewhere(a)).toEqual({ [`${folder}/${compactedName('ab')}`]: 'compacted' });
  });

  it('beside which another one is at work waits for its end, and then leaves each row once', async () => {
    const { a, mark } = await killedCompaction();
    await mark.wait();
    const other = await markWriting(a.dataDir, 'compact-predictions', ['predictions'], { clock: systemClock });
    await publishWaiting(a);
    await fetchUnlessWritten(a, storeNames);
    expect(await readFiles(a.dataDir)).toEqual({});
    await other.release();
    await publishWaiting(a);
    await fetchUnlessWritten(a, storeNames);
    const expected = { [`${folder}/${compactedName('ab')}`]: 'compacted' };
    expect([await readFiles(a.dataDir), await readElsewhere(a), await listMarks(a.dataDir)]).toEqual([
      expected,
      expected,
      [],
    ]);
  });

  it('is not published by another job of the folder, which leaves it to be completed', async () => {
    const { a } = await killedCompaction();
    await publishStores(a, storeNames);
    expect(await readElsewhere(a)).toEqual({ [`${folder}/1-a.parquet`]: 'part' });
  });
});
