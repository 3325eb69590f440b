import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { trials } from '../../../support/checks/trials.ts';
import { compareBest, comparePages } from '../../../support/oracles/compare-plans.ts';
import { randomModes, randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import { isWalk, queryPlanner } from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  openRandomWorld,
  type RandomTown,
  type RandomWorld,
  toQuestion,
  withModes,
} from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_128;
const TOWNS = trials(12);
const RUNS = Math.max(72, TOWNS);
/** Further towns would share their longitudes. */
const TOWNS_OF_WORLD = 50;

let worlds: RandomWorld[];
beforeAll(async () => {
  worlds = [];
  for (let first = 0; first < TOWNS; first += TOWNS_OF_WORLD) {
    worlds.push(await openRandomWorld(Math.min(TOWNS_OF_WORLD, TOWNS - first), SEED + first));
  }
}, 600_000);

const town = fc.nat(TOWNS - 1);

function findTown(number: number): { random: RandomWorld; at: RandomTown } {
  const random = worlds[Math.floor(number / TOWNS_OF_WORLD)]!;
  return { random, at: random.towns[number % TOWNS_OF_WORLD]! };
}

describe('with access and egress by table, matches the naive planner', () => {
  test('on the earliest arrival and the latest departure', () => {
    let reached = 0;
    fc.assert(
      fc.property(town, randomQuestion, randomModes, (number, question, modes) => {
        const { random, at } = findTown(number);
        const query = withModes(at, toQuestion(at, question), { ...modes, direct: null });
        if (compareBest(asPlanned(random, at), query)) reached += 1;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(reached).toBeGreaterThan(RUNS / 4);
  });

  test('on every page, with direct ways', () => {
    const seen = { shown: 0, ridden: 0, direct: 0 };
    fc.assert(
      fc.property(town, randomQuestion, randomModes, (number, question, modes) => {
        const { random, at } = findTown(number);
        const compared = asPlanned(random, at);
        const query = withModes(at, toQuestion(at, question), modes);
        seen.shown += comparePages(compared, query, 3);
        for (const itinerary of queryPlanner(compared.world, query).itineraries) {
          const isRidden = itinerary.parts.some((part) => part.kind === 'walk' && part.vehicle !== undefined);
          if (isRidden) seen[isWalk(itinerary) ? 'direct' : 'ridden'] += 1;
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(seen.shown).toBeGreaterThan(RUNS);
    expect(seen.ridden).toBeGreaterThan(RUNS / 8);
    expect(seen.direct).toBeGreaterThan(RUNS / 8);
  });
});
