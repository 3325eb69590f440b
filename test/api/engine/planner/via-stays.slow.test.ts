import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { checkItinerary } from '../../../support/oracles/check-itinerary.ts';
import { compareBest, comparePages } from '../../../support/oracles/compare-plans.ts';
import { listWays } from '../../../support/oracles/naive-equal-plans.ts';
import { pickEqualPlan } from '../../../support/oracles/naive-plan-beating.ts';
import { findDirectSeconds } from '../../../support/oracles/naive-plan-places.ts';
import {
  NAMED_PLACES,
  randomOnDemand,
  randomQuestion,
  randomWords,
} from '../../../support/oracles/naive-plan-random.ts';
import { isWalk, type PlannerQuestion, queryPlanner } from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  asReported,
  openRandomWorld,
  type RandomTown,
  type RandomWorld,
  toQuestion,
  withOnDemand,
} from '../../../support/worlds/random-plan-world.ts';

// The queries of the random networks, with one or two vias and a minimum stay at each, or at some of them.

const SEED = 20_261_128;
const TOWNS = 40;

let random: RandomWorld;
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
}, 120_000);

const via = fc.array(fc.constantFrom(...NAMED_PLACES), { minLength: 1, maxLength: 2 });
const stays = fc.tuple(...Array.from({ length: 2 }, () => fc.constantFrom(0, 60, 150, 600, 1800)));
const visiting = fc.record({ town: fc.nat(TOWNS - 1), question: randomQuestion, via, stays, all: fc.boolean() });
type Visiting = typeof visiting extends fc.Arbitrary<infer One> ? One : never;

function read(town: RandomTown, { question, via: drawn, stays: seconds, all }: Visiting): PlannerQuestion {
  const read = toQuestion(town, { ...question, via: drawn });
  return { ...read, viaStaySeconds: seconds.slice(0, drawn.length), all };
}

test('matches the naive planner on the earliest arrival and the latest departure', () => {
  let reached = 0;
  fc.assert(
    fc.property(visiting, (drawn) => {
      const town = random.towns[drawn.town]!;
      if (compareBest(asPlanned(random, town), read(town, drawn))) reached += 1;
    }),
    { numRuns: 500, seed: SEED },
  );
  expect(reached).toBeGreaterThan(50);
});

test('matches the naive planner on every page, also with realtime', async () => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(visiting, fc.option(randomWords, { freq: 2 }), async (drawn, words) => {
      const town = random.towns[drawn.town]!;
      const compared = words ? await asReported(random, town, words) : asPlanned(random, town);
      shown += comparePages(compared, read(town, drawn), 3);
    }),
    { numRuns: 250, seed: SEED },
  );
  expect(shown).toBeGreaterThan(50);
}, 120_000);

test('matches the naive planner on every page with rides on demand at the ends', () => {
  let [shown, ridden] = [0, 0];
  fc.assert(
    fc.property(visiting, randomOnDemand, (drawn, rides) => {
      const town = random.towns[drawn.town]!;
      const compared = asPlanned(random, town);
      const question = withOnDemand(town, read(town, drawn), rides);
      shown += comparePages(compared, question, 3);
      const { itineraries } = queryPlanner(compared.world, question);
      ridden += itineraries.filter(({ parts }) => parts.some((part) => part.kind === 'walk' && part.onDemand)).length;
    }),
    { numRuns: 100, seed: SEED },
  );
  expect([shown > 20, ridden > 3]).toEqual([true, true]);
}, 120_000);

test('shows the best of equal itineraries', () => {
  let [shown, chosen] = [0, 0];
  fc.assert(
    fc.property(visiting, (drawn) => {
      const town = random.towns[drawn.town]!;
      const { world, network } = asPlanned(random, town);
      const question = { ...read(town, drawn), limit: 6, all: true };
      const { itineraries } = queryPlanner(world, question);
      const longest = itineraries.some(isWalk) ? findDirectSeconds(network.feed, question)! : Number.POSITIVE_INFINITY;
      for (const itinerary of itineraries.filter((each) => !isWalk(each))) {
        checkItinerary({ world, network, question }, itinerary);
        const ways = listWays(network, question, question, itinerary, () => 1);
        const best = ways
          .filter(({ departure, arrival }) => arrival - departure < longest)
          .reduce((one, other) => pickEqualPlan(one, other) ?? one);
        const { departure, arrival, parts } = itinerary;
        const meters = parts.reduce((sum, part) => sum + (part.kind === 'walk' ? part.meters : 0), 0);
        expect([meters, arrival - departure, departure]).toEqual([
          best.meters,
          best.arrival - best.departure,
          best.departure,
        ]);
        shown += 1;
        if (ways.length > 1) chosen += 1;
      }
    }),
    { numRuns: 300, seed: SEED },
  );
  expect([shown > 50, chosen > 3]).toEqual([true, true]);
});
