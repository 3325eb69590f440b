import { describe, expect, it } from 'vitest';
import {
  type AlertLimits,
  alertKinds,
  evaluateAlerts,
  excludeJobAlerts,
} from '../../../jobs/alerts/evaluate-alerts.ts';
import type { JobFact, MeasuredFact, RealtimeFact, ServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

const limits: AlertLimits = {
  alerts: { minFreeBytes: 2e9, jobLateMinutes: 90, timetableDays: 7, licenceDays: 28 },
  timetable: { maxAgeHours: 36 },
};

const well: ServiceFacts = {
  nowMilliseconds: Date.parse('2026-03-01T12:00:00Z'),
  timetable: [
    { source: 'vor', ageSeconds: 3600, endDate: '2026-12-12' as ServiceDate, remainingSeconds: 200 * 86_400 },
  ],
  realtime: [
    { source: 'wl', status: 'fresh', ageSeconds: 10, maxAgeSeconds: 300, trouble: null, tally: null, isExpected: true },
  ],
  jobs: [
    {
      job: 'build-marts',
      lastStatus: 'done',
      lastSummary: 'built 3 days',
      lastStartedAt: '2026-03-01T04:15:00Z',
      lastSuccessAt: '2026-03-01T04:16:00Z',
      lastHost: 'a',
      lastDurationSeconds: 60,
      lateSeconds: 0,
      isDueFirstTime: false,
      isRunning: false,
    },
  ],
  predictions: [{ source: 'wl', days: [] }],
  shards: [],
  store: null,
  disk: { freeBytes: 50e9, sizeBytes: 100e9, freeFiles: null },
  elsewhere: new Set(),
};

const realtime = (over: Partial<RealtimeFact>) => ({ realtime: [{ ...well.realtime![0]!, ...over }] });
const job = (over: Partial<JobFact>) => ({ jobs: [{ ...well.jobs![0]!, ...over }] });
const timetable = (over: Partial<NonNullable<ServiceFacts['timetable']>[number]>) => ({
  timetable: [{ ...well.timetable![0]!, ...over }],
});
const predictions = (...days: readonly [pairs: number, ours: number, persistence: number][]) => ({
  predictions: [
    {
      source: 'wl',
      days: days.map(
        ([pairs, ours, persistence]): MeasuredFact => ({
          serviceDate: '2026-02-28' as ServiceDate,
          pairs,
          ours,
          persistence,
        }),
      ),
    },
  ],
});

const cases: readonly [what: string, over: Partial<ServiceFacts>, active: readonly string[]][] = [
  ['all is well', {}, []],
  ['a source is stale', realtime({ status: 'stale', ageSeconds: 3600 }), ['source_stale wl']],
  ['a source is paused by the operator', realtime({ status: 'standby', ageSeconds: 3600 }), []],
  ['a source has never responded', realtime({ status: 'never', ageSeconds: null }), ['source_stale wl']],
  ['a source was not requested yet', realtime({ status: 'never', ageSeconds: null, isExpected: false }), []],
  ['a feed was not fetched for two days', timetable({ ageSeconds: 48 * 3600 }), ['timetable_stale vor']],
  ['a feed that was never fetched', timetable({ ageSeconds: null }), ['timetable_stale vor']],
  ['a timetable ends in six days', timetable({ remainingSeconds: 6 * 86_400 }), ['timetable_ending vor']],
  ['a timetable ends in eight days', timetable({ remainingSeconds: 8 * 86_400 }), []],
  [
    'a timetable whose licence ends with it ends in 27 days',
    timetable({ remainingSeconds: 27 * 86_400, stopAfterValidity: true }),
    ['timetable_ending vor'],
  ],
  [
    'a timetable whose licence ends with it ends in 29 days',
    timetable({ remainingSeconds: 29 * 86_400, stopAfterValidity: true }),
    [],
  ],
  ['a timetable is over', timetable({ remainingSeconds: -5 }), ['timetable_ending vor']],
  ['a timetable without an end', timetable({ endDate: null, remainingSeconds: null }), []],
  ['a job has failed', job({ lastStatus: 'failed', lastSummary: 'disk full' }), ['job_failing build-marts']],
  ['the data check has failed', job({ job: 'check-data', lastStatus: 'failed' }), ['data_check_failing check-data']],
  ['several runs of a job were lost', job({ lastStatus: 'lost' }), ['job_failing build-marts']],
  ['a job took too long', job({ lastStatus: 'timeout' }), ['job_failing build-marts']],
  ['a job found nothing new', job({ lastStatus: 'unchanged' }), []],
  ['a job never ran', job({ lastStatus: null, lastSummary: null, lastSuccessAt: null }), []],
  ['a job that never ran is due', job({ lastStatus: null, isDueFirstTime: true }), ['job_late build-marts']],
  ['a job is an hour late', job({ lateSeconds: 3600 }), []],
  ['a job is two hours late', job({ lateSeconds: 7200 }), ['job_late build-marts']],
  ['a job runs for two hours', job({ lateSeconds: 7200, isRunning: true }), ['job_late build-marts']],
  [
    'a job has failed, and is late',
    job({ lastStatus: 'failed', lateSeconds: 7200 }),
    ['job_failing build-marts', 'job_late build-marts'],
  ],
  [
    'predictions were worse for three days',
    predictions([9, 60, 50], [9, 60, 50], [9, 60, 50]),
    ['predictions_worse wl'],
  ],
  ['predictions were worse on a day of few trips', predictions([10, 90, 50], [900, 40, 50], [900, 40, 50]), []],
  ['predictions were worse for two days, and there are no more', predictions([9, 60, 50], [9, 60, 50]), []],
  ['there was nothing to predict for three days', predictions([0, 0, 0], [0, 0, 0], [0, 0, 0]), []],
  [
    'the disk is nearly full',
    { shards: [], disk: { freeBytes: 1e9, sizeBytes: 100e9, freeFiles: null } },
    ['disk_low disk'],
  ],
  ['the disk is full', { shards: [], disk: { freeBytes: 0, sizeBytes: 100e9, freeFiles: null } }, ['disk_low disk']],
];

describe('evaluateAlerts', () => {
  it.each(cases)('%s', (_what, over, active) => {
    const evaluated = evaluateAlerts({ ...well, ...over }, limits);
    expect(evaluated.active.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(active);
    expect(evaluated.unknown.size).toBe(0);
    for (const { text, remedy } of evaluated.active) {
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      expect(text + remedy).not.toMatch(/null|undefined|NaN/);
    }
  });

  it('has a case for each kind of alert', () => {
    const kinds = cases.flatMap(([, , active]) => active.map((one) => one.split(' ')[0]));
    expect(new Set(kinds)).toEqual(new Set(alertKinds));
  });

  it('marks the kinds as unknown whose facts cannot be read', () => {
    const nothing = {
      timetable: null,
      realtime: null,
      jobs: null,
      predictions: null,
      shards: [],
      store: null,
      disk: null,
      elsewhere: new Set<never>(),
    };
    const evaluated = evaluateAlerts({ nowMilliseconds: 0, ...nothing }, limits);
    expect(evaluated).toEqual({ active: [], unknown: new Set(alertKinds), elsewhere: new Set() });
  });

  it('leaves kinds to the machine that has the newer folder', () => {
    const facts = { ...well, timetable: null, elsewhere: new Set(['timetable'] as const) };
    expect(evaluateAlerts(facts, limits)).toEqual({
      active: [],
      unknown: new Set(['timetable_stale', 'timetable_ending']),
      elsewhere: new Set(['timetable_stale', 'timetable_ending']),
    });
  });

  it('leaves alerts about jobs to the schedule that reports them', () => {
    const evaluated = evaluateAlerts(
      { ...well, ...job({ lastStatus: 'failed' }), ...realtime({ status: 'stale' }) },
      limits,
    );
    const kinds = new Set(['job_failing', 'job_late', 'data_check_failing']);
    const left = excludeJobAlerts(evaluated, true);
    expect(left.active.map(({ kind }) => kind)).toEqual(['source_stale']);
    expect([left.unknown, left.elsewhere]).toEqual([kinds, kinds]);
    expect(excludeJobAlerts(evaluated, false).elsewhere).toEqual(new Set());
  });

  it('says what is wrong and what to do', () => {
    const facts = { ...well, ...realtime({ status: 'stale', ageSeconds: 3 * 3600, trouble: 'http_timeout' }) };
    expect(evaluateAlerts(facts, limits).active).toEqual([
      {
        kind: 'source_stale',
        subject: 'wl',
        text: 'The realtime source wl has sent no usable response for 3 hours (http_timeout).',
        remedy:
          'Read "taktgeber status" and the log. If the publisher will be down for long, pause the source with "taktgeber standby wl on".',
      },
    ]);
  });
});
