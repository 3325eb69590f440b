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

/** What the departure from Berg, planned for 08:11, is after some answers. */
describe('a departure is an actual by its publisher’s word alone', () => {
  const departs = (at: string, departure: ReportedValue): Step => ({
    at,
    calls: [{ sequence: 2, times: [null, departure] }],
  });
  it.each<{ reason: string; steps: readonly Step[]; expected: string }>([
    { reason: 'a forecast ahead', steps: [departs('08:00', '08:12')], expected: '08:12' },
    { reason: 'a forecast that lies in the past', steps: [departs('08:30', '08:12')], expected: '08:12' },
    {
      reason: 'a forecast that is said again after it has passed',
      steps: [departs('08:00', '08:12'), departs('08:30', '08:12')],
      expected: '08:12',
    },
    { reason: 'measured, and past', steps: [departs('08:13', '08:12!')], expected: '08:12!' },
    { reason: 'measured at this very instant', steps: [departs('08:12', '08:12!')], expected: '08:12!' },
    { reason: 'measured, and still to come', steps: [departs('08:00', '08:12!')], expected: '08:12' },
    {
      reason: 'measured ahead, and confirmed by another answer when it is past',
      steps: [departs('08:00', '08:12!'), departs('08:13', '08:12!')],
      expected: '08:12!',
    },
    {
      reason: 'observed, then forecast again: the observation stays',
      steps: [departs('08:13', '08:12!'), departs('08:14', '08:20')],
      expected: '08:12!',
    },
    {
      reason: 'observed, then corrected by another observation',
      steps: [departs('08:13', '08:12!'), departs('08:14', '08:11:30!')],
      expected: '08:11:30!',
    },
    {
      reason: 'observed, then skipped: what has happened has happened',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 2, state: 'skipped' }] }],
      expected: '08:12!',
    },
    {
      reason: 'observed, then without data',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 2, state: 'noData' }] }],
      expected: '08:12!',
    },
    {
      reason: 'observed, then left out',
      steps: [departs('08:13', '08:12!'), { at: '08:14', calls: [{ sequence: 4, times: [60, null] }] }],
      expected: '08:12!',
    },
    {
      reason: 'a word on the past is not replaced by what follows from another call',
      steps: [departs('08:12', '08:12'), { at: '08:15', calls: [{ sequence: 1, times: [null, 300] }] }],
      expected: '08:12',
    },
    {
      reason: 'a propagated time is replaced by a newer propagated time',
      steps: [
        { at: '08:12', calls: [{ sequence: 1, times: [null, 60] }] },
        { at: '08:15', calls: [{ sequence: 1, times: [null, 300] }] },
      ],
      expected: '08:16',
    },
  ])('$reason', ({ steps, expected }) => {
    for (const { at, calls } of steps) line.say(at, [reported('bus', calls)]);
    const { at } = steps.at(-1)!;
    expect(line.show('bus', at).split(' ').at(-3)!.split('/').at(-1)).toBe(expected);
  });

  it('a forecast stays a forecast, a second later and a day later', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -600, max: 3600 }), { minLength: 1, maxLength: 5 }), (delays) => {
        delays.forEach((delay, i) => {
          line.say(`08:${10 + i * 10}`, [reported('bus', [{ sequence: 1, times: [null, delay] }])]);
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

describe('what cannot be is left out and counted', () => {
  it.each<[reason: string, times: readonly [ReportedValue, ReportedValue], implausible: number, expected: string]>([
    ['a day late to the second', [86_400, 86_400], 0, '32:10/32:11'],
    ['a second more', [86_401, 86_401], 2, '-/-'],
    ['a day early', [-86_400, -86_400], 2, '-/-'],
    ['ten minutes early to the second', [-600, -600], 0, '08:00/08:01'],
    ['a second earlier', [-601, -600], 1, '08:01/08:01'],
    ['another year', ['9000:00', 60], 1, '-/08:12'],
  ])('%s', (_reason, times, implausible, expected) => {
    const { tally } = line.say('07:30', [reported('bus', [{ sequence: 2, times }])]);
    const { implausible_time = 0, implausibly_early = 0 } = tally.problems;
    expect(implausible_time + implausibly_early).toBe(implausible);
    expect(line.show('bus', '07:30').split(' ')[1]).toBe(expected);
  });
});

describe('an answer that stands still', () => {
  const trips = [reported('bus', [{ sequence: 2, times: [60, 60] }])];

  it('says nothing, and is counted', () => {
    const { tally, observations, ended } = line.say('08:00', { isFrozen: true, trips });
    expect([tally.unmatched, tally.matched, observations, ended]).toEqual([{ frozen: 1 }, {}, [], []]);
    expect(line.show('bus', '08:00')).toBe('silence');
  });

  it('takes nothing back, and keeps nothing fresh', () => {
    line.say('08:00', trips);
    const { ended } = line.say('08:04', { isFrozen: true, trips: [] });
    expect(ended).toEqual([]);
    expect(line.show('bus', '08:04')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
    expect(line.state.confirm('rt', 'all', clock('08:06'))).toBe(false);
    expect(line.build('08:06').calls.expiresAt[1]).toBe(clock('08:05'));
  });

  it('names vehicles that are counted as unmatched', () => {
    const { tally } = line.say('08:00', { isFrozen: true, vehicles: [vehicleReport(null)] });
    expect(tally).toMatchObject({ vehiclesMatched: 0, vehiclesUnmatched: 1 });
  });
});

describe('how long a time is shown as live', () => {
  it('a forecast until it is too old, one that was over when it was last borne out for good', () => {
    line.say('08:12', [
      reported('bus', [
        { sequence: 1, times: [null, '08:00'] },
        { sequence: 2, times: [60, 60] },
      ]),
    ]);
    const { expiresAt } = line.build('08:12').calls;
    const never = 0xffff_ffff;
    expect([...expiresAt]).toEqual([never, never, clock('08:17'), clock('08:17')]);
  });

  it('an answer that still holds makes it young again', () => {
    line.say('08:00', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    expect(line.state.confirm('rt', 'all', clock('08:04'))).toBe(true);
    expect(line.build('08:04').calls.expiresAt[2]).toBe(clock('08:09'));
  });

  it('but one of another part does not, nor of nobody', () => {
    line.say('08:00', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    line.say('08:00', [], { part: 'other' });
    expect(line.state.confirm('rt', 'other', clock('08:04'))).toBe(true);
    expect(line.state.confirm('rt', 'never heard', clock('08:04'))).toBe(false);
    expect(line.build('08:04').calls.expiresAt[2]).toBe(clock('08:05'));
  });

  it('what has passed, and is left out by a source that still speaks of the trip, stays for good', () => {
    line.say('08:00', [reported('bus', [{ sequence: 2, times: [60, 60] }])]);
    line.say('08:15', [reported('bus', [{ sequence: 3, times: [60, 60] }])]);
    const { calls } = line.build('08:15');
    expect([calls.departure[1], calls.expiresAt[1]]).toEqual([clock('08:12'), 0xffff_ffff]);
  });
});
