import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { OBSERVED } from '../../../pipeline/model/observation.ts';
import { clock, type LiveLine, openLiveLine, type ReportedCall, type ReportedValue, reported } from './live-line.ts';
import { vehicleReport } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

interface Step {
  readonly at: string;
  readonly calls: readonly ReportedCall[];
}

/** The departure from Berg, scheduled for 08:11, after some responses. */
describe('a departure is observed only if its publisher says so', () => {
  const departs = (at: string, departure: ReportedValue): Step => ({
    at,
    calls: [{ sequence: 2, times: [null, departure] }],
  });
  it.each<{ reason: string; steps: readonly Step[]; expected: string }>([
    { reason: 'a future forecast', steps: [departs('08:00', '08:12')], expected: '08:12' },
    { reason: 'a past forecast', steps: [departs('08:30', '08:12')], expected: '08:12' },
    {
      reason: 'a forecast repeated after it has passed',
      steps: [departs('08:00', '08:12'), departs('08:30', '08:12')],
      expected: '08:12',
    },
    { reason: 'measured, in the past', steps: [departs('08:13', '08:12!')], expected: '08:12!' },
    { reason: 'measured at this instant', steps: [departs('08:12', '08:12!')], expected: '08:12!' },
    { reason: 'measured, in the future', steps: [departs('08:00', '08:12!')], expected: '08:12' },
    {
      reason: 'measured ahead, and confirmed by another response in the past',
      steps: [departs('08:00', '08:12!'), departs('08:13', '08:12!')],
      expected: '08:12!',
    },
    {
      reason: 'observed, then forecast again: the observation remains',
      steps: [departs('08:13', '08:12!'), departs('08:14', '08:20')],
      expected: '08:12!',
    },
    {
      reason: 'observed, then corrected by another observation',
      steps: [departs('08:13', '08:12!'), departs('08:14', '08:11:30!')],
      expected: '08:11:30!',
    },
    {
      reason: 'observed, then skipped: the observation remains',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 2, state: 'skipped' }] }],
      expected: '08:12!',
    },
    {
      reason: 'observed, then without data',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 2, state: 'noData' }] }],
      expected: '08:12!',
    },
    {
      reason: 'observed, then omitted',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 4, times: [60, null] }] }],
      expected: '08:12!',
    },
    {
      reason: 'a report on the past is not replaced by a propagated time',
      steps: [departs('08:12', '08:12'), { at: '08:15', calls: [{ sequence: 1, times: [null, 300] }] }],
      expected: '08:12',
    },
    {
      reason: 'a propagated time is replaced by a newer one',
      steps: [
        { at: '08:12', calls: [{ sequence: 1, times: [null, 60] }] },
        { at: '08:15', calls: [{ sequence: 1, times: [null, 300] }] },
      ],
      expected: '08:16',
    },
  ])('$reason', ({ steps, expected }) => {
    for (const { at, calls } of steps) line.report(at, [reported('bus', calls)]);
    const { at } = steps.at(-1)!;
    expect(line.show('bus', at).split(' ').at(-3)!.split('/').at(-1)).toBe(expected);
  });

  it('a forecast remains a forecast, a second later and a day later', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -600, max: 3600 }), { minLength: 1, maxLength: 5 }), (delays) => {
        delays.forEach((delay, i) => {
          line.report(`08:${10 + i * 10}`, [reported('bus', [{ sequence: 1, times: [null, delay] }])]);
        });
        for (const at of ['08:00', '09:00', '33:00']) {
          const { calls } = line.build(at);
          expect([...calls.arrivalPrognosis, ...calls.departurePrognosis]).not.toContain(OBSERVED);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('impossible times are omitted and counted', () => {
  it.each<[reason: string, times: readonly [ReportedValue, ReportedValue], implausible: number, expected: string]>([
    ['exactly a day late', [86_400, 86_400], 0, '32:10/32:11'],
    ['a second more', [86_401, 86_401], 2, '-/-'],
    ['a day early', [-86_400, -86_400], 2, '-/-'],
    ['exactly ten minutes early', [-600, -600], 0, '08:00/08:01'],
    ['a second earlier', [-601, -600], 1, '08:01/08:01'],
    ['another year', ['9000:00', 60], 1, '-/08:12'],
  ])('%s', (_reason, times, implausible, expected) => {
    const { tally } = line.report('07:30', [reported('bus', [{ sequence: 2, times }])]);
    const { implausible_time = 0, implausibly_early = 0 } = tally.problems;
    expect(implausible_time + implausibly_early).toBe(implausible);
    expect(line.show('bus', '07:30').split(' ')[1]).toBe(expected);
  });
});

describe('an unchanged response', () => {
  const trips = [reported('bus', [{ sequence: 2, times: [60, 60] }])];

  it('has no effect, and is counted', () => {
    const { tally, observations, ended } = line.report('08:00', { isFrozen: true, trips });
    expect([tally.unmatched, tally.matched, observations, ended]).toEqual([{ frozen: 1 }, {}, [], []]);
    expect(line.show('bus', '08:00')).toBe('silence');
  });

  it('withdraws nothing, and refreshes nothing', () => {
    line.report('08:00', trips);
    const { ended } = line.report('08:04', { isFrozen: true, trips: [] });
    expect(ended).toEqual([]);
    expect(line.show('bus', '08:04')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
    expect(line.state.confirm('rt', 'all', clock('08:06'))).toBe(false);
    expect(line.build('08:06').calls.expiresAt[1]).toBe(clock('08:05'));
  });

  it('counts its vehicles as unmatched', () => {
    const { tally } = line.report('08:00', { isFrozen: true, vehicles: [vehicleReport(null)] });
    expect(tally).toMatchObject({ vehiclesMatched: 0, vehiclesUnmatched: 1 });
  });
});

describe('a time is live', () => {
  it('as a forecast until it expires, or for good if it had passed when last confirmed', () => {
    line.report('08:12', [
      reported('bus', [
        { sequence: 1, times: [null, '08:00'] },
        { sequence: 2, times: [60, 60] },
      ]),
    ]);
    const { expiresAt } = line.build('08:12').calls;
    const never = 0xffff_ffff;
    expect([...expiresAt]).toEqual([never, never, clock('08:17'), clock('08:17')]);
  });

  it('again after another response that contains it', () => {
    line.report('08:00', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    expect(line.state.confirm('rt', 'all', clock('08:04'))).toBe(true);
    expect(line.build('08:04').calls.expiresAt[2]).toBe(clock('08:09'));
  });

  it('but not after a response of another part, or for another trip', () => {
    line.report('08:00', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    line.report('08:00', [], { part: 'other' });
    expect(line.state.confirm('rt', 'other', clock('08:04'))).toBe(true);
    expect(line.state.confirm('rt', 'never heard', clock('08:04'))).toBe(false);
    expect(line.build('08:04').calls.expiresAt[2]).toBe(clock('08:05'));
  });

  it('for good if it has passed and is omitted while the source still reports the trip', () => {
    line.report('08:00', [reported('bus', [{ sequence: 2, times: [60, 60] }])]);
    line.report('08:15', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    const { calls } = line.build('08:15');
    expect([calls.departure[1], calls.expiresAt[1]]).toEqual([clock('08:12'), 0xffff_ffff]);
  });
});
