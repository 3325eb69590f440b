import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareEqual,
  dominates,
  endBefore,
  folds,
  isEqual,
  minuteOf,
  roundUp,
} from '../../../../api/engine/planner/pareto.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';

const SEED = 20_260_321;

// Within a few minutes of one another, so that most are equal in some criterion.
const seconds = fc.integer({ min: -200, max: 200 });
const plan = fc
  .record({ departure: seconds, length: fc.integer({ min: 0, max: 200 }), transfers: fc.nat(1) })
  .map(({ departure, length, transfers }) => ({
    departure: departure as Instant,
    arrival: (departure + length) as Instant,
    transfers,
  }));
const query = fc.record({
  time: seconds.map((time) => time as Instant),
  timeMode: fc.constantFrom('departure' as const, 'arrival' as const),
});

describe('dominance is a strict partial order', () => {
  test('is irreflexive and asymmetric', () => {
    fc.assert(
      fc.property(query, plan, plan, (at, a, b) => {
        expect(dominates(at, a, a)).toBe(false);
        expect(dominates(at, a, b) && dominates(at, b, a)).toBe(false);
      }),
      { numRuns: 5000, seed: SEED },
    );
  });

  test('is transitive', () => {
    let chains = 0;
    fc.assert(
      fc.property(query, plan, plan, plan, (at, a, b, c) => {
        if (!dominates(at, a, b) || !dominates(at, b, c)) return;
        chains += 1;
        expect(dominates(at, a, c)).toBe(true);
      }),
      { numRuns: 30_000, seed: SEED },
    );
    expect(chains).toBeGreaterThan(100);
  });
});

describe('folding', () => {
  const hours = fc.integer({ min: -40, max: 40 }).map((minutes) => minutes * 60);
  const option = fc
    .record({ departure: hours, length: fc.integer({ min: 0, max: 8 }), transfers: fc.nat(2), second: fc.nat(59) })
    .map(({ departure, length, transfers, second }) => ({
      departure: (departure + second) as Instant,
      arrival: (departure + second + length * 300) as Instant,
      transfers,
    }));

  test('arrives later than the folded choice if neither dominates the other', () => {
    let folded = 0;
    fc.assert(
      fc.property(query, option, option, (at, a, b) => {
        if (dominates(at, a, b) || dominates(at, b, a) || isEqual(at, a, b) || !folds(at, a, b)) return;
        folded += 1;
        expect(roundUp(a.arrival)).toBeGreaterThan(roundUp(b.arrival));
        expect(folds(at, b, a)).toBe(false);
      }),
      { numRuns: 20_000, seed: SEED },
    );
    expect(folded).toBeGreaterThan(20);
  });
});

test.each([
  ['the more probable one', { probability: 0.9, meters: 900 }, { probability: 0.88, meters: 0 }],
  ['less walking at the same whole percentage', { probability: 0.902, meters: 0 }, { probability: 0.904, meters: 10 }],
  ['the shorter one', { departure: 10, arrival: 50 }, { departure: 0, arrival: 41 }],
  ['the later of the same duration', { departure: 10, arrival: 50 }, { departure: 0, arrival: 40 }],
])('chooses among equal itineraries: %s', (_what, better, worse) => {
  const rank = { probability: 1, meters: 0, departure: 0, arrival: 60 };
  expect(compareEqual({ ...rank, ...better }, { ...rank, ...worse })).toBeLessThan(0);
  expect(compareEqual({ ...rank, ...worse }, { ...rank, ...better })).toBeGreaterThan(0);
});

test('dominance by exact seconds implies dominance in whole minutes or the same choice', () => {
  const gain = fc.integer({ min: 0, max: 90 });
  fc.assert(
    fc.property(query, plan, gain, gain, fc.nat(1), (at, worse, later, earlier, fewer) => {
      const better = {
        departure: (worse.departure + later) as Instant,
        arrival: (worse.arrival - earlier) as Instant,
        transfers: worse.transfers - fewer,
      };
      expect(dominates(at, better, worse)).toBe(!isEqual(at, better, worse));
      expect(dominates(at, worse, better)).toBe(false);
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('an itinerary outside the requested time never dominates one within it', () => {
  fc.assert(
    fc.property(query, plan, plan, (at, a, b) => {
      const isInTime = ({ departure, arrival }: typeof a) =>
        at.timeMode === 'departure' ? departure >= at.time : arrival <= at.time;
      if (!isInTime(a) && isInTime(b)) expect(dominates(at, a, b)).toBe(false);
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('an undominated itinerary that begins in an earlier minute ends in an earlier minute', () => {
  fc.assert(
    fc.property(query, plan, plan, (at, later, sooner) => {
      const byDeparture = { ...at, timeMode: 'departure' as const };
      const isOfOtherMinute = minuteOf(at.time, later.departure).from > sooner.departure;
      if (!isOfOtherMinute || later.transfers !== sooner.transfers) return;
      expect(dominates(byDeparture, later, sooner)).toBe(sooner.arrival > endBefore(later.arrival));
      expect(endBefore(later.arrival)).toBeLessThan(roundUp(later.arrival));
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test.each([
  ['a whole minute', -100, 30, { from: 0, to: 60 }],
  ['the part before the requested time', 30, 20, { from: 0, to: 30 }],
  ['the part from the requested time on', 30, 30, { from: 30, to: 60 }],
  ['a whole minute if the requested time is its boundary', 60, 60, { from: 60, to: 120 }],
  ['the minute of a signed time', -90, -100, { from: -120, to: -90 }],
])('minuteOf returns %s', (_what, at, begin, minute) => {
  expect(minuteOf(at, begin)).toEqual(minute);
});
