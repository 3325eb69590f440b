import { readdir, readFile, utimes } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApi } from '../../api/start-api.ts';
import { followOpened } from '../../jobs/commands/follow-store.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { createMetrics } from '../../pipeline/metrics/metrics.ts';
import { servedTrees } from '../../pipeline/scale-out/object-store/follow-trees.ts';
import { markWriting } from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { apiConfig } from '../api/api-config.ts';
import { findValue, parseMetrics } from '../support/checks/parse-metrics.ts';
import { memoryObjectStore } from '../support/fakes/memory-object-store.ts';
import { silentLog, temporaryFolder } from '../support/worlds/ingest.ts';
import { openPublishingMachine } from '../support/worlds/published-store.ts';

const NOW = Date.parse('2026-03-03T06:30:07Z');
const BOARD = '/v2/stops/at:a/departures';

/** A machine that serves, whose followers fetch each tree once and then sleep until the test wakes them. */
async function openReplica(store = memoryObjectStore()) {
  const dataDir = await temporaryFolder();
  const clock = fixedClock(new Date(NOW).toISOString());
  const metrics = createMetrics();
  const sleepers = new Set<() => void>();
  const sleep = (_milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal?.reason);
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop);
      sleepers.add(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
    });
  const effects = { ...realEffects({ clock, log: silentLog }), sleep, metrics, threadMonitor: undefined };
  const context = { store, dataDir, concurrency: 3, keepGarbageHours: 48, effects };
  const following = await followOpened(context, effects);
  onTestFinished(() => following.close());
  const serve = async () => {
    const api = await startApi(apiConfig(dataDir), { clock, log: silentLog });
    onTestFinished(() => api.close());
    return api.url;
  };
  const wake = () => {
    for (const resolve of sleepers) resolve();
    sleepers.clear();
  };
  const ageOf = async (tree: string) =>
    findValue(parseMetrics((await metrics.scrape()).text), 'taktgeber_store_tree_age_seconds', { tree });
  return { dataDir, store, clock, following, serve, wake, ageOf, sleepers };
}

const never = new AbortController().signal;

test('an empty folder waits for publications; then no request accesses the store, and nothing is ever listed', async () => {
  const store = memoryObjectStore();
  const machine = await openPublishingMachine(store);
  await machine.publishTimetable();
  await machine.publishDelay(3, NOW);
  store.calls.length = 0;
  const replica = await openReplica(store);
  await replica.following.untilServable(never);
  const url = await replica.serve();
  const fetched = store.calls.length;
  for (let i = 0; i < 50; i++) {
    for (const path of [BOARD, '/v2/stops?query=berg', '/v2/disruptions', '/v1/network-maps', '/v1/status', '/']) {
      expect((await fetch(url + path)).status).toBe(200);
    }
  }
  expect(store.calls.length).toBe(fetched);
  expect(store.calls.filter((call) => call.startsWith('list'))).toEqual([]);
});

test('a store that goes away leaves existing files, and their age is shown', async () => {
  const store = memoryObjectStore();
  const machine = await openPublishingMachine(store);
  await machine.publishTimetable();
  const { following, serve, clock, wake, ageOf, sleepers } = await openReplica(store);
  await following.untilServable(never);
  const url = await serve();
  expect(await ageOf('snapshots/timetable')).toBe(0);
  store.before = () => {
    throw new ExternalError('store_unreachable', 'no route to the store', { isRetryable: true });
  };
  clock.set(new Date(NOW + 600_000).toISOString());
  wake();
  await expect.poll(() => sleepers.size).toBeGreaterThan(0);
  expect((await fetch(url + BOARD)).status).toBe(200);
  expect(await ageOf('snapshots/timetable')).toBe(600);
});

test('files that a job of the same folder has written and not published remain', async () => {
  const store = memoryObjectStore();
  const machine = await openPublishingMachine(store);
  await machine.publishTimetable();
  const { dataDir, following, wake, sleepers } = await openReplica(store);
  await following.untilServable(never);
  const pointer = path.join(dataDir, 'snapshots/realtime/current.json');
  await markWriting(dataDir, 'poll-realtime', ['realtime snapshots'], { clock: fixedClock('2026-03-03T06:30:07Z') });
  await writeJsonAtomically(pointer, { id: 'polled-here' });
  const other = await machine.publishDelay(3, NOW);
  wake();
  await expect.poll(() => sleepers.size).toBe(servedTrees.length);
  expect([await readFile(pointer, 'utf8'), other]).toEqual([
    expect.stringContaining('polled-here'),
    expect.any(String),
  ]);
});

test('unpublished files of a dead poller are discarded, once its successor had time to publish them', async () => {
  const store = memoryObjectStore();
  const machine = await openPublishingMachine(store);
  await machine.publishTimetable();
  const { dataDir, following, wake, sleepers, ageOf, clock } = await openReplica(store);
  await following.untilServable(never);
  const pointer = path.join(dataDir, 'snapshots/realtime/current.json');
  const mark = await markWriting(dataDir, 'poll-realtime', ['realtime snapshots'], { clock });
  await writeJsonAtomically(pointer, { id: 'polled-here' });
  await mark.wait();
  await machine.publishDelay(3, NOW);
  const round = async () => {
    wake();
    await expect.poll(() => sleepers.size).toBe(servedTrees.length);
    return readFile(pointer, 'utf8');
  };
  clock.set(new Date(NOW + 60_000).toISOString());
  expect([await round(), await ageOf('snapshots/realtime')]).toEqual([expect.stringContaining('polled-here'), 60]);
  const marks = path.join(dataDir, 'state/object-store/writing');
  // The modification time of files is that of the system.
  const past = (Date.now() - 3 * 60_000) / 1000;
  for (const name of await readdir(marks)) await utimes(path.join(marks, name), past, past);
  expect([await round(), await ageOf('snapshots/realtime')]).toEqual([expect.not.stringContaining('polled-here'), 0]);
});

test('a folder with a timetable is served immediately, without the store', async () => {
  const store = memoryObjectStore();
  const machine = await openPublishingMachine(store);
  await machine.publishTimetable();
  const first = await openReplica(store);
  await first.following.untilServable(never);
  await first.following.close();
  store.before = () => new Promise(() => {});
  await expect(first.following.untilServable(never)).resolves.toBeUndefined();
  expect((await fetch((await first.serve()) + BOARD)).status).toBe(200);
});

test('a stop ends the wait for a store that does not respond', async () => {
  const store = memoryObjectStore();
  const stopping = new AbortController();
  const held: (() => void)[] = [];
  store.before = () => new Promise<void>((resolve) => void held.push(resolve));
  const { following } = await openReplica(store);
  const waiting = following.untilServable(stopping.signal);
  await expect.poll(() => held.length).toBeGreaterThan(0);
  stopping.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  store.before = () => {};
  for (const release of held) release();
});
