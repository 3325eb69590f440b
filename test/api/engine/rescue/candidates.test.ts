import { describe, expect, test } from 'vitest';
import { type Candidate, chooseOptions } from '../../../../api/engine/rescue/candidates.ts';
import { assumeChance, type Chance, gradeTransfer, openPriors } from '../../../../api/engine/rescue/chances.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';

const known = (probability: number): Chance => gradeTransfer({ probability, sampleSize: 1 });

/** @param trip of its only ride @param arrival minutes */
function candidate(trip: number, arrival: number, chance: Chance): Candidate {
  return {
    openTimeline: () => expect.fail('the order needs no timeline'),
    rides: [{ trip, addedTrip: -1, day: 0, boardPosition: 0, alightPosition: 1 }],
    chance,
    arrival: (arrival * 60) as Instant,
    decideBy: 0 as Instant,
  };
}

const tripsOf = (chosen: readonly Candidate[]) => chosen.map(({ rides }) => rides[0]!.trip);

describe('the plan (1) among other options', () => {
  test.each<[string, Chance, others: Candidate[], expected: number[]]>([
    ['is first if it arrives as early', known(1), [candidate(2, 60, known(1))], [1, 2]],
    ['is first if another arrives four minutes earlier', known(1), [candidate(2, 56, known(1))], [1, 2]],
    ['is second if another arrives five minutes earlier', known(1), [candidate(2, 55, known(1))], [2, 1]],
    ['is first if that one is less probable', known(0.9), [candidate(2, 30, known(0.89))], [1, 2]],
    ['is second if that one is as probable', known(0.9), [candidate(2, 55, known(0.9))], [2, 1]],
    [
      'is between earlier and later ones',
      known(0.8),
      [candidate(2, 70, known(1)), candidate(3, 50, known(1))],
      [3, 1, 2],
    ],
    [
      'is compared by the assumed probability if it is unknown',
      assumeChance(0.8),
      [candidate(2, 50, known(0.75)), candidate(3, 50, known(0.85))],
      [3, 1, 2],
    ],
  ])('%s', (_what, chance, others, expected) => {
    expect(tripsOf(chooseOptions(others, candidate(1, 60, chance), null, 6))).toEqual(expected);
  });

  test('stays within any limit, and its fallback after it', () => {
    const earlier = [2, 3, 4].map((trip) => candidate(trip, 30 + trip, known(1)));
    const [plan, fallback] = [candidate(1, 60, known(0.5)), candidate(9, 120, known(1))];
    expect(tripsOf(chooseOptions(earlier, plan, fallback, 1))).toEqual([1]);
    expect(tripsOf(chooseOptions(earlier, plan, fallback, 2))).toEqual([1, 9]);
    expect(tripsOf(chooseOptions(earlier, plan, fallback, 3))).toEqual([2, 1, 9]);
    expect(tripsOf(chooseOptions(earlier, plan, fallback, 6))).toEqual([2, 3, 4, 1, 9]);
  });

  test('is listed once if the search finds it too', () => {
    expect(tripsOf(chooseOptions([candidate(1, 60, known(1))], candidate(1, 60, known(1)), null, 6))).toEqual([1]);
  });

  test('an unknown probability ranks between a higher and a lower known one', () => {
    const others = [candidate(2, 60, known(0.3)), candidate(3, 60, assumeChance(0.7)), candidate(4, 60, known(0.9))];
    expect(tripsOf(chooseOptions(others, null, null, 6))).toEqual([4, 3, 2]);
  });
});

describe('an unknown probability is assumed', () => {
  const [TRAIN, BUS] = [1, 2];

  test('to be the mean of the known ones of that product and spare time', () => {
    const priors = openPriors();
    for (const probability of [0.6, 0.8]) priors.note(TRAIN, 200, probability);
    priors.note(BUS, 200, 0.1);
    priors.note(TRAIN, 400, 1);
    expect(priors.expect(TRAIN, 150)).toBeCloseTo(0.7);
    expect(priors.expect(BUS, 299)).toBeCloseTo(0.1);
  });

  test('of that spare time if none of that product is known, and never one in five', () => {
    const priors = openPriors();
    for (const spare of [-60, 0, 119, 120, 300, 600]) expect(priors.expect(TRAIN, spare)).toBeGreaterThan(0.2);
    priors.note(BUS, 200, 0.9);
    expect(priors.expect(TRAIN, 200)).toBeCloseTo(0.9);
    expect(priors.expect(TRAIN, 300)).toBe(0.9);
    expect(priors.expect(TRAIN, 600)).toBe(0.95);
  });
});
