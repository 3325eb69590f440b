import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { observationColumns } from '../../../pipeline/lake/observations/observation-table.ts';
import { listObservationFiles } from '../../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, observationStateFolder } from '../../../pipeline/lake/paths.ts';
import { storeRawAnswer } from '../../../pipeline/lake/raw-answers.ts';
import { toEpochDay } from '../../../pipeline/model/service-time.ts';
import { answer, at, endOf, live, observation, openStore, readRows, today } from '../../support/worlds/observations.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

const tomorrow = '2026-01-16' as typeof today;

/** Two days of observations in two parts each, and a raw answer. */
async function observedWorld(): Promise<string> {
  const dataDir = await temporaryFolder();
  const store = await openStore(dataDir);
  for (const seconds of [0, 30]) {
    for (const date of [today, tomorrow]) {
      const reported = observation({ day: toEpochDay(date), time: at(seconds) });
      await store.append(answer(seconds, { observations: [reported] }));
      await store.append(answer(seconds, { ended: endOf(reported) }));
    }
    await store.flush(at(seconds));
  }
  await store.close();
  const facts = { url: 'https://example.org', status: 200, durationMilliseconds: 1 };
  const fetched = { source: live, part: 'all', fetchedAt: at(0), extension: 'pb', bytes: Buffer.from('a'), facts };
  await storeRawAnswer(dataDir, fetched);
  return dataDir;
}

const run = (dataDir: string, now: string, ...options: string[]) =>
  runCommand(['run', 'compact-observations', ...options], { dataDir, effects: fakeEffects(now) });

const countFiles = async (dataDir: string) => [
  (await listObservationFiles(dataDir, live, today)).length,
  (await listObservationFiles(dataDir, live, tomorrow)).length,
];

describe('the job compact-observations', () => {
  it.each<[reason: string, now: string, options: string[], message: string, files: number[]]>([
    ['past days', '2026-01-16T03:30:00Z', [], 'made 1 of 2 files', [1, 2]],
    ['with raw answers beyond their age', '2026-02-01T03:30:00Z', [], '4 files; dropped 1 raw responses', [1, 1]],
    ['a dry run', '2026-02-01T03:30:00Z', ['--dry-run'], 'would make 2 of 4 files (', [2, 2]],
    ['one date, including today', '2026-01-16T03:30:00Z', ['--date', tomorrow], 'made 1 of 2 files (', [2, 1]],
    [
      'a period',
      '2026-02-01T03:30:00Z',
      ['--from', tomorrow, '--to', '2026-01-31'],
      '1 of 16 days done, 15 unchanged',
      [2, 1],
    ],
    ['another source', '2026-02-01T03:30:00Z', ['--source', 'other'], 'no past day has more than one file (', [2, 2]],
    ['the source', '2026-02-01T03:30:00Z', ['--source', 'live'], 'made 2 of 4 files (', [1, 1]],
  ])('%s', async (_case, now, options, message, files) => {
    const dataDir = await observedWorld();
    const { code, stdout } = await run(dataDir, now, ...options);
    expect([code, stdout]).toEqual([0, expect.stringContaining(message)]);
    expect(await countFiles(dataDir)).toEqual(files);
  });

  it('finishes an interrupted swap of a past day before the day had a folder again', async () => {
    const dataDir = await observedWorld();
    const before = await readRows(dataDir);
    const swap = path.join(observationStateFolder(dataDir, live), 'swaps', `service_date=${today}`);
    const partition = observationPartition(dataDir, live, today);
    await run(dataDir, '2026-01-16T03:30:00Z');
    const [compacted] = await readdir(partition);
    await mkdir(path.join(swap, 'old'), { recursive: true });
    await rename(path.join(partition, compacted!), path.join(swap, compacted!));
    await rmdir(partition);
    await run(dataDir, '2026-01-16T03:30:00Z');
    expect(await readdir(partition)).toEqual([compacted]);
    expect(await readRows(dataDir)).toEqual(before);
  });

  it('changes nothing the second time', async () => {
    const dataDir = await observedWorld();
    await run(dataDir, '2026-02-01T03:30:00Z');
    expect(await run(dataDir, '2026-02-01T03:31:00Z', '--exit-code')).toMatchObject({ code: 3 });
  });

  it('does nothing in an empty lake', async () => {
    const dataDir = await temporaryFolder();
    expect(await run(dataDir, '2026-02-01T03:30:00Z', '--exit-code')).toMatchObject({ code: 3 });
  });
});

describe('observations in SQL', () => {
  const sql = (dataDir: string, statement: string) => runCommand(['sql', '--csv', statement], { dataDir });
  const QUESTION = `
    select source, service_date + 1 as next, count(*) as n, max(estimated_time) as newest
    from observations group by all order by all`;
  const ANSWER = `source,next,n,newest
live,2026-01-16,2,2026-01-15 12:00:30+00
live,2026-01-17,2,2026-01-15 12:00:30+00
`;

  it('are a view of parts and compacted files', async () => {
    const dataDir = await observedWorld();
    expect(await sql(dataDir, QUESTION)).toMatchObject({ code: 0, stdout: ANSWER });
    await run(dataDir, '2026-01-16T03:30:00Z');
    expect(await sql(dataDir, QUESTION)).toMatchObject({ code: 0, stdout: ANSWER });
  });

  it('have the documented columns and those of the folders', async () => {
    const { stdout } = await sql(await observedWorld(), 'select * from observations limit 0');
    expect(stdout.trim().split(',').sort()).toEqual(
      [...Object.keys(observationColumns), 'service_date', 'source'].sort(),
    );
  });

  it('are an empty view while there are none', async () => {
    const { code, stdout } = await sql(await temporaryFolder(), 'select count(*) from observations');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n0\n$/)]);
  });
});
