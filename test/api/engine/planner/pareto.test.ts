import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beats,
  compareEqual,
  endBefore,
  folds,
  isEqual,
  minuteOf,
  roundUp,
} from '../../../../api/engine/planner/pareto.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';

const SEED = 20_260_321;

// Within a few minutes of one another, so that most are equal in something.
const seconds = fc.integer({ min: -200, max: 200 });
const plan = fc
  .record({ departure: seconds, length: fc.integer({ min: 0, max: 200 }), transfers: fc.nat(1) })
  .map(({ departure, length, transfers }) => ({
    departure: departure as Instant,
    arrival: (departure + length) as Instant,
    transfers,
  }));
const asked = fc.record({
  time: seconds.map((time) => time as Instant),
  timeMode: fc.constantFrom('departure' as const, 'arrival' as const),
});

describe('what beats what is a strict order', () => {
  test('nothing beats itself, and no two beat one another', () => {
    fc.assert(
      fc.property(asked, plan, plan, (at, a, b) => {
        expect(beats(at, a, a)).toBe(false);
        expect(beats(at, a, b) && beats(at, b, a)).toBe(false);
      }),
      { numRuns: 5000, seed: SEED },
    );
  });

  test('what beats one beats all that it beats', () => {
    let chains = 0;
    fc.assert(
      fc.property(asked, plan, plan, plan, (at, a, b, c) => {
        if (!beats(at, a, b) || !beats(at, b, c)) return;
        chains += 1;
        expect(beats(at, a, c)).toBe(true);
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

  test('leads to later arrivals where none beats the other', () => {
    let folded = 0;
    fc.assert(
      fc.property(asked, option, option, (at, a, b) => {
        if (beats(at, a, b) || beats(at, b, a) || isEqual(at, a, b) || !folds(at, a, b)) return;
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
  ['the more probable', { chance: 0.9, meters: 900 }, { chance: 0.88, meters: 0 }],
  ['in whole percent, then less walking', { chance: 0.902, meters: 0 }, { chance: 0.904, meters: 10 }],
  ['then fewer seconds', { departure: 10, arrival: 50 }, { departure: 0, arrival: 41 }],
  ['then the later', { departure: 10, arrival: 50 }, { departure: 0, arrival: 40 }],
])('of equal ones it chooses %s', (_what, better, worse) => {
  const rank = { chance: 1, meters: 0, departure: 0, arrival: 60 };
  expect(compareEqual({ ...rank, ...better }, { ...rank, ...worse })).toBeLessThan(0);
  expect(compareEqual({ ...rank, ...worse }, { ...rank, ...better })).toBeGreaterThan(0);
});

test('what is better by the second beats what it is better than, or is the same choice', () => {
  const gain = fc.integer({ min: 0, max: 90 });
  fc.assert(
    fc.property(asked, plan, gain, gain, fc.nat(1), (at, worse, later, earlier, fewer) => {
      const better = {
        departure: (worse.departure + later) as Instant,
        arrival: (worse.arrival - earlier) as Instant,
        transfers: worse.transfers - fewer,
      };
      expect(beats(at, better, worse)).toBe(!isEqual(at, better, worse));
      expect(beats(at, worse, better)).toBe(false);
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('nothing in time is beaten by what is not', () => {
  fc.assert(
    fc.property(asked, plan, plan, (at, a, b) => {
      const isInTime = ({ departure, arrival }: typeof a) =>
        at.timeMode === 'departure' ? departure >= at.time : arrival <= at.time;
      if (!isInTime(a) && isInTime(b)) expect(beats(at, a, b)).toBe(false);
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('who begins in another minute must end in an earlier one to be unbeaten', () => {
  fc.assert(
    fc.property(asked, plan, plan, (at, later, sooner) => {
      const byDeparture = { ...at, timeMode: 'departure' as const };
      const isOfOtherMinute = minuteOf(at.time, later.departure).from > sooner.departure;
      if (!isOfOtherMinute || later.transfers !== sooner.transfers) return;
      expect(beats(byDeparture, later, sooner)).toBe(sooner.arrival > endBefore(later.arrival));
      expect(endBefore(later.arrival)).toBeLessThan(roundUp(later.arrival));
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test.each([
  ['a minute', -100, 30, { from: 0, to: 60 }],
  ['before the asked time', 30, 20, { from: 0, to: 30 }],
  ['from the asked time on', 30, 30, { from: 30, to: 60 }],
  ['the asked time is its border', 60, 60, { from: 60, to: 120 }],
  ['signed', -90, -100, { from: -120, to: -90 }],
])('minutes: %s', (_what, at, begin, minute) => {
  expect(minuteOf(at, begin)).toEqual(minute);
});
