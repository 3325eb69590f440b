import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { pollRealtimeJob } from '../../../jobs/definitions/poll-realtime.ts';
import { Interruption } from '../../../jobs/job/exit-code.ts';
import { noOptions } from '../../../jobs/job/job.ts';
import { keepRealtimeFresh } from '../../../jobs/polling/keep-polling.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import type { SourceId } from '../../../pipeline/model/ids.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import type { Parts } from '../fake-world.ts';
import { fakeEffects, fakeParts, press, temporaryFolder, testConfig } from '../fake-world.ts';

const LEASE_SECONDS = 2;
const SOON = { timeout: 60_000, interval: 20 };

const server = usePostgres();

/** A machine with its own folder that polls while it may. */
async function startPoller(postgresUrl: string, source = 'wl') {
  const base = await testConfig(await temporaryFolder());
  const operations = { ...base.operations, postgresUrl, leaseSeconds: LEASE_SECONDS };
  const config = { ...base, operations, realtime: [{ id: source } as ConfiguredSource] };
  const stop = new AbortController();
  const state = { isPolling: false };
  const pollRealtime: Parts['pollRealtime'] = async ({ signal }) => {
    state.isPolling = true;
    while (!signal.aborted) await wait(10);
    state.isPolling = false;
    return [];
  };
  const effects = {
    ...fakeEffects(),
    sleep: async (_milliseconds: number, signal?: AbortSignal) => {
      await wait(100, undefined, { signal });
    },
  };
  const running = keepRealtimeFresh({ config, functions: fakeParts({ pollRealtime }), effects, signal: stop.signal });
  const end = async () => {
    if (!stop.signal.aborted) press(stop, new Interruption('SIGTERM'));
    await running;
  };
  onTestFinished(end);
  return { config, isPolling: () => state.isPolling, logged: effects.logged, end };
}

it.each(['wl', 'vao'])('a poller of %s on another machine waits, reports that, and takes over', async (source) => {
  const url = await server().createDatabase();
  const first = await startPoller(url);
  await expect.poll(first.isPolling, SOON).toBe(true);
  const second = await startPoller(url, source);
  await expect.poll(second.logged, SOON).toMatch(/poll-realtime is being run by process \d+ on/);
  await wait(LEASE_SECONDS * 1500);
  expect([first.isPolling(), second.isPolling()]).toEqual([true, false]);
  await first.end();
  await expect.poll(second.isPolling, SOON).toBe(true);
});

it('excludes a manual run, on its machine or on another one', async () => {
  const url = await server().createDatabase();
  const poller = await startPoller(url);
  await expect.poll(poller.isPolling, SOON).toBe(true);
  const polled = vi.fn(async () => []);
  const job = pollRealtimeJob(polled);
  const { realtime } = poller.config;
  const elsewhere = await temporaryFolder();
  // Of the same source, or of another one, because either would replace the snapshot.
  const other = [{ ...realtime[0]!, id: 'vao' as SourceId }];
  for (const changes of [{}, { dataDir: elsewhere }, { realtime: other }, { dataDir: elsewhere, realtime: other }]) {
    const context = { config: { ...poller.config, ...changes }, effects: fakeEffects(), options: noOptions };
    const ran = await runJob(job, context).catch((error: Error) => ({ status: 'refused', summary: error.message }));
    expect(ran).toMatchObject({ summary: expect.stringMatching(/^poll-realtime is being run by process \d+/) });
  }
  expect(polled).not.toHaveBeenCalled();
  await poller.end();
  const context = { config: poller.config, effects: fakeEffects(), options: noOptions };
  await runJob(job, context);
  expect(polled).toHaveBeenCalledTimes(1);
});

it('a database that is away does not stop polling; afterwards one of two polls', async () => {
  const url = await server().createDatabase();
  const first = await startPoller(url);
  await expect.poll(first.isPolling, SOON).toBe(true);
  await server().crash();
  let isDown = true;
  try {
    await expect.poll(first.logged, SOON).toContain('continues without its lock');
    const second = await startPoller(url);
    await expect.poll(second.isPolling, SOON).toBe(true);
    expect(first.isPolling()).toBe(true);
    await server().restart();
    isDown = false;
    await expect.poll(() => Number(first.isPolling()) + Number(second.isPolling()), SOON).toBe(1);
  } finally {
    if (isDown) await server().restart();
  }
});
