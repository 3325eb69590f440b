import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundBetter, type Candidate, chooseOptions } from '../../../../api/engine/rescue/candidates.ts';
import { assumeChance, both, certain, gradeTransfer } from '../../../../api/engine/rescue/chances.ts';
import {
  type Criteria,
  collectUndominated,
  type Sufficient,
  weighAtLeast,
} from '../../../../api/engine/rescue/undominated.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';

const MAX_TRANSFERS = 4;

interface Drawn extends Criteria {
  /** Options with the same number have the same rides. */
  readonly rides: number;
  /** Of what the search knows before it finds the option. */
  readonly earliestEnd: number;
  readonly mostGrade: number;
}

const probability = fc.oneof(fc.double({ min: 0.85, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));

const drawnChance = fc
  .array(fc.record({ probability, isKnown: fc.integer({ min: 0, max: 5 }).map((sixth) => sixth > 0) }), {
    maxLength: MAX_TRANSFERS,
  })
  .map((transfers) =>
    transfers
      .map((one) => (one.isKnown ? gradeTransfer({ ...one, sampleSize: 1 }) : assumeChance(one.probability)))
      .reduce(both, certain),
  );

const drawnOption: fc.Arbitrary<Drawn> = fc
  .record({
    // Many that are nearly equal, few that dominate others.
    arrival: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2400 })),
    chance: drawnChance,
    decideBy: fc.integer({ min: 0, max: 6000 }),
    rides: fc.nat(4),
    tooEarlySeconds: fc.constantFrom(0, 0, 30, 600),
    isGradeKnown: fc.boolean(),
  })
  .map(({ tooEarlySeconds, isGradeKnown, ...option }) => ({
    ...option,
    earliestEnd: option.arrival - tooEarlySeconds,
    mostGrade: isGradeKnown ? option.chance.grade : 1,
  }));

/** Finds options in the order of the least weight that they may have, as the search does. */
function findBest(options: readonly Drawn[], sufficient: Sufficient<Drawn> | null) {
  const found = collectUndominated<Drawn>(sufficient);
  const minuteOf = ({ earliestEnd, mostGrade }: Drawn) => Math.floor(weighAtLeast(earliestEnd, mostGrade) / 60);
  let skipped = 0;
  for (const option of options.toSorted((a, b) => minuteOf(a) - minuteOf(b))) {
    const { earliestEnd, mostGrade, chance, decideBy } = option;
    found.settle(minuteOf(option) * 60);
    if (found.isBeaten(earliestEnd, { grade: mostGrade, isKnown: chance.isKnown }, decideBy)) skipped += 1;
    else found.add(option);
  }
  return { best: found.listBest().map(toCandidate), skipped };
}

function toCandidate({ rides, chance, arrival, decideBy }: Drawn): Candidate {
  return {
    openTimeline: () => expect.fail('the order needs no timeline'),
    rides: [{ trip: rides, addedTrip: -1, day: 0, boardPosition: 0, alightPosition: 1 }],
    chance,
    arrival: arrival as Instant,
    decideBy: decideBy as Instant,
  };
}

const drawnAnswer = fc.record({
  options: fc.array(drawnOption, { minLength: 1, maxLength: 40 }),
  plan: fc.option(drawnOption.map((option) => ({ ...option, arrival: option.arrival + 900 }))),
  fallback: fc.option(drawnOption),
  limit: fc.integer({ min: 1, max: 6 }),
});

test('the options that suffice give the same answer as all of them', () => {
  const seen = { more: 0, skipped: 0 };
  fc.assert(
    fc.property(drawnAnswer, ({ options, limit, ...required }) => {
      const plan = required.plan && toCandidate(required.plan);
      const fallback = plan && required.fallback && toCandidate(required.fallback);
      const sufficient = {
        count: limit,
        isSameRides: (one: Drawn, other: Drawn) => one.rides === other.rides,
        preferred: plan && boundBetter(plan),
        maxTransfers: MAX_TRANSFERS,
      };
      const [all, enough] = [findBest(options, null), findBest(options, sufficient)];
      const choose = ({ best }: typeof all) =>
        chooseOptions(best, plan, fallback, limit).map(({ openTimeline, ...option }) => option);
      expect(choose(enough)).toEqual(choose(all));
      if (enough.best.length < all.best.length) seen.more += 1;
      seen.skipped += enough.skipped - all.skipped;
    }),
    { numRuns: 10_000 },
  );
  expect(seen.more).toBeGreaterThan(500);
  expect(seen.skipped).toBeGreaterThan(1000);
});
