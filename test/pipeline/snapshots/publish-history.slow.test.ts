import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { martFile } from '../../../pipeline/lake/paths.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import {
  findCurrentHistoryId,
  historySnapshotsFolder,
  readHistoryManifest,
} from '../../../pipeline/snapshots/history-contract.ts';
import { martSnapshotFile } from '../../../pipeline/snapshots/mart-snapshot.ts';
import { publishHistory } from '../../../pipeline/snapshots/publish-history.ts';
import { historyCall } from '../../support/worlds/history-calls.ts';
import { publishCalls, testDefinition } from '../../support/worlds/history-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';

const call = (day: string, delay: number, source = 'live') => historyCall({ source, day: day as ServiceDate, delay });
const START = '2026-02-10T04:00:00Z';
const later = (minutes: number) => fixedClock(new Date(Date.parse(START) + minutes * 60_000).toISOString());
const listSnapshots = async (dataDir: string) =>
  (await readdir(historySnapshotsFolder(dataDir))).filter((name) => !name.endsWith('.json')).sort();

describe('a published history', () => {
  test('is the current marts, counts their contents, and takes no space', async () => {
    const dataDir = await temporaryFolder();
    const id = await publishCalls(dataDir, [call('2026-01-31', 0), call('2026-02-01', 0, 'trias')], later(0));
    expect(await findCurrentHistoryId(dataDir)).toBe(id);
    const manifest = await readHistoryManifest(dataDir, id);
    expect(manifest).toMatchObject({
      kind: 'history',
      id,
      createdAt: '2026-02-10T04:00:00.000Z',
      definition: testDefinition,
      sources: ['live', 'trias'],
      definitionColumns: [],
      hasLastForecasts: false,
      firstDate: '2026-01-31',
      lastDate: '2026-02-01',
    });
    expect(manifest.files.map(({ table, month }) => `${table} ${month}`)).toEqual([
      'network_hourly 2026-01',
      'network_hourly 2026-02',
      'operator_hourly 2026-01',
      'operator_hourly 2026-02',
      'line_daily 2026-01',
      'line_daily 2026-02',
      'punctuality_cube 2026-01',
      'punctuality_cube 2026-02',
      'stop_daily 2026-01',
      'stop_daily 2026-02',
      'trip_daily 2026-01',
      'trip_daily 2026-02',
    ]);
    for (const file of manifest.files) {
      const [linked, mart] = await Promise.all([
        stat(path.join(historySnapshotsFolder(dataDir), id, martSnapshotFile(file))),
        stat(martFile(dataDir, file.table, file.month)),
      ]);
      expect([linked.ino, linked.size]).toEqual([mart.ino, file.bytes]);
    }
  });

  test('is unchanged when the marts change, and the new one is beside it', async () => {
    const dataDir = await temporaryFolder();
    const first = await publishCalls(dataDir, [call('2026-02-01', 0)], later(0));
    const file = path.join(historySnapshotsFolder(dataDir), first, 'line_daily', 'month=2026-02', 'part-0.parquet');
    const before = await readFile(file);
    const second = await publishCalls(dataDir, [call('2026-02-01', 400)], later(1));
    expect(second).not.toBe(first);
    expect(await readFile(file)).toEqual(before);
    expect(await listSnapshots(dataDir)).toEqual([first, second].sort());
  });

  test('of equal marts is the same snapshot, wherever and whenever it is built', async () => {
    const calls = [call('2026-02-01', 0), call('2026-02-02', 700)];
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    expect(await publishCalls(one, calls, later(0))).toBe(await publishCalls(other, [...calls].reverse(), later(9)));
    const options = {
      dataDir: one,
      definition: testDefinition,
      keepSnapshots: 3,
      duckdb: { threads: 1, memoryLimit: '256MB' },
    };
    const again = await publishHistory(options, { clock: later(10), log: silentLog });
    expect(again).toEqual({ id: await findCurrentHistoryId(one), isUnchanged: true });
    expect(await listSnapshots(one)).toEqual([again.id]);
    const strict = { ...options, definition: { ...testDefinition, onTimeMaxDelaySeconds: 180 } };
    expect((await publishHistory(strict, { clock: later(10), log: silentLog })).id).not.toBe(again.id);
  });

  test('that is damaged is rebuilt', async () => {
    const dataDir = await temporaryFolder();
    const calls = [call('2026-02-01', 0)];
    const id = await publishCalls(dataDir, calls, later(0));
    await rm(path.join(historySnapshotsFolder(dataDir), id, 'stop_daily'), { recursive: true });
    await expect(readHistoryManifest(dataDir, id)).rejects.toMatchObject({
      code: 'snapshot_damaged',
      message: expect.stringContaining('is missing'),
    });
    expect(await publishCalls(dataDir, calls, later(1))).toBe(id);
    expect((await readHistoryManifest(dataDir, id)).id).toBe(id);
  });

  test('of nothing is empty', async () => {
    const dataDir = await temporaryFolder();
    const manifest = await readHistoryManifest(dataDir, await publishCalls(dataDir, [], later(0)));
    expect(manifest).toMatchObject({ sources: [], firstDate: null, lastDate: null, files: [] });
  });
});

test('old ones are removed, the newest remain, and so do recently replaced ones', async () => {
  const dataDir = await temporaryFolder();
  const publish = (delay: number, minutes: number) =>
    publishCalls(dataDir, [call('2026-02-01', delay)], later(minutes));
  const ids: string[] = [];
  // Three are kept; of five in five minutes none is old enough to be removed.
  for (const minute of [0, 1, 2, 3, 4]) ids.push(await publish(minute, minute));
  expect(await listSnapshots(dataDir)).toEqual([...ids].sort());
  ids.push(await publish(500, 20));
  expect(await listSnapshots(dataDir)).toEqual([ids[3]!, ids[4]!, ids[5]!].sort());
});

test('one of another format, or without a manifest, is rejected by name', async () => {
  const dataDir = await temporaryFolder();
  const id = await publishCalls(dataDir, [call('2026-02-01', 0)], later(0));
  const file = path.join(historySnapshotsFolder(dataDir), id, 'manifest.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), formatVersion: 99 }));
  await expect(readHistoryManifest(dataDir, id)).rejects.toThrow('is of format 99');
  await rm(file);
  await expect(readHistoryManifest(dataDir, id)).rejects.toThrow('has no manifest');
});
