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
  const sent: { event: string; kind: string; subject: string; text: string; remedy: string | null }[] = [];
  const deliver: Deliver = async (json) => {
    if (!isDeliverable()) throw new ExternalError('webhook_failed', 'https://x.example answered 500');
    sent.push(JSON.parse(json));
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
    sent,
    effects,
    events: () => sent.map(({ event, kind, subject }) => `${event} ${kind} ${subject}`),
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

describe('keepAlerting', () => {
  it('sends that a job fails and that it is resolved, once each', async () => {
    const world = await openWorld();
    await world.ends('done');
    await world.minutes(3);
    expect(world.sent).toEqual([]);
    await world.ends('failed');
    await world.minutes(10);
    expect(world.sent).toEqual([
      {
        version: 2,
        event: 'firing',
        kind: 'job_failing',
        subject: 'build-marts',
        text: 'The job build-marts failed: the disk is broken.',
        remedy: 'Resolve the cause and run "taktgeber run build-marts". The last published data are still served.',
        since: '2026-03-01T12:03:00.000Z',
        at: '2026-03-01T12:04:00.000Z',
        host: expect.any(String),
        dataDir: world.dataDir,
      },
    ]);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(1);
    await world.ends('done');
    await world.minutes(10);
    expect(world.events()).toEqual(['firing job_failing build-marts', 'resolved job_failing build-marts']);
    expect(world.sent[1]).toMatchObject({ remedy: null, text: expect.stringMatching(/^Resolved\. It was: /) });
    expect(world.effects.logged().match(/alert: /g)).toHaveLength(2);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(0);
  });

  it('repeats nothing after a restart', async () => {
    const world = await openWorld();
    await world.ends('failed');
    await world.minutes(1);
    world.restart();
    await world.minutes(1);
    world.restart();
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
    await world.ends('done');
    await world.minutes(2);
    world.restart();
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts', 'resolved job_failing build-marts']);
  });

  it('logs an undeliverable alert once, and sends it when the webhook accepts it', async () => {
    let isDeliverable = false;
    const world = await openWorld({ isDeliverable: () => isDeliverable });
    await world.ends('failed');
    await world.minutes(10);
    expect(world.sent).toEqual([]);
    expect(world.effects.logged().match(/warning: /g)).toHaveLength(2);
    expect(world.effects.logged()).toContain('cannot deliver alerts, will retry: https://x.example');
    isDeliverable = true;
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
    expect(findValue(await world.scrape(), 'taktgeber_alerts_sent_total', { outcome: 'failed' })).toBe(9);
  });

  it('leaves alerts to another process on the same folder', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const lock = await acquireLocks(world.dataDir, 'send-alerts', ['send-alerts'], world.effects.clock);
    await world.minutes(5);
    expect(world.sent).toEqual([]);
    await lock.release();
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
  });

  it('sends alerts about jobs from the leading machine, and from the one that takes over', async () => {
    let leader: AlertLeader = 'another';
    const world = await openWorld({ findLeader: () => leader });
    await world.ends('failed');
    await world.minutes(5);
    expect(world.sent).toEqual([]);
    expect(findValue(await world.scrape(), 'taktgeber_alert_firing', { kind: 'job_failing' })).toBe(0);
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
    // While the database is away nothing is forgotten.
    leader = null;
    await world.minutes(5);
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
    // Another machine has sent the rest.
    leader = 'another';
    await world.minutes(5);
    await world.ends('done');
    leader = 'this';
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
  });

  it('sends an alert once while its state cannot be written, and logs that once', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    // A file where the folder should be: no write succeeds.
    await mkdir(path.dirname(folder), { recursive: true });
    await writeFile(folder, '');
    await world.minutes(8);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
    expect(world.effects.logged().match(/warning: alerts: /g)).toHaveLength(1);
    await rm(folder);
    await world.minutes(1);
    expect(await readFile(path.join(folder, 'states.json'), 'utf8')).toContain('job_failing build-marts');
    world.restart();
    await world.minutes(5);
    expect(world.events()).toHaveLength(1);
  });

  it('reads the states of a program before 1.0, and repeats nothing', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    await mkdir(folder, { recursive: true });
    const brokenSince = Date.parse(NOW) - 3_600_000;
    const former = { kind: 'job_failing', subject: 'build-marts', text: 'x', remedy: 'x' };
    const states = { 'job_failing build-marts': { ...former, brokenSince, toldAt: brokenSince, keptSince: null } };
    await writeFile(path.join(folder, 'memory.json'), JSON.stringify(states));
    await world.minutes(5);
    expect(world.events()).toEqual([]);
    await world.ends('done');
    await world.minutes(5);
    expect(world.events()).toEqual(['resolved job_failing build-marts']);
    expect(world.sent[0]).toMatchObject({ since: new Date(brokenSince).toISOString() });
  });

  it.each([
    ['states.json', '{"a":null}'],
    ['states.json', '{"job_failing build-marts":{"kind":"job_failing","subject":"build-marts","activeSince":"x"}}'],
    ['states.json', '[1]'],
    ['states.json', '5'],
    ['memory.json', '{"a":null}'],
    ['memory.json', '{"job_failing build-marts":{}}'],
    ['memory.json', 'null'],
  ])('ignores damaged states in %s: %s', async (file, content) => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, file), content);
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
    expect(world.effects.logged()).not.toContain('TypeError');
  });

  it('starts from empty states if the file is damaged', async () => {
    const world = await openWorld();
    await world.ends('failed');
    const folder = path.join(world.dataDir, 'state', 'alerts');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'states.json'), '{"job_fail');
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_failing build-marts']);
  });

  it('sends that a job did not run at its time', async () => {
    const world = await openWorld();
    await world.ends('done');
    world.effects.clock.set('2026-03-02T05:50:00Z');
    await world.minutes(5);
    expect(world.events()).toEqual(['firing job_late build-marts']);
    expect(world.sent[0]!.text).toBe('The job build-marts was due 96 minutes ago and has not started.');
  });
});
