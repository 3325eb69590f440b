import { expect, it } from 'vitest';
import { findCurrentHistoryId } from '../../pipeline/snapshots/history-contract.ts';
import { readFolderState } from '../support/folder-state.ts';
import { publishDay, readMart } from '../support/marts.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

async function twoDays(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const date of ['2026-01-15', '2026-02-01']) {
    await publishDay(dataDir, 'live', date, [{ utc_offset_minutes: 60 }]);
  }
  return dataDir;
}

const run = (dataDir: string, ...options: string[]) => runCommand(['run', 'build-marts', ...options], { dataDir });

it('makes the marts of all days and publishes them as history; the second time nothing changes', async () => {
  const dataDir = await twoDays();
  const first = await run(dataDir);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('made 2 days in 2 months; history ')]);
  expect(await findCurrentHistoryId(dataDir)).not.toBeNull();
  const state = await readFolderState(dataDir, (file) => !file.startsWith('jobs'));
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
  expect(await readFolderState(dataDir, (file) => !file.startsWith('jobs'))).toEqual(state);
});

it.each<[options: string[], says: string, days: string[]]>([
  [['--date', '2026-01-15'], 'made 1 days in 1 months', ['2026-01-15']],
  [['--from', '2026-01-16', '--to', '2026-02-28'], 'made 1 days in 1 months', ['2026-02-01']],
  [['--dry-run'], 'would make 2 days in 2 months', []],
  [['--date', '2026-01-20'], 'the marts are up to date', []],
])('%j', async (options, says, days) => {
  const dataDir = await twoDays();
  const { code, stdout } = await run(dataDir, ...options);
  expect([code, stdout]).toEqual([0, expect.stringContaining(says)]);
  const rows = await readMart(dataDir, 'network_hourly', "source = '*'");
  expect(rows.map((row) => row.service_date)).toEqual(days);
});

it('tells of other definitions beside the limits that the api knows', async () => {
  const dataDir = await twoDays();
  const environment = { TAKTGEBER_HISTORY_FURTHER_DEFINITIONS: '60/120, 330/600/forecast' };
  const { code } = await runCommand(['run', 'build-marts'], { dataDir, environment });
  const rows = await readMart(dataDir, 'line_daily', "source = '*' and service_date = '2026-01-15'");
  expect(code).toBe(0);
  expect(rows.map((row) => [row.on_time_max_delay_seconds, row.late_min_delay_seconds, row.evidence])).toEqual([
    [60, 120, 'observed_actual'],
    [330, 600, 'forecast'],
    [330, 600, 'observed_actual'],
  ]);
});

it('has nothing to do in an empty lake', async () => {
  const dataDir = await temporaryFolder();
  expect((await run(dataDir)).code).toBe(0);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
});
