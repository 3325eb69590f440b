import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { publishWhile } from '../../jobs/publish-polled.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { movingClock, nowInstant } from '../../pipeline/effects/clock.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { localDate } from '../../pipeline/model/service-time.ts';
import { findPolledPublication } from '../../pipeline/object-store/waiting.ts';
import { listMarks } from '../../pipeline/object-store/writing-marks.ts';
import { temporaryFolder } from '../support/ingest.ts';
import { startS3Server } from '../support/s3-server.ts';
import { writeFiles } from '../support/stored-folder.ts';

const SOON = { timeout: 60_000, interval: 20 };

/** A poller whose seconds are milliseconds. */
async function openPoller() {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const environment = {
    TAKTGEBER_DATA: await temporaryFolder(),
    TAKTGEBER_STORE_URL: 's3://taktgeber/test',
    TAKTGEBER_STORE_ENDPOINT: server.endpoint,
    TAKTGEBER_STORE_PATH_STYLE: 'true',
    TAKTGEBER_STORE_ACCESS_KEY_ID: 'key',
    TAKTGEBER_STORE_SECRET_ACCESS_KEY: 'secret',
    TAKTGEBER_STORE_RETRY_SECONDS: '0',
  };
  const { config } = await loadConfig({ environment, cwd: '/', home: '/' });
  const { dataDir } = config;
  const since = Date.now();
  const clock = movingClock({ at: since, since, speed: 1000 });
  const warnings: string[] = [];
  const effects = {
    clock,
    log: { ...silentLog, warn: (sentence: string) => warnings.push(sentence) },
    http: () => Promise.reject(new Error('nothing is asked')),
    sleep: async (_milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      await wait(2);
    },
  };
  const folder = () => `lake/raw/source=wl/fetch_date=${localDate(nowInstant(clock), 'UTC')}`;
  let answers = 0;
  const answer = async () => {
    answers++;
    const name = `${100_000 + answers}-a-00000000.pb.gz`;
    await writeFiles(dataDir, { [`${folder()}/${name}`]: name });
    await mkdir(path.join(dataDir, folder()), { recursive: true });
    await appendFile(path.join(dataDir, folder(), 'answers.ndjson'), `{"rawId":"${name}"}\n`);
    return name;
  };
  const snapshot = (id: string) =>
    writeFiles(dataDir, { [`snapshots/realtime/${id}.rt`]: id, 'snapshots/realtime/current.json': `{"id":"${id}"}` });
  const stored = () => [...server.objects.values()].map(({ bytes }) => bytes.toString()).join('\n');
  const poll = (task: () => Promise<void>) => publishWhile({ config, sources: [], effects }, task);
  return { server, dataDir, warnings, answer, snapshot, stored, poll };
}

it('publishes while it polls, and polls on while the store is down: nothing is lost', async () => {
  const { server, dataDir, warnings, answer, snapshot, stored, poll } = await openPoller();
  await poll(async () => {
    const first = await answer();
    await snapshot('a');
    await expect.poll(stored, SOON).toContain(first);
    await expect.poll(stored, SOON).toContain('snapshots/realtime/a.rt');
    expect((await listMarks(dataDir)).map(({ isAtWork }) => isAtWork)).toEqual([true]);
    server.fault = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
    const second = await answer();
    await snapshot('b');
    await expect
      .poll(() => findPolledPublication(dataDir), SOON)
      .toMatchObject({
        waitingFiles: 2,
        trouble: expect.stringContaining('503'),
      });
    expect(warnings.filter((sentence) => sentence.includes('polls on'))).toHaveLength(1);
    server.fault = null;
    await expect.poll(stored, SOON).toContain(second);
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject({ waitingFiles: 0, trouble: null });
    await answer();
  });
  // What came last is published at the end.
  expect(stored()).toContain('100003-a-00000000.pb.gz');
  expect(await listMarks(dataDir)).toEqual([]);
});

it('contents of replaced realtime snapshots leave the store after a while', async () => {
  const { server, dataDir, snapshot, stored, poll } = await openPoller();
  const isStored = (content: string) => [...server.objects.values()].some(({ bytes }) => bytes.toString() === content);
  await poll(async () => {
    await snapshot('a');
    await expect.poll(stored, SOON).toContain('snapshots/realtime/a.rt');
    await writeFiles(dataDir, { 'snapshots/realtime/a.rt': null });
    await snapshot('b');
    await expect.poll(() => isStored('a'), SOON).toBe(false);
    expect(isStored('b')).toBe(true);
  });
});

it('what a poller could not publish at its end waits for the next run', async () => {
  const { server, dataDir, answer, stored, poll } = await openPoller();
  await poll(async () => {
    server.fault = () => ({ kind: 'cut' });
    await answer();
  });
  expect((await listMarks(dataDir)).map(({ isAtWork }) => isAtWork)).toEqual([false]);
  server.fault = null;
  await poll(async () => {});
  expect(stored()).toContain('100001-a-00000000.pb.gz');
  expect(await listMarks(dataDir)).toEqual([]);
});

it('without a store the task runs alone', async () => {
  const { config } = await loadConfig({
    environment: { TAKTGEBER_DATA: await temporaryFolder() },
    cwd: '/',
    home: '/',
  });
  let runs = 0;
  await publishWhile({ config, sources: [], effects: null as never }, async () => void runs++);
  expect(runs).toBe(1);
});
