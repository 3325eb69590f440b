import { appendFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { publishWhile } from '../../../jobs/polling/publish-polled.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { movingClock, nowInstant } from '../../../pipeline/effects/clock.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { openObservations } from '../../../pipeline/lake/observations/observation-store.ts';
import { pruneRawAnswers } from '../../../pipeline/lake/prune-raw-answers.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type Instant, localDate } from '../../../pipeline/model/service-time.ts';
import { findPolledPublication } from '../../../pipeline/scale-out/object-store/waiting.ts';
import { listMarks } from '../../../pipeline/scale-out/object-store/writing-marks.ts';
import { type S3Server, startS3Server, storeVariables } from '../../support/fakes/s3-server.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { answer as batch, lakeSettings, muchLater, observation } from '../../support/worlds/observations.ts';
import { readFiles, writeFiles } from '../../support/worlds/stored-folder.ts';

const WL = toSourceId('wl');
const SOON = { timeout: 60_000, interval: 20 };

async function openServer(): Promise<S3Server> {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  return server;
}

async function listObserved(dataDir: string): Promise<string[]> {
  const files = Object.keys(await readFiles(dataDir)).filter((file) => file.startsWith('lake/observations/'));
  return files.map((file) => path.basename(file));
}

/** A poller whose seconds are milliseconds. */
async function openPoller({ server = null as S3Server | null, at = Date.now() } = {}) {
  server ??= await openServer();
  const environment = {
    TAKTGEBER_DATA: await temporaryFolder(),
    ...storeVariables(server),
    TAKTGEBER_STORE_RETRY_SECONDS: '0',
  };
  const { config } = await loadConfig({ environment, cwd: '/', home: '/' });
  const { dataDir } = config;
  const moving = movingClock({ at, since: Date.now(), speed: 1000 });
  let setBackHours = 0;
  const clock = { nowMilliseconds: () => moving.nowMilliseconds() - setBackHours * 3_600_000 };
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
  const sources = [{ id: 'wl' }] as unknown as ConfiguredSource[];
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
  const poll = (task: () => Promise<void>) => publishWhile({ config, sources, effects }, task);
  const setBack = (hours: number) => {
    setBackHours = hours;
  };
  return { server, dataDir, warnings, answer, snapshot, stored, poll, setBack };
}

it('publishes while it polls, and continues polling while the store is down: nothing is lost', async () => {
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
    expect(warnings.filter((sentence) => sentence.includes('continues polling'))).toHaveLength(1);
    server.fault = null;
    await expect.poll(stored, SOON).toContain(second);
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject({ waitingFiles: 0, trouble: null });
    await answer();
  });
  // The last response is published at the end.
  expect(stored()).toContain('100003-a-00000000.pb.gz');
  expect(await listMarks(dataDir)).toEqual([]);
});

it('continues polling while the disk fails, and publishes afterwards', async () => {
  const { dataDir, warnings, answer, stored, poll } = await openPoller({ at: Date.parse('2026-01-15T01:00:00Z') });
  const state = (name: string) => path.join(dataDir, 'state', 'object-store', name);
  const damaged = state(`trees/${encodeURIComponent('raw/wl/2026-01-15')}.json`);
  await poll(async () => {
    await mkdir(damaged, { recursive: true });
    const first = await answer();
    const noted = { waitingFiles: 1, trouble: expect.stringContaining('EISDIR') };
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject(noted);
    await rm(damaged, { recursive: true });
    await expect.poll(stored, SOON).toContain(first);
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject({ waitingFiles: 0, trouble: null });
    // Not even the record can be written.
    await rm(state('polled.json'));
    await mkdir(path.join(state('polled.json'), 'x'), { recursive: true });
    await expect.poll(() => warnings.filter((sentence) => sentence.includes('continues polling')).length, SOON).toBe(2);
    await rm(state('polled.json'), { recursive: true });
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject({ waitingFiles: 0, trouble: null });
  });
  expect(await listMarks(dataDir)).toEqual([]);
});

it('continues publishing when the clock is set back', async () => {
  const { server, dataDir, answer, stored, poll, setBack } = await openPoller();
  await poll(async () => {
    const first = await answer();
    await expect.poll(stored, SOON).toContain(first);
    setBack(1000);
    const second = await answer();
    await expect.poll(stored, SOON).toContain(second);
    server.fault = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
    const third = await answer();
    const failed = { trouble: expect.stringContaining('503') };
    await expect.poll(() => findPolledPublication(dataDir), SOON).toMatchObject(failed);
    setBack(2000);
    server.fault = null;
    await expect.poll(stored, SOON).toContain(third);
  });
});

it('removes replaced realtime snapshots from the store after a while', async () => {
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

it('leaves unpublished files at its end to the next run', async () => {
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

it('on another machine fetches no raw answers, and removes no index', async () => {
  const noon = Date.parse('2026-01-15T12:00:00Z');
  const first = await openPoller({ at: noon });
  const day = (date: string, name: string) => `lake/raw/source=wl/fetch_date=${date}/${name}`;
  const line = (date: string) => `${JSON.stringify({ rawId: 'a', fetchedAt: `${date}T10:00:00Z` })}\n`;
  const dates = ['2026-01-10', '2026-01-14', '2026-01-15'];
  const files = dates.flatMap((date) => [
    [day(date, '100000-a-00000000.pb.gz'), date],
    [day(date, 'answers.ndjson'), line(date)],
  ]);
  await writeFiles(first.dataDir, Object.fromEntries(files));
  await first.poll(async () => {});
  const second = await openPoller({ server: first.server, at: noon });
  await second.poll(async () => {});
  expect(Object.keys(await readFiles(second.dataDir))).toEqual([]);
  // As a job that reads them leaves it.
  await writeFiles(second.dataDir, { [day('2026-01-14', 'answers.ndjson')]: line('2026-01-14') });
  await second.poll(async () => {});
  await pruneRawAnswers(second.dataDir, { maxAgeHours: 72, maxBytes: 1e9 }, (noon / 1000) as Instant);
  await second.poll(async () => {});
  for (const date of dates) {
    const tree = [...first.server.objects].find(([key]) => key.endsWith(`trees/raw/wl/${date}.json`))?.[1];
    expect(tree?.bytes.toString()).toContain(day(date, 'answers.ndjson'));
  }
});

it('that takes over from another machine fetches the tree that both have written, and not the lake', async () => {
  const first = await openPoller();
  const observed = 'lake/observations/source=wl/service_date=2026-01-15/a.parquet';
  await writeFiles(first.dataDir, { [observed]: 'observed elsewhere' });
  const answer = `${await first.answer()}`;
  await first.snapshot('a');
  await first.poll(async () => {});
  const second = await openPoller({ server: first.server });
  await second.poll(async () => {
    await second.snapshot('b');
    await expect.poll(async () => (await readFiles(second.dataDir))['snapshots/realtime/a.rt'], SOON).toBe('a');
    await second.snapshot('c');
    await expect.poll(first.stored, SOON).toContain('snapshots/realtime/c.rt');
  });
  const names = Object.keys(await readFiles(second.dataDir));
  expect(names).not.toContain(observed);
  expect(names.filter((name) => name.endsWith(answer))).toEqual([]);
});

it('that begins while the store is down writes observations under names that no other machine has', async () => {
  const server = await openServer();
  const noon = Date.parse('2026-01-15T12:00:00Z');
  const [first, second] = [await openPoller({ server, at: noon }), await openPoller({ server, at: noon })];
  const observe = async (dataDir: string) => {
    const store = await openObservations(dataDir, WL, lakeSettings, { log: silentLog });
    await store.append(batch(0, { observations: [observation()] }));
    const outcome = await store.flush(muchLater);
    await store.close();
    return outcome.rows;
  };
  await first.poll(async () => void (await observe(first.dataDir)));
  server.fault = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
  await second.poll(async () => {
    expect(await observe(second.dataDir)).toBe(1);
    server.fault = null;
    const [name = ''] = await listObserved(second.dataDir);
    await expect.poll(second.stored, SOON).toContain(name);
  });
  const names = [...(await listObserved(first.dataDir)), ...(await listObserved(second.dataDir))];
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(first.stored()).toContain(name);
});
