import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { holdHistory } from '../../../api/history/watch-history.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { ALL_SOURCES, historySnapshotsFolder } from '../../../pipeline/snapshots/history-contract.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { historyCall } from '../../support/worlds/history-calls.ts';
import { openHistories, publishCalls, testHistoryLimits } from '../../support/worlds/history-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { town } from '../engine/live-town.ts';
import { noHistory, openService } from '../service-app.ts';
import { HISTORY_TODAY } from './open-history-app.ts';

const call = (delay: number) => historyCall({ delay });
const clock = fixedClock(HISTORY_TODAY);
const nobodyLeaves = () => {};
const SOON = { timeout: 90_000, interval: 25 };
const MONTH = { from: '2026-01-01' as ServiceDate, to: '2026-01-31' as ServiceDate };

test('a newer history replaces the previous one in one step; running queries finish on the old one', async () => {
  const dataDir = await temporaryFolder();
  const first = await publishCalls(dataDir, [call(0)], clock);
  const snapshots = await openHistories(dataDir, clock);
  const app = await openService(await openWorld(town), { clock, history: { ...noHistory, snapshots } });
  const query = async () => {
    const { headers, json } = await app.inject({ url: '/v1/history' });
    return [headers['data-version'], json().totals.onTimeShare];
  };
  const before = snapshots.current()!.value;
  expect(await query()).toEqual([first, 1]);
  const second = await publishCalls(dataDir, [call(400)], clock);
  const [beforeLook] = await Promise.all([query(), snapshots.check()]);
  expect([
    [first, 1],
    [second, 0],
  ]).toContainEqual(beforeLook);
  expect(await query()).toEqual([second, 0]);
  const period = { from: '2026-01-15' as ServiceDate, to: '2026-01-15' as ServiceDate };
  const question = { period, source: ALL_SOURCES, line: 'U1', operator: null, stops: null };
  expect((await before.answer(question, nobodyLeaves)).totals.onTime).toBe(1);
  expect((await snapshots.current()!.value.answer(question, nobodyLeaves)).totals.onTime).toBe(0);
});

test('a newer history that fails to load leaves the current one its tables', async () => {
  const dataDir = await temporaryFolder();
  const first = await publishCalls(dataDir, [call(0)], clock);
  const limits = { ...testHistoryLimits, maxQueued: 0 };
  const histories = await holdHistory(dataDir, limits, { clock, log: silentLog });
  onTestFinished(() => histories.close());
  // The only worker is busy, so the default periods of the newer history are refused.
  const { query } = await histories.openReader({ folder: dataDir, files: [] });
  const sql = 'select count(*)::double as n from range(100000000) as a, range(1000) as b where a.range * b.range = 7';
  let leave = () => {};
  const endless = query(
    (run) => run({ sql, values: {} }),
    MONTH,
    (listener) => {
      leave = listener;
    },
  );
  const second = await publishCalls(dataDir, [call(400)], clock);
  const now = vi.spyOn(performance, 'now');
  for (let attempt = 1; attempt <= 4; attempt++) {
    await histories.check();
    now.mockReturnValue(attempt * 1e9);
  }
  now.mockRestore();
  leave();
  await expect(endless).rejects.toThrow();
  const { dataVersion, value } = histories.current()!;
  const question = { period: MONTH, source: ALL_SOURCES, line: null, operator: null, stops: null };
  const { totals } = await vi.waitFor(() => value.answer(question, nobodyLeaves), SOON);
  expect([dataVersion, totals.onTime]).toEqual([first, 1]);
  await vi.waitFor(() => expect(histories.current()!.dataVersion).toBe(second), SOON);
});

test('default periods are prepared, and those of the next day once it has begun', async () => {
  const dataDir = await temporaryFolder();
  const id = await publishCalls(dataDir, [call(60)], clock);
  const today = fixedClock('2026-02-13T22:00:00Z');
  const snapshots = await openHistories(dataDir, today);
  const app = await openService(await openWorld(town), { clock: today, history: { ...noHistory, snapshots } });
  // Without its files, only prepared responses are available.
  await rm(path.join(historySnapshotsFolder(dataDir), id, 'line_daily'), { recursive: true });
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode;
  expect(await statusOf('/v1/history')).toBe(200);
  const thirty = (await app.inject({ url: '/v2/history' })).json();
  expect([thirty.period.from, thirty.totals.events]).toEqual(['2026-01-14', 1]);
  expect(await statusOf('/v2/history?to=2026-02-01')).toBe(500);
});

test('the next day prepares other default periods once', async () => {
  const dataDir = await temporaryFolder();
  await publishCalls(dataDir, [call(60)], clock);
  const today = fixedClock('2026-02-13T22:00:00Z');
  const snapshots = await openHistories(dataDir, today);
  const { findReady } = snapshots.current()!.value;
  const readyTo = (from: string, to: string) => {
    const period = { from: from as ServiceDate, to: to as ServiceDate };
    return findReady({ period, source: ALL_SOURCES, line: null, operator: null, stops: null })?.totals.observed ?? null;
  };
  expect([readyTo('2026-01-14', '2026-02-12'), readyTo('2026-01-15', '2026-02-13')]).toEqual([1, null]);
  today.set('2026-02-13T23:00:00Z');
  await snapshots.check();
  expect([readyTo('2026-01-14', '2026-02-12'), readyTo('2026-01-15', '2026-02-13')]).toEqual([null, 1]);
});
