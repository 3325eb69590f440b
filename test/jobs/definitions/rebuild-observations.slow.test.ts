import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { findStopEventManifest } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { observationsFolder } from '../../../pipeline/lake/paths.ts';
import { hashFiles } from '../../support/checks/folder-state.ts';
import { finalise, getManifest, listRows, live, openWorldToFinalise } from '../../support/worlds/finalised-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { POLLED_DAY as DAY, pollDay, pollPositions } from '../../support/worlds/polled-day.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';
import { fakeEffects, runCommand } from '../fake-world.ts';

const feedOfMarch = withFiles(soundFeed, {
  'calendar.txt': [
    'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
    'daily,1,1,1,1,1,1,1,20260301,20260331',
  ].join('\n'),
});

it('a rebuild from raw responses gives the same stop events', async () => {
  const world = await openWorldToFinalise(feedOfMarch, DAY);
  await pollDay(world);
  await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live');
  const rows = await listRows(world);
  expect(rows).toEqual([
    't1.0 a departure 07:00 observed_actual +90 left +90 forecast +60 390 s before',
    't1.1 b arrival 07:10 forecast forecast +120 420 s before',
    't1.2 c arrival 07:20 unknown',
    't2.0 a departure 08:00 unknown cancelled',
    't2.1 b arrival 08:10 unknown cancelled',
    't2.2 c arrival 08:20 unknown cancelled',
  ]);
  const { rowsHash } = await getManifest(world);

  const into = path.join(world.dataDir, 'elsewhere', 'again');
  const rebuild = (...options: string[]) =>
    runCommand(
      ['run', 'rebuild-observations', ...options, '--config', path.join(world.dataDir, 'taktgeber.yaml'), '--json'],
      { dataDir: world.dataDir },
    );
  const { code, stdout, stderr } = await rebuild('--date', DAY, '--into', into);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    summary: `6 stored responses gave 1 days of observations in ${into}`,
    details: { days: [{ source: 'live', serviceDate: DAY }] },
  });
  const rebuilt = { ...world, dataDir: into };
  const again = ['run', 'finalise-stop-events', '--source', 'live', '--date', DAY];
  const config = ['--config', path.join(world.dataDir, 'taktgeber.yaml'), '--data', into];
  await runCommand([...again, ...config], { dataDir: into, effects: fakeEffects('2026-03-05T12:00:00Z') });
  expect(await listRows(rebuilt)).toEqual(rows);
  expect((await findStopEventManifest(into, live, world.date))!.rowsHash).toBe(rowsHash);
  // Nothing was written into the real folder, and a folder in use is not overwritten.
  expect(await readdir(path.join(world.dataDir, 'tmp'))).toEqual([]);
  expect(await rebuild('--date', DAY, '--into', into)).toMatchObject({ code: 2 });

  // Weeks give the same result, and completed ones are skipped the next time.
  const weeks = path.join(world.dataDir, 'elsewhere', 'weeks');
  const range = ['--from', '2026-03-01', '--to', '2026-03-09', '--into', weeks];
  const divided = JSON.parse((await rebuild(...range, '--concurrency', '2')).stdout);
  expect(divided.summary).toBe('3 of 3 weeks done');
  const observations = (file: string) => file.startsWith(path.join('lake', 'observations'));
  const isOfDay = (file: string) => observations(file) && file.includes(DAY);
  // By their contents: each rebuild has another writer, whose id is in the names.
  const hashesIn = async (folder: string) => [...(await hashFiles(folder, isOfDay)).values()].sort();
  expect((await hashesIn(into)).length).toBeGreaterThan(0);
  expect(await hashesIn(weeks)).toEqual(await hashesIn(into));
  expect(await rebuild(...range)).toMatchObject({ code: 2 });
  expect(JSON.parse((await rebuild(...range, '--resume')).stdout).summary).toContain('3 done before');
});

it('a rebuild derives the same passages from positions as the poller', async () => {
  const world = await openWorldToFinalise(feedOfMarch, DAY);
  const file = path.join(world.dataDir, 'taktgeber.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('tripUpdates:', 'vehiclePositions:'));
  await pollPositions(world);
  expect(await listDerived(world.dataDir)).toMatchInlineSnapshot(`
    [
      "a departure 07:02:09 ±11",
      "b arrival 07:12:00 ±13",
      "b departure 07:12:00 ±13",
    ]
  `);
  const into = path.join(world.dataDir, 'elsewhere', 'again');
  const argv = ['run', 'rebuild-observations', '--config', file, '--date', DAY, '--into', into];
  expect(await runCommand(argv, { dataDir: world.dataDir })).toMatchObject({ code: 0 });
  expect(await listDerived(into)).toEqual(await listDerived(world.dataDir));
});

/** Observations with an uncertainty: `b arrival 07:12:03 ±12`. */
async function listDerived(dataDir: string): Promise<string[]> {
  const files = sqlText(path.join(observationsFolder(dataDir), 'source=live', '**', '*.parquet'));
  const db = await openDuckdb({ threads: 1 });
  try {
    const rows = await db.query(
      `select concat(stop_id, ' ', event, ' ', strftime(coalesce(observed_time, estimated_time), '%H:%M:%S'), ' ±', uncertainty_seconds) as text
       from read_parquet(${files}) where uncertainty_seconds is not null order by coalesce(observed_time, estimated_time)`,
    );
    return rows.map(({ text }) => String(text));
  } finally {
    db.close();
  }
}
