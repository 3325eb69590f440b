import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { fixedClock } from '../../../pipeline/effects/clock.ts';
import { noCounts } from '../../../pipeline/operations/job-run.ts';
import type { RunEnd, RunHistory } from '../../../pipeline/operations/run-history.ts';

export const START = '2026-03-01T12:00:00.000Z';

export interface OpenedHistory {
  readonly history: RunHistory;
  readonly clock: ReturnType<typeof fixedClock>;
}

export const doneEnd: RunEnd = {
  state: 'done',
  attempts: 1,
  isRetryable: false,
  summary: 'Größe „ok“ 🚆',
  counts: noCounts,
  peakMemoryBytes: null,
};

const run = (job: string, options = '') => ({ job, arguments: options, runBy: 'schedule' }) as const;

/** Guarantees of every engine of the store. */
export function describeHistory(open: () => Promise<OpenedHistory>): void {
  describe('a run', () => {
    test('is read back as it was recorded', async () => {
      const { history, clock } = await open();
      const number = await history.begin({ job: 'a', arguments: "--file 'x y.csv'", runBy: 'hand' });
      expect(await history.listRuns('a', 10)).toMatchObject([{ state: 'running', endedAt: null, summary: null }]);
      clock.set('2026-03-01T12:00:01.500Z');
      const counts = { rowsIn: 5_000_000_000, rowsOut: 3, rowsRefused: 0, bytesWritten: 7, problems: { late: 2 } };
      await history.end(number, { ...doneEnd, isRetryable: true, counts, peakMemoryBytes: 123_456_789_012 });
      expect(await history.listRuns('a', 10)).toEqual([
        {
          number: 1,
          job: 'a',
          arguments: "--file 'x y.csv'",
          runBy: 'hand',
          host: hostname(),
          state: 'done',
          startedAt: START,
          endedAt: '2026-03-01T12:00:01.500Z',
          attempts: 1,
          isRetryable: true,
          summary: 'Größe „ok“ 🚆',
          ...counts,
          peakMemoryBytes: 123_456_789_012,
        },
      ]);
    });

    test('is listed in the order of the starts, whatever the clock showed, and by job', async () => {
      const { history, clock } = await open();
      for (const time of ['2026-03-02T00:00:00Z', '2020-01-01T00:00:00Z', '2026-03-01T00:00:00Z']) {
        clock.set(time);
        await history.end(await history.begin(run('a')), doneEnd);
        await history.end(await history.begin(run('b')), doneEnd);
      }
      expect((await history.listRuns('a', 2)).map(({ startedAt }) => startedAt.slice(0, 4))).toEqual(['2026', '2020']);
      expect((await history.listRuns('a', 9)).map(({ number }) => number)).toEqual([5, 3, 1]);
    });

    test('that did nothing is dropped', async () => {
      const { history } = await open();
      await history.forget(await history.begin(run('a')));
      expect(await history.listRuns('a', 10)).toEqual([]);
    });

    test('that no longer reports is lost, and found again when it does', async () => {
      const { history, clock } = await open();
      const number = await history.begin(run('a'));
      clock.set('2026-03-01T12:04:00Z');
      await history.keepAlive(number, 17);
      clock.set('2026-03-01T12:08:00Z');
      expect(await history.listRuns('a', 1)).toMatchObject([{ state: 'running', peakMemoryBytes: 17 }]);
      clock.set('2026-03-01T12:30:00Z');
      expect(await history.listRuns('a', 1)).toMatchObject([
        {
          state: 'lost',
          endedAt: null,
          summary: 'ended without a word: its process was killed, the machine stopped, or the disk was full',
        },
      ]);
      await history.keepAlive(number, 18);
      expect(await history.listRuns('a', 1)).toMatchObject([{ state: 'running', summary: null }]);
      await history.end(number, doneEnd);
      await history.keepAlive(number, 19);
      expect(await history.listRuns('a', 1)).toMatchObject([{ state: 'done', peakMemoryBytes: null }]);
    });
  });

  test('keeps the newest thousand runs of a job, and the shards of their backfills', async () => {
    const { history } = await open();
    const backfill = { job: 'a', arguments: '--from x' };
    await history.noteDoneUnit(backfill, 'day', await history.begin(run('a', '--from x')));
    await history.end(await history.begin(run('b')), doneEnd);
    for (let i = 0; i < 999; i++) await history.end(await history.begin(run('a')), doneEnd);
    expect(await history.listRuns('a', 2000)).toHaveLength(1000);
    expect(await history.listDoneUnits(backfill)).toEqual(new Set(['day']));
    await history.end(await history.begin(run('a')), doneEnd);
    expect(await history.listRuns('a', 2000)).toHaveLength(1000);
    expect(await history.listDoneUnits(backfill)).toEqual(new Set());
    expect(await history.listRuns('b', 2000)).toHaveLength(1);
  });

  test('shards of backfills are kept by job and options, once each', async () => {
    const { history } = await open();
    const backfills = [
      { job: 'a', arguments: '--from x' },
      { job: 'a', arguments: '--from y' },
      { job: 'b', arguments: '--from x' },
    ];
    for (const backfill of backfills) await history.noteDoneUnit(backfill, 'day', 1);
    await history.noteDoneUnit(backfills[0]!, 'day', 2);
    await history.noteDoneUnit(backfills[0]!, 'other day', 2);
    await history.forgetUnits(backfills[1]!);
    const kept = await Promise.all(backfills.map((backfill) => history.listDoneUnits(backfill)));
    expect(kept).toEqual([new Set(['day', 'other day']), new Set(), new Set(['day'])]);
    const ofRuns = await Promise.all([1, 2].map((number) => history.listDoneUnits(backfills[0]!, number)));
    expect(ofRuns).toEqual([new Set(), new Set(['day', 'other day'])]);
  });

  test('runs of former records are imported once', async () => {
    const { history } = await open();
    const former = { job: 'a', state: 'failed', startedAt: START, endedAt: START, attempts: 2, summary: 'no' } as const;
    await history.takeOver([former]);
    await history.takeOver([former]);
    expect(await history.listRuns('a', 9)).toMatchObject([{ ...former, number: 1, arguments: '', rowsIn: null }]);
  });
}
