import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { listStopEventDays } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { hashFiles } from '../../support/checks/folder-state.ts';
import { archiveFolder, writeArchive } from '../../support/worlds/imported-world.ts';
import { plainMapping } from '../../support/worlds/plain-archive.ts';
import { runCommand } from '../fake-world.ts';

const HEAD = 'day,trip,stop,seq,time,late';
const day = (date: string) =>
  `${HEAD}\n${date},t,A,0,${date} 08:00:00,10\n${date},t,B,1,${date} 08:10:00,20\n,t,C,2,,\n`;

async function world(): Promise<string> {
  const dataDir = await archiveFolder();
  await writeArchive(dataDir, 'own.sql', plainMapping);
  await writeArchive(dataDir, 'empty.csv', '\n1,2\n');
  for (const date of ['2025-03-01', '2025-03-02']) await writeArchive(dataDir, `${date}.csv`, day(date));
  return dataDir;
}

/** The rows of `day`, all of them texts. */
async function writeParquet(folder: string, date: string): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  const [row, last] = [`'t', '${date} 08:00:00'`, `'t', '${date} 08:10:00'`];
  await db.run(`copy (select '${date}' as day, trip, stop, seq, time, late
    from (values (${row}, 'A', '0', '10'), (${last}, 'B', '1', '20')) as calls (trip, time, stop, seq, late))
    to ${sqlText(path.join(folder, `month-${date}.parquet`))} (format parquet)`);
  db.close();
}

const run = (dataDir: string, ...options: string[]) =>
  runCommand(['run', 'import-history', ...options], { dataDir, cwd: `${dataDir}/archives` });

const ALL = ['--file', '2025-*.csv', '--mapping', './own.sql'];

describe('the job import-history', () => {
  it('imports all archives of a pattern, and reports the results', async () => {
    const dataDir = await world();
    const { code, stdout } = await run(dataDir, ...ALL);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        'into own: 2025-03-01.csv: 3 rows read, 1 of 1 days made, 1 refused (1 no_service_date); 2025-03-02.csv: 3 rows',
      ),
    ]);
    expect(await listStopEventDays(dataDir)).toEqual([
      { source: 'own', serviceDate: '2025-03-01' },
      { source: 'own', serviceDate: '2025-03-02' },
    ]);
    const again = await run(dataDir, ...ALL, '--exit-code');
    expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('2 archives are already in the lake')]);
  });

  it('archives that are imported concurrently give the same result as in sequence', async () => {
    // The first one is long and shares its second day with the others, which replace its rows.
    const trips = Array.from({ length: 20_000 }, (_, n) => `2025-04-02,t${n % 50},S${n},${Math.floor(n / 50)}`);
    const rows = (late: number, times: number) =>
      trips.slice(0, times).map((trip) => `${trip},2025-04-02 08:00:00,${late}`);
    const importAll = async (...options: string[]) => {
      const dataDir = await world();
      await writeArchive(dataDir, 'a.csv', `${day('2025-04-01')}${rows(10, 20_000).join('\n')}\n`);
      await writeArchive(dataDir, 'b.csv', `${HEAD}\n${rows(20, 500).join('\n')}\n`);
      await writeArchive(
        dataDir,
        'c.csv',
        `${HEAD}\n${rows(30, 100).join('\n')}\n${day('2025-04-03').slice(HEAD.length + 1)}`,
      );
      const { code, stdout } = await run(dataDir, '--file', '?.csv', '--mapping', './own.sql', ...options);
      expect([code, stdout]).toEqual([0, expect.stringContaining('3 of 3 archives done')]);
      return hashFiles(dataDir, (file) => file.startsWith(path.join('lake', 'stop_events')));
    };
    const range = ['--from', '2025-04-01', '--to', '2025-04-03'];
    const inTurn = await importAll(...range);
    expect(inTurn.size).toBe(3);
    for (const concurrency of ['2', '3'])
      expect(await importAll(...range, '--concurrency', concurrency)).toEqual(inTurn);
  });

  describe('if some archives do not fit', () => {
    /** Months that fit, and others that do not, for one reason each. */
    async function months(names: readonly string[]): Promise<string> {
      const dataDir = await world();
      const cut = Buffer.from('PAR1, and the end is missing');
      const texts: Readonly<Record<string, string | Buffer>> = {
        'a.csv': day('2025-04-01'),
        'b.csv': day('2025-04-02').replaceAll('late', 'delay'),
        'c.csv': '',
        'd.csv': cut,
        'e.csv': day('2025-04-05'),
        ...Object.fromEntries(['d1.csv', 'd2.csv', 'd3.csv'].map((name) => [name, cut])),
      };
      for (const name of names) await writeArchive(dataDir, `month-${name}`, texts[name]!);
      return dataDir;
    }
    const MONTHS = ['--file', 'month-*.csv', '--mapping', './own.sql'];
    const range = ['--from', '2025-04-01', '--to', '2025-04-30'];

    it.each<[how: string, options: readonly string[]]>([
      ['in sequence', []],
      ['as a backfill', range],
      ['concurrently', [...range, '--concurrency', '2']],
    ])('imports the others %s, and names these', async (_how, options) => {
      const dataDir = await months(['a.csv', 'b.csv', 'c.csv', 'd.csv', 'd1.csv', 'd2.csv', 'd3.csv', 'e.csv']);
      const { code, stderr } = await run(dataDir, ...MONTHS, ...options);
      expect(code).toBe(1);
      for (const reason of [
        'the mapping own does not fit month-b.csv: line 14: Referenced column "late" not found',
        'month-c.csv has no header',
        'month-d.csv is Parquet, but the format of the mapping is csv',
      ]) {
        expect(stderr).toContain(reason);
      }
      expect((await listStopEventDays(dataDir)).map(({ serviceDate }) => serviceDate)).toEqual([
        '2025-04-01',
        '2025-04-05',
      ]);
    });

    it('records them in the history of runs, counted by code', async () => {
      const dataDir = await months(['a.csv', 'b.csv', 'c.csv', 'd.csv']);
      await run(dataDir, ...MONTHS);
      const { stdout } = await runCommand(['jobs', 'import-history', '--json'], { dataDir });
      const [latest] = JSON.parse(stdout).runs;
      expect(latest).toMatchObject({
        state: 'failed',
        problems: { archive_unreadable: 2, mapping_misfit: 1, no_service_date: 1 },
        summary: expect.stringMatching(/^into own: month-a\.csv: 3 rows read.*; 3 archives were not imported: /),
      });
    });

    it('imports the others if Parquet is truncated, is CSV, or is empty, and reports these by code', async () => {
      const dataDir = await world();
      const folder = path.join(dataDir, 'archives');
      await writeArchive(dataDir, 'parquet.sql', plainMapping.replace('format: csv', 'format: parquet'));
      for (const date of ['2025-04-01', '2025-04-02', '2025-04-05']) await writeParquet(folder, date);
      const whole = await readFile(path.join(folder, 'month-2025-04-02.parquet'));
      await writeArchive(dataDir, 'month-2025-04-02.parquet', whole.subarray(0, whole.length / 2));
      await writeArchive(dataDir, 'month-2025-04-03.parquet', day('2025-04-03'));
      await writeArchive(dataDir, 'month-2025-04-04.parquet', '');
      const options = ['--file', 'month-*.parquet', '--mapping', './parquet.sql'];
      const { code, stderr } = await run(dataDir, ...options);
      expect(code).toBe(1);
      for (const date of ['02', '03', '04']) expect(stderr).toContain(`month-2025-04-${date}.parquet cannot be read: `);
      expect((await listStopEventDays(dataDir)).map(({ serviceDate }) => serviceDate)).toEqual([
        '2025-04-01',
        '2025-04-05',
      ]);
      const { stdout } = await runCommand(['jobs', 'import-history', '--json'], { dataDir });
      expect(JSON.parse(stdout).runs[0]).toMatchObject({ state: 'failed', problems: { archive_unreadable: 3 } });
    });

    it('changes nothing if the mapping fits none of them', async () => {
      const dataDir = await months(['b.csv']);
      await writeArchive(dataDir, 'month-f.csv', 'x\n1\n');
      const { code, stderr } = await run(dataDir, ...MONTHS);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/does not fit month-b\.csv: .*does not fit month-f\.csv: /s),
      ]);
      expect(await listStopEventDays(dataDir)).toEqual([]);
    });
  });

  it('supports another source, selected days, and a dry run', async () => {
    const dataDir = await world();
    const dry = await run(dataDir, ...ALL, '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('dry run, nothing written: ')]);
    expect(await listStopEventDays(dataDir)).toEqual([]);
    await run(dataDir, ...ALL, '--source', 'other', '--from', '2025-03-02');
    expect(await listStopEventDays(dataDir)).toEqual([{ source: 'other', serviceDate: '2025-03-02' }]);
  });

  it.each<[reason: string, options: string[], code: number, message: string]>([
    ['no archive', ['--mapping', 'pl_rail'], 2, 'import-history requires --file'],
    [
      'no mapping',
      ['--file', 'a.csv'],
      2,
      'import-history requires --mapping: one of hu_rail, pl_rail, sample, swiss_ist_daten',
    ],
    ['another mapping', ['--file', 'a.csv', '--mapping', 'x'], 2, 'there is no mapping x; there are hu_rail'],
    ['a file that is not there', ['--file', 'a.csv', '--mapping', './own.sql'], 1, 'there is no file '],
    ['two sources', [...ALL, '--source', 'a', 'b'], 2, 'an archive belongs to exactly one --source'],
    ['an archive without a header', ['--file', 'empty.csv', '--mapping', './own.sql'], 1, 'has no header'],
    [
      'a mapping that does not fit',
      ['--file', 'own.sql', '--mapping', './own.sql'],
      2,
      'the mapping own does not fit own.sql: line 9: Referenced column "day" not found',
    ],
    [
      'a mapping in another form',
      ['--file', 'a.csv', '--mapping', './2025-03-01.csv'],
      2,
      'the line "-- format: …" is',
    ],
  ])('rejects %s', async (_case, options, code, message) => {
    const { code: actual, stderr } = await run(await world(), ...options);
    expect([actual, stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
