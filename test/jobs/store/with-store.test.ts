import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allJobs } from '../../../jobs/definitions/all-jobs.ts';
import type { Job } from '../../../jobs/job/job.ts';
import { noOptions } from '../../../jobs/job/job.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import { jobsWithStores } from '../../../jobs/store/job-stores.ts';
import { publishWaiting } from '../../../jobs/store/publish-waiting.ts';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { isThere } from '../../../pipeline/effects/files.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { fetchTrees } from '../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../../pipeline/scale-out/object-store/publish-trees.ts';
import { storeNames } from '../../../pipeline/scale-out/object-store/store-rules.ts';
import { listMarks, markWriting } from '../../../pipeline/scale-out/object-store/writing-marks.ts';
import { memoryObjectStore } from '../../support/fakes/memory-object-store.ts';
import { type S3Server, startS3Server, storeVariables } from '../../support/fakes/s3-server.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { readFiles, storedFolder, writeFiles } from '../../support/worlds/stored-folder.ts';

let server: S3Server;

beforeEach(async () => {
  server = await startS3Server();
});

afterEach(async () => {
  await server.close();
});

const http = () => Promise.reject(new Error('no job of these asks'));

/** A machine with its own data folder and the common store. */
async function machine(log: string[] = []) {
  const { config } = await loadConfig({
    environment: {
      TAKTGEBER_DATA: await temporaryFolder(),
      ...storeVariables(server),
      TAKTGEBER_STORE_RETRY_SECONDS: '1',
    },
    cwd: '/',
    home: '/',
  });
  const effects = {
    clock: systemClock,
    log: { ...silentLog, warn: (sentence: string) => log.push(sentence) },
    http,
    sleep: async () => {},
  };
  const run = (job: Job) => runJob(job, { config, effects, options: noOptions });
  const read = (name: string) => readFile(path.join(config.dataDir, name), 'utf8');
  return { run, read, dataDir: config.dataDir };
}

const MART = 'marts/line_daily/month=2026-01/part-0.parquet';

/** A job that writes a mart from existing data. */
function job(content: string, { name = 'build-marts', onRun = async (_dataDir: string) => {} } = {}): Job {
  return {
    name,
    summary: 'Writes a mart.',
    accepts: [],
    run: async ({ config }) => {
      await onRun(config.dataDir);
      await writeFiles(config.dataDir, { [MART]: content, 'marts/manifest.json': JSON.stringify({ content }) });
      return { status: 'done', summary: content };
    },
  };
}

describe('a job with an object store', () => {
  it('of every name has its stores stated', () => {
    const names = allJobs().map(({ name }) => name);
    expect(names.filter((name) => !jobsWithStores.includes(name))).toEqual([]);
  });

  it('publishes its output, which the next one finds on another machine', async () => {
    const [a, b] = [await machine(), await machine()];
    expect(await a.run(job('one'))).toMatchObject({ status: 'done' });
    const found: string[] = [];
    await b.run(job('two', { onRun: async () => void found.push(await b.read(MART)) }));
    expect(found).toEqual(['one']);
    await a.run(job('', { name: 'check-data', onRun: async () => void found.push(await a.read(MART)) }));
    expect(found).toEqual(['one', 'two']);
  });

  it('that cannot publish fails, reports what waits, and the next run publishes it', async () => {
    const [a, b] = [await machine(), await machine()];
    server.fault = ({ method, key }) =>
      method === 'PUT' && key.includes('trees/marts') ? { kind: 'status', status: 503, code: 'SlowDown' } : null;
    const failed = await a.run(job('one'));
    expect(failed).toMatchObject({ status: 'failed', isRetryable: true, attempts: 3 });
    expect(failed.summary).toContain('output of build-marts on this machine is not published');
    expect((await listMarks(a.dataDir)).map(({ isAtWork }) => isAtWork)).toContain(false);
    server.fault = null;
    const checks: Job = {
      name: 'check-data',
      summary: '',
      accepts: [],
      run: async () => ({ status: 'unchanged', summary: '' }),
    };
    await a.run(checks);
    expect(await listMarks(a.dataDir)).toEqual([]);
    await b.run(checks);
    expect(await b.read(MART)).toBe('one');
  });

  it('is recorded as failed while the store is down, and does not change the folder', async () => {
    const a = await machine();
    await a.run(job('one'));
    server.fault = () => ({ kind: 'status', status: 500, code: 'InternalError' });
    const failed = await a.run(job('two'));
    expect(failed).toMatchObject({ status: 'failed', isRetryable: true, summary: expect.stringContaining('500') });
    expect(await a.read(MART)).toBe('one');
  });

  it('names what to renew when its credentials have expired, and is not tried again', async () => {
    const a = await machine();
    server.fault = () => ({ kind: 'status', status: 400, code: 'ExpiredToken' });
    const failed = await a.run(job('one'));
    expect(failed).toMatchObject({ status: 'failed', isRetryable: false, attempts: 1 });
    expect(failed.summary).toContain('renew');
  });

  it('whose paths another machine wrote meanwhile fetches them and rebuilds its own', async () => {
    const [a, b] = [await machine(), await machine()];
    let runs = 0;
    const record = await a.run(
      job('of a', {
        onRun: async () => {
          runs++;
          if (runs === 1) await b.run(job('of b'));
        },
      }),
    );
    expect(record).toMatchObject({ status: 'done', attempts: 2 });
    await b.run(job('', { name: 'check-data', onRun: async () => expect(await b.read(MART)).toBe('of a') }));
  });

  it('that dies before it has published leaves its output to the next run', async () => {
    const [a, b] = [await machine(), await machine()];
    const dying = job('one', {
      onRun: async (dataDir) => {
        await writeFiles(dataDir, { [MART]: 'half' });
        throw new TypeError('a bug');
      },
    });
    await expect(a.run(dying)).rejects.toThrow('a bug');
    await a.run(job('two'));
    await b.run(job('', { name: 'check-data', onRun: async () => expect(await b.read(MART)).toBe('two') }));
  });

  it('that waits is published without unfinished output of another job of the folder', async () => {
    const store = memoryObjectStore();
    const context = await storedFolder(store);
    const { dataDir, effects } = context;
    const stored = async () => {
      const reader = await storedFolder(store);
      await fetchTrees(reader, { stores: storeNames });
      return readFiles(reader.dataDir);
    };
    const [rows, manifest] = [
      'lake/stop_events/source=wl/service_date=2026-01-15/part-0.parquet',
      'lake/manifests/stop_events/source=wl/service_date=2026-01-15.json',
    ];
    const day = { [rows]: 'rows', [manifest]: '{"rows":1}' };
    await writeFiles(dataDir, day);
    await publishTrees(context, { stores: storeNames });
    const waiting = await markWriting(dataDir, 'build-marts', ['stop events', 'marts'], effects);
    await writeFiles(dataDir, { [MART]: 'waits' });
    await waiting.wait();
    const atWork = await markWriting(dataDir, 'finalise-stop-events', ['stop events'], effects);
    await writeFiles(dataDir, { [rows]: 'other rows', [manifest]: null });
    await publishWaiting(context);
    expect(await stored()).toEqual({ ...day, [MART]: 'waits' });
    expect((await listMarks(dataDir)).map(({ job: name }) => name)).toEqual(['finalise-stop-events']);
    await writeFiles(dataDir, { [manifest]: '{"rows":2}' });
    await atWork.wait();
    await publishWaiting(context);
    expect(await stored()).toEqual({ [rows]: 'other rows', [manifest]: '{"rows":2}', [MART]: 'waits' });
  });

  it('never sends secrets, locks or runs', async () => {
    const a = await machine();
    await writeFiles(a.dataDir, { 'secrets/vapid-key': 'secret' });
    await a.run(job('one'));
    expect(await isThere(path.join(a.dataDir, 'operations/operations.sqlite'))).toBe(true);
    const trees = [...server.objects].filter(([key]) => key.includes('trees/')).map(([key]) => key);
    expect(trees.sort()).toEqual(
      ['test/trees/format.json', 'test/trees/marts.json'].filter((key) => server.objects.has(key)),
    );
    const all = [...server.objects.values()].map(({ bytes }) => bytes.toString()).join();
    expect(all).not.toContain('secret');
  });
});
