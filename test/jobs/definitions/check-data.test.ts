import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { stopEventFile } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { publishStopEvents } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { newestFormat, writeDataFormat } from '../../../pipeline/lake/data-format.ts';
import { stopEventManifestFile, stopEventPartition } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { denyCounted } from '../../support/worlds/deny-counted.ts';
import { publishDay } from '../../support/worlds/marts.ts';
import { dayFacts, type StopEventRow, selectRows } from '../../support/worlds/stop-events.ts';
import { runCommand, temporaryFolder } from '../fake-world.ts';

const live = toSourceId('live');
const DAY = '2026-01-15' as ServiceDate;
const SOUND: readonly StopEventRow[] = [
  { utc_offset_minutes: 60 },
  { utc_offset_minutes: 60, trip_id: 't2', delay_seconds: null, observed_time: null, evidence: 'unknown' },
];

async function world(dates: readonly string[] = [DAY]): Promise<string> {
  const dataDir = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  for (const date of dates) {
    const moved = SOUND.map((row) => ({
      ...row,
      scheduled_time: `${date} 12:00:00`,
      observed_time: row.observed_time === null ? null : `${date} 12:02:00`,
    }));
    const facts = dayFacts({ serviceDate: date as ServiceDate, rowsIn: 3, refused: { no_plan: 1 } });
    await publishStopEvents(db, dataDir, path.join(dataDir, 'tmp', date), selectRows(moved), facts);
  }
  db.close();
  return dataDir;
}

/** Replaces rows without updating the manifest. */
async function replaceRows(dataDir: string, rows: readonly StopEventRow[]): Promise<void> {
  const file = path.join(stopEventPartition(dataDir, live, DAY), 'part-0.parquet');
  const db = await openDuckdb({ threads: 1 });
  await db.run(`copy (${selectRows(rows)}) to ${sqlText(file)} (format parquet)`);
  db.close();
}

const check = (dataDir: string, ...options: string[]) => runCommand(['run', 'check-data', ...options], { dataDir });

const codesOf = async (dataDir: string) => {
  const { code, stdout } = await check(dataDir, '--json');
  const { details } = JSON.parse(stdout) as { details: { broken: { code: string }[] } };
  return [code, details.broken.map((one) => one.code)];
};

describe('the job check-data', () => {
  it('shows what exists and what is missing', async () => {
    const dataDir = await world(['2026-01-12', '2026-01-13', '2026-01-15', '2026-01-18']);
    await writeDataFormat(dataDir, newestFormat(), '0.1.0');
    const { code, stdout, stderr } = await check(dataDir);
    expect([code, stdout]).toEqual([0, expect.stringContaining('4 days of 1 sources checked, all invariants hold')]);
    const lines = stderr.split('\n').filter((line) => !line.includes('checking'));
    expect(lines).toEqual([
      'live: 4 days from 2026-01-12 to 2026-01-18',
      '  8 planned calls, 4 observed (50.0 %), 0 cancelled',
      '  days that are missing in between: 2026-01-14, 2026-01-16 to 2026-01-17',
      '  refused: 4 no_plan',
      '  HOUR  PLANNED  OBSERVED   SHARE',
      '  ----  -------  --------  ------',
      '    13        8         4  50.0 %',
      '',
    ]);
  });

  it('checks a range day by day, several at a time, and reports it as a whole', async () => {
    const dataDir = await world(['2026-01-12', '2026-01-13', '2026-01-15']);
    await rm(stopEventManifestFile(dataDir, live, '2026-01-13' as ServiceDate));
    const inTurn = await check(dataDir, '--json');
    const range = ['--from', '2026-01-11', '--to', '2026-01-15', '--json'];
    for (const concurrency of ['1', '3']) {
      const divided = await check(dataDir, ...range, '--concurrency', concurrency);
      expect(divided.code).toBe(1);
      expect(JSON.parse(divided.stdout).details.together).toEqual(JSON.parse(inTurn.stdout).details);
      expect(JSON.parse(divided.stdout).summary).toBe(
        '5 of 5 days done; 2 days of 1 sources checked, 1 invariants are violated: no_manifest',
      );
    }
    const resumed = await check(dataDir, ...range, '--resume');
    expect(JSON.parse(resumed.stdout).summary).toContain('5 done before; 0 days of 0 sources checked');
  });

  it('leaves findings in days that a job may be writing to the next check', async () => {
    const dataDir = await world(['2026-01-12', '2026-01-13']);
    await rm(stopEventManifestFile(dataDir, live, '2026-01-13' as ServiceDate));
    const lock = await acquireLocks(dataDir, 'import-history', ['stop-events/live'], systemClock);
    const { code, stdout, stderr } = await check(dataDir);
    await lock.release();
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 days of 1 sources checked, all invariants hold')]);
    expect(stderr).toContain('import-history is being run');
    expect(stderr).toContain('so 1 days with findings are left to the next check');
    expect((await check(dataDir)).code).toBe(1);
  });

  it('checks only the requested days and sources', async () => {
    const dataDir = await world(['2026-01-12', '2026-01-13']);
    expect((await check(dataDir, '--date', '2026-01-12')).stdout).toContain('1 days of 1 sources checked');
    expect((await check(dataDir, '--source', 'other')).stdout).toContain('0 days of 0 sources checked');
  });

  const wrong: readonly [code: string, row: StopEventRow][] = [
    ['duplicate_call', { trip_id: 't1' }],
    ['delay_unlike_times', { trip_id: 't2', delay_seconds: 60 }],
    ['delay_without_observation', { trip_id: 't2', evidence: 'forecast' }],
    ['observed_without_time', { trip_id: 't2', observed_time: null, delay_seconds: null }],
    ['unknown_word', { trip_id: 't2', evidence: 'sure', delay_seconds: null }],
    ['planned_without_time', { trip_id: 't2', scheduled_time: null, delay_seconds: null }],
    [
      'time_far_from_day',
      { trip_id: 't2', scheduled_time: '2026-02-15 12:00:00', observed_time: '2026-02-15 12:02:00' },
    ],
    ['impossible_delay', { trip_id: 't2', delay_seconds: 604_800, observed_time: '2026-01-22 12:00:00' }],
  ];
  it.each(wrong)('finds a %s', async (code, row) => {
    const dataDir = await world();
    await replaceRows(dataDir, [SOUND[0]!, row]);
    const [exit, codes] = await codesOf(dataDir);
    expect(exit).toBe(1);
    expect(codes).toContain(code);
  });

  it('finds rows and counts that the manifest lacks', async () => {
    const dataDir = await world();
    await replaceRows(dataDir, [SOUND[0]!]);
    expect(await codesOf(dataDir)).toEqual([1, ['rows_unlike_manifest', 'counts_unlike_manifest']]);
  });

  it('finds lost rows', async () => {
    const dataDir = await world();
    const file = stopEventManifestFile(dataDir, live, DAY);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"rowsIn": 3', '"rowsIn": 4'));
    expect(await codesOf(dataDir)).toEqual([1, ['rows_lost']]);
  });

  it('finds calls that count differently from the rule', async () => {
    const dataDir = await world();
    const row = { utc_offset_minutes: 60, scheduled_time: `${DAY} 12:00:00`, observed_time: `${DAY} 12:02:00` };
    await publishDay(dataDir, 'other', DAY, [row, { ...row, trip_id: 't3' }]);
    expect((await runCommand(['run', 'build-marts'], { dataDir })).code).toBe(0);
    expect(await codesOf(dataDir)).toEqual([0, []]);
    await denyCounted(stopEventFile(dataDir, live, DAY));
    expect(await codesOf(dataDir)).toEqual([1, ['counted_wrongly']]);
    // A day without the column cannot be wrong.
    await publishDay(dataDir, 'other', DAY, [row]);
    expect(await codesOf(dataDir)).toEqual([0, []]);
  });

  it('reports an unreadable source even if another one is requested', async () => {
    const dataDir = await world();
    await publishDay(dataDir, 'other', DAY, [{ utc_offset_minutes: 60 }]);
    await writeFile(stopEventFile(dataDir, toSourceId('other'), DAY), 'no Parquet');
    const { code, stderr } = await check(dataDir, '--source', 'live');
    expect([code, stderr]).toEqual([1, expect.stringContaining('broken: live 2026-01-15 unreadable')]);
  });

  it('finds rows without a manifest, and a manifest without rows', async () => {
    const dataDir = await world(['2026-01-14', DAY]);
    await rm(stopEventManifestFile(dataDir, live, '2026-01-14' as ServiceDate));
    await rm(stopEventPartition(dataDir, live, DAY), { recursive: true });
    const { code, stderr } = await check(dataDir);
    expect(code).toBe(1);
    expect(stderr).toContain('broken: live 2026-01-14 no_manifest: the partition has no manifest');
    expect(stderr).toContain('broken: live 2026-01-15 no_single_file: there is a manifest without rows');
    expect(stderr).toContain(
      'error: 0 days of 0 sources checked, 2 invariants are violated: no_manifest, no_single_file',
    );
  });

  it('reports nothing for an empty lake', async () => {
    expect(await codesOf(await temporaryFolder())).toEqual([0, []]);
  });
});
