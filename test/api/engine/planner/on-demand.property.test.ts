import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { trials } from '../../../support/checks/trials.ts';
import { compareBest, comparePages } from '../../../support/oracles/compare-plans.ts';
import { randomOnDemand, randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import { queryPlanner } from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  openRandomWorld,
  type RandomWorld,
  toQuestion,
  withOnDemand,
} from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_128;
const RUNS = trials(60);
/** Further towns would share their longitudes. */
const TOWNS = Math.min(50, trials(12));

let world: RandomWorld;
beforeAll(async () => {
  world = await openRandomWorld(TOWNS, SEED);
}, 600_000);

describe('with on-demand access and egress, matches the naive planner', () => {
  test('on the earliest arrival and the latest departure', () => {
    let reached = 0;
    fc.assert(
      fc.property(fc.nat(TOWNS - 1), randomQuestion, randomOnDemand, (town, question, rides) => {
        const at = world.towns[town]!;
        if (compareBest(asPlanned(world, at), withOnDemand(at, toQuestion(at, question), rides))) reached += 1;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(reached).toBeGreaterThan(RUNS / 6);
  });

  test('on every page', () => {
    const seen = { shown: 0, ridden: 0 };
    fc.assert(
      fc.property(fc.nat(TOWNS - 1), randomQuestion, randomOnDemand, (town, question, rides) => {
        const at = world.towns[town]!;
        const query = withOnDemand(at, toQuestion(at, question), rides);
        const compared = asPlanned(world, at);
        seen.shown += comparePages(compared, query, 3);
        for (const { parts } of queryPlanner(compared.world, query).itineraries) {
          if (parts.some((part) => part.kind === 'walk' && part.onDemand)) seen.ridden += 1;
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(seen.shown).toBeGreaterThan(RUNS / 2);
    expect(seen.ridden).toBeGreaterThan(RUNS / 8);
  });
});
