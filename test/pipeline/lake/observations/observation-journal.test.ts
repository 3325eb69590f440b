import { appendFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { JOURNAL_FORMAT_VERSION, MAGIC } from '../../../../pipeline/lake/observations/journal-frames.ts';
import { partName } from '../../../../pipeline/lake/observations/partition-files.ts';
import { listDamagedJournals } from '../../../../pipeline/lake/observations/rescue-journal.ts';
import { observationStateFolder, observationsFolder } from '../../../../pipeline/lake/paths.ts';
import { toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  listFileNames,
  listParquet,
  live,
  muchLater,
  observation,
  openStore,
  readObservations,
  type today,
} from '../../../support/worlds/observations.ts';

const tomorrow = '2026-01-16' as typeof today;

/** Times are seconds after noon. */
const shortRow = ['position', 'event', 'estimated_time', 'evidence', 'first_seen_at', 'last_seen_at', 'raw_id'];

describe('a journal of a version that named no writer', () => {
  /** Answers whose first segment was complete when the flush was cut off. */
  async function openFormerJournal() {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    const next = observation({ day: toEpochDay(tomorrow) });
    await store.append(answer(0, { observations: [observation(), next] }));
    await store.append(answer(30, { observations: [observation({ time: at(60) }), { ...next, time: at(60) }] }));
    const state = observationStateFolder(dataDir, live);
    const before = await temporaryFolder();
    await cp(state, before, { recursive: true });
    await store.flush(at(40));
    await store.close();
    await cp(path.join(before, '0000000001.journal'), path.join(state, '0000000001.journal'));
    await rm(path.join(state, 'writer.json'));
    return dataDir;
  }

  it.each([0, 1, 2])('is continued under an id, and the %i files of a flush that was cut off stay', async (placed) => {
    const dataDir = await openFormerJournal();
    const files = (await listParquet(dataDir)).map((file) => path.join(observationsFolder(dataDir), file));
    for (const [i, file] of files.entries()) {
      if (i < placed) await rename(file, path.join(path.dirname(file), partName('', 1)));
      else await rm(file);
    }
    const store = await openStore(dataDir);
    expect([...store.listOpen()].map(({ firstSeenAt }) => firstSeenAt)).toEqual([at(30), at(30)]);
    await store.append(answer(90, { observations: [observation({ time: at(90) })] }));
    await store.flush(muchLater);
    await store.close();
    const formerNames = (await listParquet(dataDir)).filter((file) => path.basename(file) === partName('', 1));
    expect(formerNames).toHaveLength(placed);
    expect(await readObservations(dataDir, shortRow)).toEqual([
      [0, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
      [0, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
      [0, 'departure', 60, 'forecast', 30, 30, 'raw-30'],
      [0, 'departure', 60, 'forecast', 30, 90, 'raw-30'],
      [0, 'departure', 90, 'forecast', 90, 90, 'raw-90'],
    ]);
  });
});

describe('the journal', () => {
  const folderOf = (dataDir: string) => observationStateFolder(dataDir, live);
  const fileOf = (dataDir: string, segment: number) =>
    path.join(folderOf(dataDir), `${String(segment).padStart(10, '0')}.journal`);

  /** A journal of two answers; lengths after each. */
  async function writeTwo(dataDir: string): Promise<number[]> {
    const store = await openStore(dataDir);
    const lengths: number[] = [];
    for (const seconds of [0, 30]) {
      await store.append(answer(seconds, { observations: [observation({ time: at(seconds) })] }));
      lengths.push((await readFile(fileOf(dataDir, 1))).length);
    }
    await store.close();
    return lengths;
  }

  it('drops a response that was cut off at any byte, and reports it', async () => {
    const dataDir = await temporaryFolder();
    const [first, second] = await writeTwo(dataDir);
    const whole = await readFile(fileOf(dataDir, 1));
    for (let length = first!; length < second!; length += 7) {
      await writeFile(fileOf(dataDir, 1), whole.subarray(0, length));
      const warnings: string[] = [];
      const store = await openStore(dataDir, {
        info: () => {},
        progress: () => {},
        warn: (text) => warnings.push(text),
      });
      expect([...store.listOpen()].map(({ time }) => time)).toEqual([at(0)]);
      expect(warnings.length).toBe(length === first ? 0 : 1);
      // The space is used again.
      await store.append(answer(60, { observations: [observation({ time: at(60) })] }));
      await store.close();
      const again = await openStore(dataDir);
      expect([...again.listOpen()].map(({ time }) => time)).toEqual([at(60)]);
      await again.close();
    }
  });

  it('drops what only looks like a response', async () => {
    const dataDir = await temporaryFolder();
    await writeTwo(dataDir);
    await appendFile(fileOf(dataDir, 1), Buffer.alloc(4096));
    const store = await openStore(dataDir);
    expect([...store.listOpen()].map(({ time }) => time)).toEqual([at(30)]);
    await store.close();
  });

  it.each<[reason: string, spoil: (file: string) => Promise<void>]>([
    ['empty', (file) => truncate(file, 0)],
    ['foreign', (file) => writeFile(file, 'PK\u0003\u0004 something else')],
  ])('that is %s is set aside, and a new one begins', async (_reason, spoil) => {
    const dataDir = await temporaryFolder();
    await writeTwo(dataDir);
    await spoil(fileOf(dataDir, 1));
    const spoilt = await readFile(fileOf(dataDir, 1));
    const store = await openStore(dataDir);
    await store.append(answer(60, { observations: [observation()] }));
    await store.close();
    const [damaged] = await listDamagedJournals(dataDir, live);
    expect(damaged).toMatchObject({ segment: 1, savedFrames: 0, savedBytes: 0, lostBytes: spoilt.length });
    expect(await readFile(path.join(folderOf(dataDir), damaged!.keptAs))).toEqual(spoilt);
    const again = await openStore(dataDir);
    expect([...again.listOpen()]).toHaveLength(1);
    await again.close();
  });

  it('of a newer format is rejected by name, and stays unchanged', async () => {
    const dataDir = await temporaryFolder();
    await writeTwo(dataDir);
    const whole = await readFile(fileOf(dataDir, 1));
    whole[MAGIC.length - 2] = JOURNAL_FORMAT_VERSION + 1;
    await writeFile(fileOf(dataDir, 1), whole);
    await expect(openStore(dataDir)).rejects.toMatchObject({
      code: 'journal_unreadable',
      message: expect.stringContaining('is of format 5, and this version reads formats up to 4'),
    });
    expect(await readFile(fileOf(dataDir, 1))).toEqual(whole);
  });

  it.each([2, 3])('of format %d is read, and continued in the present format', async (version) => {
    const dataDir = await temporaryFolder();
    await writeTwo(dataDir);
    const open = await openStore(dataDir);
    const expected = [...open.listOpen()];
    await open.close();
    const whole = await readFile(fileOf(dataDir, 1));
    for (let at = whole.indexOf(MAGIC); at >= 0; at = whole.indexOf(MAGIC, at + 1))
      whole[at + MAGIC.length - 2] = version;
    await writeFile(fileOf(dataDir, 1), whole);
    const store = await openStore(dataDir);
    expect([...store.listOpen()]).toEqual(expected);
    const next = observation({ position: 9, uncertaintySeconds: 21, occupancy: 'NOT_BOARDABLE' });
    await store.append(answer(60, { observations: [next] }));
    await store.close();
    const again = await openStore(dataDir);
    const read = [...again.listOpen()].map((one) => [one.position, one.uncertaintySeconds, one.occupancy]);
    await again.close();
    expect(read).toEqual([...expected.map(({ position }) => [position, null, null]), [9, 21, 'NOT_BOARDABLE']]);
  });

  it('begins a new segment with each flush, and continues counting if the files were removed', async () => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    for (const seconds of [0, 30]) {
      await store.append(answer(seconds, { observations: [observation()] }));
      await store.append(answer(seconds, { ended: endOf(observation()) }));
      await store.flush(at(seconds));
    }
    await store.close();
    expect(await readdir(folderOf(dataDir))).toEqual(['0000000003.journal', 'writer.json']);

    await rm(folderOf(dataDir), { recursive: true });
    const reopened = await openStore(dataDir);
    await reopened.append(answer(60, { observations: [observation()] }));
    await reopened.flush(muchLater);
    await reopened.close();
    expect((await listFileNames(dataDir)).sort()).toEqual([
      'part-0000000001.parquet',
      'part-0000000001.parquet',
      'part-0000000002.parquet',
    ]);
  });

  it('rejects a response with a value that no row can contain', async () => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    for (const reported of [{ position: -1 }, { position: 70_000 }, { day: -1 as never }, { tripKey: -1n }]) {
      await expect(store.append(answer(0, { observations: [observation(), observation(reported)] }))).rejects.toThrow(
        RangeError,
      );
    }
    expect([...store.listOpen()]).toEqual([]);
    await store.append(answer(30, { observations: [observation()] }));
    expect([...store.listOpen()]).toHaveLength(1);
    await store.close();
  });

  it('keeps responses in the order of the calls, whoever awaits them', async () => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    const many = Array.from({ length: 12_000 }, (_, i) => observation({ tripKey: BigInt(i) }));
    const changed = answer(30, { observations: [observation({ tripKey: 5n, time: at(99) })] });
    await Promise.all([store.append(answer(0, { observations: many })), store.append(changed), store.flush(at(30))]);
    expect([...store.listOpen()].find(({ tripKey }) => tripKey === 5n)?.time).toBe(at(99));
    await store.close();
  });
});
