import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RealtimeTally } from '../../../../pipeline/model/realtime-tally.ts';
import { sumTallies } from '../../../../pipeline/realtime/polling/describe-source.ts';

const nothing: RealtimeTally = {
  matched: {},
  unmatched: {},
  vehiclesMatched: 0,
  vehiclesOnRouteOnly: 0,
  vehiclesUnmatched: 0,
  alerts: 0,
  records: 0,
  problems: {},
};

it('adds up by kind, and keeps kinds that occur only once', () => {
  const one = { ...nothing, matched: { scheduled: 2, cancelled: 1 }, vehiclesMatched: 3, records: 5 };
  const other = {
    ...nothing,
    matched: { scheduled: 4 },
    unmatched: { unknown_trip: 1 },
    problems: { bad: 2 },
    alerts: 7,
  };
  expect(sumTallies([one, other])).toEqual({
    matched: { scheduled: 6, cancelled: 1 },
    unmatched: { unknown_trip: 1 },
    vehiclesMatched: 3,
    vehiclesOnRouteOnly: 0,
    vehiclesUnmatched: 0,
    alerts: 7,
    records: 5,
    problems: { bad: 2 },
  });
});

it('is empty without tallies', () => {
  expect(sumTallies([])).toEqual(nothing);
});

const counts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor', 'toString'), fc.nat(1000));
const tally = fc.record({
  matched: counts,
  unmatched: counts,
  vehiclesMatched: fc.nat(1000),
  vehiclesOnRouteOnly: fc.nat(1000),
  vehiclesUnmatched: fc.nat(1000),
  alerts: fc.nat(1000),
  records: fc.nat(1000),
  problems: counts,
});

it('is independent of order and grouping', () => {
  fc.assert(
    fc.property(fc.array(tally), fc.nat(10), (tallies, cut) => {
      const whole = sumTallies(tallies);
      expect(sumTallies([...tallies].reverse())).toEqual(whole);
      expect(sumTallies([sumTallies(tallies.slice(0, cut)), sumTallies(tallies.slice(cut))])).toEqual(whole);
    }),
    { numRuns: 100, seed: 20_260_305 },
  );
});
