import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi } from '../../api/start-api.ts';
import { Interruption } from '../../jobs/job/exit-code.ts';
import { openS3Store } from '../../pipeline/effects/object-store/s3-store.ts';
import { publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import { type S3Server, startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { publishFeeds } from '../support/worlds/board-world.ts';
import { silentLog, soundFeed } from '../support/worlds/ingest.ts';
import { storedFolder, writeFiles } from '../support/worlds/stored-folder.ts';
import { ingestPart, outcome } from './fake-ingest.ts';
import type { Parts } from './fake-world.ts';
import { fakeEffects, press, runCommand, temporaryFolder } from './fake-world.ts';

const environmentOf = ({ endpoint }: S3Server) => ({
  TAKTGEBER_PORT: '0',
  TAKTGEBER_PLANNER_THREADS: '0',
  TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
  TAKTGEBER_POLLING_IS_ENABLED: 'false',
  ...storeVariables({ endpoint }),
});

async function openServer(): Promise<S3Server> {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  return server;
}

const UNSHARED = 'several machines could run the same jobs at once';

describe('a machine beside others with the same object store', () => {
  it('that is up serves an announcement that another one publishes', async () => {
    const server = await openServer();
    const effects = {
      ...fakeEffects(),
      sleep: async (_milliseconds: number, signal?: AbortSignal) => {
        signal?.throwIfAborted();
        await wait(100);
      },
    };
    const first = await storedFolder(await openS3Store(server.settings(), effects));
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), 'sources: [{id: at, gtfs: https://example.org/a.zip}]\n');
    const stop = new AbortController();
    let url = '';
    const parts: Partial<Parts> = {
      startApi: async (config, { clock }) => {
        const api = await startApi({ ...config, logLevel: 'silent' }, { clock, log: silentLog });
        url = api.url;
        return api;
      },
      // The job has fetched by now: later publications are only found by the API.
      ingestTimetable: async () => {
        const announcements = 'announcements: [{id: a, title: Umbau, text: Züge fahren anders.}]\n';
        await writeFiles(first.dataDir, { 'announcements.yaml': announcements });
        await publishTrees(first, { stores: ['announcements'] });
        return outcome({ isUnchanged: true });
      },
    };
    const environment = { ...environmentOf(server), TAKTGEBER_SCHEDULE_IS_ENABLED: 'false' };
    const ended = runCommand(['up'], { dataDir, effects, parts, stop, environment });
    const fetchAnnouncements = async () => (url === '' ? '' : (await fetch(`${url}/v1/announcements`)).text());
    await expect.poll(fetchAnnouncements, { timeout: 300_000, interval: 100 }).toContain('Umbau');
    press(stop, new Interruption('SIGINT'));
    const { code, stderr } = await ended;
    expect([code, stderr.includes(UNSHARED)]).toEqual([0, false]);
  }, 360_000);

  it.each([
    ['logs it once', 'false', 1],
    ['is silent if it is configured as the only one', 'true', 0],
  ])('that schedules without shared locks %s', async (_what, isSingleMachine, times) => {
    const environment = {
      ...environmentOf(await openServer()),
      TAKTGEBER_OPERATIONS_IS_SINGLE_MACHINE: isSingleMachine,
    };
    const stop = new AbortController();
    const ingestTimetable: Parts['ingestTimetable'] = async () => {
      press(stop, new Interruption('SIGTERM'));
      return outcome();
    };
    const parts = { ...ingestPart().parts, ingestTimetable };
    const { stderr } = await runCommand(['schedule'], { dataDir: await temporaryFolder(), parts, stop, environment });
    expect(stderr.split(UNSHARED)).toHaveLength(1 + times);
  });

  it('is warned of by doctor if it schedules without shared locks', async () => {
    const environment = environmentOf(await openServer());
    const examine = async (more: Record<string, string> = {}) => {
      const setting = { dataDir: await temporaryFolder(), environment: { ...environment, ...more } };
      const { code, stdout } = await runCommand(['doctor', '--json', '--port', '0'], setting);
      const { findings } = JSON.parse(stdout) as { findings: { status: string; sentence: string; remedy: string }[] };
      return { code, finding: findings.find(({ sentence }) => sentence.includes(UNSHARED)) };
    };
    expect(await examine()).toMatchObject({
      code: 0,
      finding: { status: 'warning', remedy: expect.stringContaining('set operations.postgresUrl') },
    });
    expect((await examine({ TAKTGEBER_SCHEDULE_IS_ENABLED: 'false' })).finding).toBeUndefined();
    expect((await examine({ TAKTGEBER_OPERATIONS_IS_SINGLE_MACHINE: 'true' })).finding).toBeUndefined();
  });
});
