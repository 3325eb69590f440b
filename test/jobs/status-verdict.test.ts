import { describe, expect, test } from 'vitest';
import { describeVerdict } from '../../jobs/commands/status-verdict.ts';
import { parseTimestamp } from '../../pipeline/model/service-time.ts';

type Facts = Parameters<typeof describeVerdict>[0];

const now = parseTimestamp('2026-03-08T12:00:00Z')!;
const good: Facts = {
  timetable: { endDate: '2026-12-12' },
  realtime: { sources: [{ source: 'wl', status: 'fresh' }] },
  jobs: [{ job: 'build-marts', hasFailed: false, freshness: 'fresh' }],
  shards: [],
  problems: [],
};

describe('the verdict', () => {
  test.each<[string, Partial<Facts>, string]>([
    ['is OK', {}, 'OK: timetable until 2026-12-12, 1 fresh realtime source, no failed jobs'],
    ['is OK without realtime', { realtime: null }, 'OK: timetable until 2026-12-12, no realtime, no failed jobs'],
    ['names a missing timetable', { timetable: null }, 'NOT READY: no timetable'],
    [
      'is OK on the last day',
      { timetable: { endDate: '2026-03-08' }, realtime: null },
      'OK: timetable until 2026-03-08, no realtime, no failed jobs',
    ],
    [
      'names an ended timetable',
      { timetable: { endDate: '2026-03-07' } },
      'ATTENTION: the timetable ended on 2026-03-07',
    ],
    [
      'names stale sources',
      {
        realtime: {
          sources: [
            { source: 'wl', status: 'stale' },
            { source: 'oebb', status: 'stale' },
          ],
        },
      },
      'ATTENTION: stale realtime: wl, oebb',
    ],
    [
      'names failed and overdue jobs',
      {
        jobs: [
          { job: 'a', hasFailed: true, freshness: null },
          { job: 'b', hasFailed: false, freshness: 'stale' },
        ],
      },
      'ATTENTION: failed: a; overdue: b',
    ],
    ['names failed shards', { shards: [{ job: 'a', failed: 2 }] }, 'ATTENTION: failed shards of: a'],
    [
      'names what cannot be read, not that it is missing',
      { timetable: null, problems: ['timetable: current.json is damaged'] },
      'ATTENTION: unreadable: timetable',
    ],
  ])('%s', (_name, facts, verdict) => {
    expect(describeVerdict({ ...good, ...facts }, now)).toBe(verdict);
  });
});
