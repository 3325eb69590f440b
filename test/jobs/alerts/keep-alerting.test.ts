import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAlerter } from '../../../jobs/alerts/keep-alerting.ts';
import type { AlertLeader } from '../../../jobs/alerts/lead-alerting.ts';
import type { Job } from '../../../jobs/job/job.ts';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import type { Deliver } from '../../../pipeline/effects/deliver-json.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import { noCounts } from '../../../pipeline/operations/job-run.ts';
import { openOperations } from '../../../pipeline/operations/open-operations.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';
import { fakeEffects, NOW, temporaryFolder, testConfig } from '../fake-world.ts';

const job: Job = {
  name: 'build-marts',
  summary: 'Builds.',
  accepts: [],
  schedule: () => '15 4 * * *',
  run: async () => ({ status: 'done', summary: '' }),
};

/** A service with one job, whose last run a test decides; time passes by the minute. */
async function openWorld({ isDeliverable = (): boolean => true, findLeader = (): AlertLeader => 'this' } = {}) {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const base = fakeEffects(NOW);
  const effects = { ...base, metrics: createMetrics() };
  const told: { event: string; kind: string; subject: string; text: string; remedy: string | null }[] = [];
  const deliver: Deliver = async (json) => {
    if (!isDeliverable()) throw new ExternalError('webhook_failed', 'https://x.example answered 500');
    told.push(JSON.parse(json));
  };
  // The disk of this machine may be fuller than the limit.
  const alerts = { ...config.alerts, minFreeBytes: 0 };
  const open = () =>
    createAlerter({
      config: { ...config, alerts },
      jobs: [job],
      isScheduling: true,
      effects,
      deliveries: [deliver],
      findLeader,
    });
  let alerter = open();
  return {
    dataDir,
    told,
    effects,
    events: () => told.map(({ event, kind, subject }) => `${event} ${kind} ${subject}`),
    restart: () => {
      alerter = open();
    },
    ends: async (state: 'done' | 'failed') => {
      const history = await openOperations(config, effects);
      const number = await history.begin({ job: job.name, arguments: '', runBy: 'schedule' });
      const summary = state === 'failed' ? 'the disk is broken' : 'built 3 days';
      const nothing = { isRetryable: false, counts: noCounts, peakMemoryBytes: null };
      await history.end(number, { ...nothing, state, attempts: 1, summary });
      await history.close();
    },
    async minutes(count: number) {
      for (let i = 0; i < count; i++) {
        await alerter.round();
        await effects.sleep(60_000);
      }
    },
    scrape: async () => parseMetrics((await effects.metrics.scrape()).text),
  };
}

describe('alerts', () => {
  it('tell that a job fails and that it is well again, once each', async () => {
    const world = await openWorld();
    await world.ends('done');
    await world.minutes(3);
    expect(world.told).toEqual([]);
    await world.ends('failed');
    await world.minutes(10);
    expect(world.told).toEqual([
      {
        version: 1,
        event: 'broken',
        kind: 'job_failing',
        subject: 'build-marts',
        text: 'The job build-marts has failed: the disk is broken.',
        remedy:
          'Read the reason, and repeat it by "taktgeber run build-marts"; what was published before is served meanwhile.',
        since: '2026-03-01T12:03:00.000Z',
        at: '2026-03-01T12:04:00.000Z',
        host: expect.any(String),
        dataDir: world.dataDir,
      },
    ]);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(1);
    await world.ends('done');
    await world.minutes(10);
    expect(world.events()).toEqual(['broken job_failing build-marts', 'kept job_failing build-marts']);
    expect(world.told[1]).toMatchObject({ remedy: null, text: expect.stringMatching(/^It is well again\. /) });
    expect(world.effects.logged().match(/alert: /g)).toHaveLength(2);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(0);
  });

  it('survive a restart between the two', async () => {
    const world = await openWorld();
    await world.ends('failed');
    await world.minutes(1);
    world.restart();
    await world.minutes(1);
    world.restart();
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
    await world.ends('done');
    await world.minutes(2);
    world.restart();
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts', 'kept job_failing build-marts']);
  });

  it('that nobody takes are logged once, and told when somebody does', async () => {
    let isDeliverable = false;
    const world = await openWorld({ isDeliverable: () => isDeliverable });
    await world.ends('failed');
    await world.minutes(10);
    expect(world.told).toEqual([]);
    expect(world.effects.logged().match(/warning: /g)).toHaveLength(2);
    expect(world.effects.logged()).toContain('alerts cannot be delivered, and are tried again: https://x.example');
    isDeliverable = true;
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
    expect(findValue(await world.scrape(), 'taktgeber_alerts_sent_total', { outcome: 'failed' })).toBe(9);
  });

  it('are left to another process that tells for the same folder', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const lock = await acquireLocks(world.dataDir, 'send-alerts', ['send-alerts'], world.effects.clock);
    await world.minutes(5);
    expect(world.told).toEqual([]);
    await lock.release();
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
  });

  it('about jobs are told by the leading machine, and by the one that takes over', async () => {
    let leader: AlertLeader = 'another';
    const world = await openWorld({ findLeader: () => leader });
    await world.ends('failed');
    await world.minutes(5);
    expect(world.told).toEqual([]);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(0);
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
    // While the database is away nothing is forgotten.
    leader = null;
    await world.minutes(5);
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
    // Another machine has told the rest.
    leader = 'another';
    await world.minutes(5);
    await world.ends('done');
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
  });

  it('are told once also while their memory cannot be written, which is logged once', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    // A file where the folder should be: no write succeeds.
    await mkdir(path.dirname(folder), { recursive: true });
    await writeFile(folder, '');
    await world.minutes(8);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
    expect(world.effects.logged().match(/warning: alerts: /g)).toHaveLength(1);
    await rm(folder);
    await world.minutes(1);
    expect(await readFile(path.join(folder, 'memory.json'), 'utf8')).toContain('job_failing build-marts');
    world.restart();
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
  });

  it('start anew from a damaged memory', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'memory.json'), '{"job_fail');
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_failing build-marts']);
  });

  it('tell that a job was not run at its time', async () => {
    const world = await openWorld();
    await world.ends('done');
    world.effects.clock.set('2026-03-02T05:50:00Z');
    await world.minutes(5);
    expect(world.events()).toEqual(['broken job_late build-marts']);
    expect(world.told[0]!.text).toBe('The job build-marts was due 96 minutes ago and has not begun.');
  });
});
