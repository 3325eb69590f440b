import { describe, expect, it } from 'vitest';
import { type AlertKind, alertKinds } from '../../../jobs/alerts/evaluate-alerts.ts';
import { createAlerter } from '../../../jobs/alerts/keep-alerting.ts';
import type { JobFact, ServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { fakeEffects, NOW, temporaryFolder, testConfig } from '../fake-world.ts';

const goodJob = (job: string): JobFact => ({
  job,
  lastStatus: 'done',
  lastSummary: 'built 3 days',
  lastStartedAt: NOW,
  lastSuccessAt: NOW,
  lastHost: null,
  lastDurationSeconds: 60,
  lateSeconds: 0,
  isDueFirstTime: false,
  isRunning: false,
});
const source = {
  source: 'wl',
  status: 'fresh',
  ageSeconds: 10,
  maxAgeSeconds: 300,
  trouble: null,
  tally: null,
} as const;
const feed = { source: 'vor', ageSeconds: 60, endDate: '2026-12-12' as ServiceDate, remainingSeconds: 9e6 };
const predicted = (ours: number) => {
  const day = { serviceDate: '2026-02-28' as ServiceDate, pairs: 9, ours, persistence: 50 };
  return { predictions: [{ source: 'wl', days: [day, day, day] }] };
};

const well: Omit<ServiceFacts, 'nowMilliseconds'> = {
  timetable: [feed],
  realtime: [{ ...source, isExpected: true }],
  jobs: [goodJob('build-marts'), goodJob('check-data')],
  ...predicted(40),
  shards: [],
  store: null,
  disk: { freeBytes: 50e9, sizeBytes: 100e9, freeFiles: null },
  elsewhere: new Set(),
};

type Facts = Partial<ServiceFacts>;

/** Facts that make an alert of one kind active. */
interface KindCase {
  readonly subject: string;
  readonly active: Facts;
  /** After a restart while it is active, where that differs: a poller that has received no response yet. */
  readonly activeAfterRestart?: Facts;
  /** It was never inactive. */
  readonly neverOk: Facts;
  /** Minutes from `neverOk` to its alert. */
  readonly neverOkMinutes: number;
  readonly unreadable: Facts;
}

const LATE_MINUTES = 10;
const MAX_AGE_HOURS = 1;

const never = { realtime: [{ ...source, status: 'never' as const, ageSeconds: null, isExpected: true }] };
const failed = { jobs: [{ ...goodJob('build-marts'), lastStatus: 'failed' as const, lastSuccessAt: null }] };
const checkFailed = { jobs: [{ ...goodJob('check-data'), lastStatus: 'failed' as const }] };
const ending = { timetable: [{ ...feed, remainingSeconds: 86_400 }] };
const full = { disk: { freeBytes: 0, sizeBytes: 100e9, freeFiles: null } };

const cases: Readonly<Record<AlertKind, KindCase>> = {
  source_stale: {
    subject: 'wl',
    active: { realtime: [{ ...source, status: 'stale', ageSeconds: 3600, isExpected: true }] },
    activeAfterRestart: never,
    neverOk: never,
    neverOkMinutes: 5,
    unreadable: { realtime: null },
  },
  timetable_stale: {
    subject: 'vor',
    active: { timetable: [{ ...feed, ageSeconds: 7200 }] },
    neverOk: { timetable: [{ ...feed, ageSeconds: null }] },
    neverOkMinutes: MAX_AGE_HOURS * 60,
    unreadable: { timetable: null },
  },
  timetable_ending: {
    subject: 'vor',
    active: ending,
    neverOk: ending,
    neverOkMinutes: 1,
    unreadable: { timetable: null },
  },
  job_failing: {
    subject: 'build-marts',
    active: failed,
    neverOk: failed,
    neverOkMinutes: 1,
    unreadable: { jobs: null },
  },
  job_late: {
    subject: 'build-marts',
    active: { jobs: [{ ...goodJob('build-marts'), lateSeconds: 7200 }] },
    neverOk: { jobs: [{ ...goodJob('build-marts'), lastStatus: null, lastSuccessAt: null, isDueFirstTime: true }] },
    neverOkMinutes: LATE_MINUTES,
    unreadable: { jobs: null },
  },
  data_check_failing: {
    subject: 'check-data',
    active: checkFailed,
    neverOk: checkFailed,
    neverOkMinutes: 1,
    unreadable: { jobs: null },
  },
  predictions_worse: {
    subject: 'wl',
    active: predicted(60),
    neverOk: predicted(60),
    neverOkMinutes: 1,
    unreadable: { predictions: null },
  },
  disk_low: { subject: 'disk', active: full, neverOk: full, neverOkMinutes: 1, unreadable: { disk: null } },
};

/** Services on one data folder, whose facts a test decides; time passes by the minute. */
async function openWorld(services = 1) {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const alerts = { ...config.alerts, jobLateMinutes: LATE_MINUTES, minFreeBytes: 2e9 };
  const timetable = { ...config.timetable, maxAgeHours: MAX_AGE_HOURS };
  const effects = { ...fakeEffects(NOW), metrics: createMetrics() };
  const sent: string[] = [];
  let facts: Facts = {};
  const open = () =>
    createAlerter({
      config: { ...config, alerts, timetable },
      jobs: [],
      isScheduling: true,
      effects,
      readFacts: async () => ({ ...well, ...facts, nowMilliseconds: effects.clock.nowMilliseconds() }),
      deliveries: [
        async (json) => {
          const { event, kind, subject } = JSON.parse(json);
          sent.push(`${event} ${kind} ${subject}`);
        },
      ],
      findLeader: () => 'this',
    });
  let alerters = Array.from({ length: services }, open);
  const world = {
    sent,
    restart: () => {
      alerters = alerters.map(open);
    },
    setBack: (hours: number) => {
      effects.clock.set(new Date(effects.clock.nowMilliseconds() - hours * 3_600_000).toISOString());
    },
    async minutes(count: number, next: Facts) {
      facts = next;
      for (let minute = 0; minute < count; minute++) {
        await Promise.all(alerters.map((alerter) => alerter.round()));
        await effects.sleep(60_000);
      }
    },
  };
  return world;
}

describe.each(alertKinds)('%s', (kind) => {
  const { subject, active, activeAfterRestart = active, neverOk, neverOkMinutes, unreadable } = cases[kind];
  const [fires, resolves] = [`firing ${kind} ${subject}`, `resolved ${kind} ${subject}`];

  it('fires once', async () => {
    const world = await openWorld();
    await world.minutes(5, {});
    await world.minutes(1, active);
    expect(world.sent).toEqual([]);
    await world.minutes(60, active);
    expect(world.sent).toEqual([fires]);
  });

  it('keeps firing through restarts, and is resolved once', async () => {
    const world = await openWorld();
    await world.minutes(5, active);
    for (let restart = 0; restart < 3; restart++) {
      world.restart();
      await world.minutes(10, activeAfterRestart);
    }
    expect(world.sent).toEqual([fires]);
    await world.minutes(2, {});
    world.restart();
    await world.minutes(5, {});
    expect(world.sent).toEqual([fires, resolves]);
    world.restart();
    await world.minutes(30, {});
    expect(world.sent).toEqual([fires, resolves]);
  });

  it('fires although it was never inactive, also through restarts', async () => {
    const world = await openWorld();
    for (let minute = 0; minute < neverOkMinutes; minute++) {
      await world.minutes(1, neverOk);
      world.restart();
    }
    expect(world.sent).toEqual([]);
    await world.minutes(10, neverOk);
    expect(world.sent).toEqual([fires]);
    await world.minutes(10, {});
    expect(world.sent).toEqual([fires, resolves]);
  });

  it('is neither repeated nor resolved when the clock is set back', async () => {
    const world = await openWorld();
    await world.minutes(5, active);
    world.setBack(5);
    await world.minutes(30, active);
    expect(world.sent).toEqual([fires]);
    world.setBack(5);
    await world.minutes(10, {});
    expect(world.sent).toEqual([fires, resolves]);
  });

  it('is not resolved while its facts cannot be read', async () => {
    const world = await openWorld();
    await world.minutes(5, active);
    await world.minutes(10, unreadable);
    world.restart();
    await world.minutes(10, unreadable);
    await world.minutes(10, active);
    expect(world.sent).toEqual([fires]);
  });

  it('is sent by one of two services on a folder', async () => {
    const world = await openWorld(2);
    await world.minutes(10, active);
    await world.minutes(10, {});
    expect(world.sent).toEqual([fires, resolves]);
  });
});
