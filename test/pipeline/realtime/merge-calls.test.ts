import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORECAST, OBSERVED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import { type CallMemory, createCallMemory } from '../../../pipeline/realtime/state/memory.ts';
import {
  type MergedCall,
  mergeCall,
  NEVER_EXPIRES,
  type SourceCall,
} from '../../../pipeline/realtime/state/merge-calls.ts';
import { CALL_CANCELLED, callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { openLiveLine, reported } from './live-line.ts';

const NOW = 100_000;
const MAX_AGE = 300;

interface Reported {
  readonly arrival?: number | readonly [time: number, evidence: number];
  readonly departure?: number | readonly [time: number, evidence: number];
  readonly flags?: number;
  readonly platform?: string;
  /** Seconds ago. */
  readonly age?: number;
}

/** The report of a source: plain times are forecasts, in seconds from now. */
function witness(source: number, { arrival, departure, flags = 0, platform, age = 10 }: Reported): SourceCall {
  const event = (reported: Reported['arrival']) => {
    if (reported === undefined) return { time: 0, evidence: UNKNOWN, isReported: false };
    const [time, evidence] = typeof reported === 'number' ? [reported, FORECAST] : reported;
    return { time: NOW + time, evidence, isReported: true };
  };
  const call: CallMemory = {
    ...createCallMemory('all'),
    arrival: event(arrival),
    departure: event(departure),
    flags,
    platform: platform ?? null,
    seenAt: NOW - age,
  };
  return { source, maxAgeSeconds: MAX_AGE, call };
}

/** `+60` forecast, `-60!` observed, `-` unknown. */
function describeMerged({ arrival, departure, ...call }: MergedCall): string {
  const event = ({ time, prognosis, isCancelled }: MergedCall['arrival']) => {
    if (isCancelled) return 'x';
    return time === 0 ? '-' : `${time < NOW ? '' : '+'}${time - NOW}${prognosis === OBSERVED ? '!' : ''}`;
  };
  const flag = (name: keyof typeof callFlags) => ((call.flags & callFlags[name]) === 0 ? [] : [name]);
  return [
    `${event(arrival)}/${event(departure)}`,
    `by ${call.source}`,
    ...(call.platform === null ? [] : [`@${call.platform}`]),
    ...flag('sourceConflict'),
  ].join(' ');
}

const cancelled = CALL_CANCELLED;

describe('of several sources', () => {
  it.each<[reason: string, reported: readonly Reported[], expected: string]>([
    ['a single one is used', [{ arrival: 60, departure: 90 }], '+60/+90 by 0'],
    [
      'the fresher forecast wins',
      [
        { departure: 60, age: 20 },
        { departure: 90, age: 10 },
      ],
      '-/+90 by 1',
    ],
    ['with equal age the first one wins', [{ departure: 60 }, { departure: 90 }], '-/+60 by 0'],
    [
      'an observation wins over a fresher forecast',
      [{ arrival: [-60, OBSERVED], age: 200 }, { arrival: -30 }],
      '-60!/- by 0',
    ],
    ['a forecast wins over nothing', [{}, { departure: 60, age: 200 }], '-/+60 by 1'],
    [
      'a fresh one wins over an expired one',
      [
        { departure: 90, age: 301 },
        { departure: 60, age: 300 },
      ],
      '-/+60 by 1',
    ],
    ['an expired one wins over nothing', [{ departure: 90, age: 301 }, {}], '-/+90 by 0'],
    [
      'a cancellation wins over a forecast',
      [{ flags: cancelled, age: 200 }, { departure: 60 }],
      'x/x by 0 sourceConflict',
    ],
    [
      'a cancellation wins over an expired forecast, without conflict',
      [{ flags: cancelled }, { departure: 60, age: 400 }],
      'x/x by 0',
    ],
    [
      'an observation wins over a cancellation',
      [{ flags: cancelled }, { arrival: [-60, OBSERVED] }],
      '-60!/- by 1 sourceConflict',
    ],
    ['all report the cancellation', [{ flags: cancelled }, { flags: cancelled, age: 5 }], 'x/x by 1'],
    [
      'events that the best lacks come from the next best',
      [{ arrival: [-60, OBSERVED] }, { departure: 30 }],
      '-60!/+30 by 0',
    ],
    [
      'event by event, the better evidence',
      [
        { arrival: [-60, OBSERVED], departure: 90 },
        { departure: [-30, OBSERVED], age: 20 },
      ],
      '-60!/-30! by 0 sourceConflict',
    ],
    [
      'the platform of the best that has one',
      [{ departure: 60 }, { departure: 60, platform: '4', age: 20 }],
      '-/+60 by 0 @4',
    ],
    [
      'a platform of a source that cancels is ignored',
      [{ arrival: [-60, OBSERVED] }, { flags: cancelled, platform: '4' }],
      '-60!/- by 0 sourceConflict',
    ],
    ['a minute apart is not a conflict', [{ departure: 60 }, { departure: 120 }], '-/+60 by 0'],
    ['more is', [{ departure: 60 }, { departure: 121 }], '-/+60 by 0 sourceConflict'],
    [
      'also between sources that are not used',
      [{ departure: 60 }, { departure: 10 }, { departure: 110 }],
      '-/+60 by 0 sourceConflict',
    ],
    ['an expired one does not conflict', [{ departure: 60 }, { departure: 600, age: 301 }], '-/+60 by 0'],
    ['no data does not conflict', [{ departure: 60 }, { flags: callFlags.noData }], '-/+60 by 0'],
  ])('%s', (_reason, reported, expected) => {
    const witnesses = reported.map((one, source) => witness(source, one));
    expect(describeMerged(mergeCall(witnesses, NOW))).toBe(expected);
  });

  const reported = fc.record({
    arrival: fc.option(fc.integer({ min: -300, max: 300 }), { nil: undefined }),
    departure: fc.option(fc.integer({ min: -300, max: 300 }), { nil: undefined }),
    isObserved: fc.boolean(),
    isCancelled: fc.boolean(),
    platform: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
    age: fc.integer({ min: 0, max: 600 }),
  });
  const witnesses = fc.array(reported, { minLength: 1, maxLength: 4 }).map((all) =>
    all.map(({ arrival, departure, isObserved, isCancelled, platform, age }, source) => {
      const event = (time: number | undefined) =>
        time === undefined || isCancelled ? {} : { time: [time, isObserved ? OBSERVED : FORECAST] as const };
      return witness(source, {
        ...('time' in event(arrival) ? { arrival: event(arrival).time! } : {}),
        ...('time' in event(departure) ? { departure: event(departure).time! } : {}),
        ...(platform === undefined ? {} : { platform }),
        flags: isCancelled ? cancelled : 0,
        age,
      });
    }),
  );

  it('order does not matter', () => {
    fc.assert(
      fc.property(witnesses, fc.func(fc.integer()), (all, chance) => {
        const shuffled = [...all].sort((a, b) => chance(a.source) - chance(b.source));
        expect(mergeCall(shuffled, NOW)).toEqual(mergeCall(all, NOW));
      }),
    );
  });

  it('a source without data changes nothing', () => {
    fc.assert(
      fc.property(witnesses, (all) => {
        expect(mergeCall([...all, witness(9, { age: 1000 })], NOW)).toEqual(mergeCall(all, NOW));
      }),
    );
  });
});

describe('a call expires', () => {
  it.each<[reason: string, reported: readonly Reported[], expected: number]>([
    ['with the age of its forecast', [{ departure: 60, age: 10 }], NOW - 10 + MAX_AGE],
    ['never, if it had passed when last reported', [{ arrival: -60, departure: -30, age: 30 }], NEVER_EXPIRES],
    ['while part of it is in the future', [{ arrival: -60, departure: 30, age: 10 }], NOW - 10 + MAX_AGE],
    ['never, if observed', [{ arrival: [-60, OBSERVED], departure: [-30, OBSERVED] }], NEVER_EXPIRES],
    ['never, without data', [{}], NEVER_EXPIRES],
    ['never, if cancelled', [{ flags: cancelled }], NEVER_EXPIRES],
    [
      'with the older of two forecasts that it is made of',
      [
        { arrival: 10, age: 20 },
        { departure: 60, age: 10 },
      ],
      NOW - 20 + MAX_AGE,
    ],
    [
      'not with a forecast that is not used',
      [
        { departure: 60, age: 10 },
        { departure: 60, age: 200 },
      ],
      NOW - 10 + MAX_AGE,
    ],
  ])('%s', (_reason, reported, expected) => {
    const { arrival, departure } = mergeCall(
      reported.map((one, source) => witness(source, one)),
      NOW,
    );
    expect(Math.min(arrival.expiresAt, departure.expiresAt)).toBe(expected);
  });
});

describe('two sources on one trip', () => {
  it('are merged call by call', async () => {
    const line = await openLiveLine(['one', 'two']);
    line.report('08:00', [reported('bus', [{ sequence: 1, times: [null, 60] }])], { source: 'one' });
    line.report('08:01', [reported('bus', [{ sequence: 3, times: [300, null] }])], { source: 'two' });
    expect(line.show('bus', '08:01')).toBe('-/08:01 08:11/08:12 08:25/08:27~ 08:35/08:35~');
    // The second source is silent now, and its reports expire: the first one is used again.
    expect(line.show('bus', '08:04')).toContain('08:25/08:27~');
    line.report('08:06', [reported('bus', [{ sequence: 1, times: [null, 60] }])], { source: 'one' });
    expect(line.show('bus', '08:06:01')).toBe('-/08:01 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('of which one reports a cancellation, and the other an observation', async () => {
    const line = await openLiveLine(['one', 'two']);
    line.report('08:02', [reported('bus', [], { relationship: 'cancelled' })], { source: 'one' });
    line.report('08:02', [reported('bus', [{ sequence: 1, times: [null, '08:01!'] }])], { source: 'two' });
    expect(line.show('bus', '08:02')).toBe('partlyCancelled -/08:01!~ x~ x~ x~');
  });
});
