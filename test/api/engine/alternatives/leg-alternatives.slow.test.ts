import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { listAlternatives } from '../../../../api/engine/alternatives/find-leg-alternatives.ts';
import type { Ride } from '../../../../api/engine/planner/itinerary.ts';
import type { Timeline } from '../../../../api/engine/trips/timeline.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { Compared } from '../../../support/oracles/compare-plans.ts';
import { type NaiveLeg, naiveLegAlternatives } from '../../../support/oracles/naive-leg-alternatives.ts';
import { BUSY_HOUR, randomQuestion, randomWords } from '../../../support/oracles/naive-plan-random.ts';
import { nameRide, type PlannerQuestion, queryPlanner, toQuery } from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  asReported,
  openRandomWorld,
  type RandomWorld,
  toQuestion,
} from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_129;
const TOWNS = 40;

let random: RandomWorld;
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
}, 120_000);

const requested = fc.record({ town: fc.nat(TOWNS - 1), question: randomQuestion, leg: fc.nat(4), lead: fc.nat(90) });
type Requested = typeof requested extends fc.Arbitrary<infer One> ? One : never;

/** Compares the alternatives of one leg of each itinerary. @returns how many there are before and after the legs */
function compare({ world, network }: Compared, question: PlannerQuestion, leg: number): [number, number] {
  const { planner, realtime } = world;
  const { timetable } = planner;
  const context = {
    planner,
    published: { timetable, realtime },
    instant: question.instant as Instant,
    query: toQuery(timetable, question),
    isSpent: () => false,
  };
  const counts: [number, number] = [0, 0];
  for (const itinerary of queryPlanner(world, { ...question, limit: 6, all: true }).itineraries) {
    const rides = itinerary.parts.filter((part): part is Ride => part.kind === 'ride');
    // Positions on replacements are not those of the timetable.
    if (rides.length === 0 || rides.some(({ trip, addedTrip }) => trip < 0 || addedTrip >= 0)) continue;
    const at = leg % rides.length;
    const named = rides.map((ride): NaiveLeg => {
      const run = network.runs.find(({ name, day }) => name === nameRide(world, ride) && day === ride.day)!;
      return { run, board: ride.boardPosition, alight: ride.alightPosition };
    });
    const expected = naiveLegAlternatives(network, question, named, at);
    if (expected === null) continue;
    const found = listAlternatives(context, rides, at).map((timeline) => describe(timeline, at));
    expect(found).toEqual([...expected.before, ...expected.after]);
    counts[0] += expected.before.length;
    counts[1] += expected.after.length;
  }
  return counts;
}

function describe({ parts }: Timeline, leg: number): string {
  const { begin, end } = parts.filter(({ kind }) => kind === 'ride')[leg]!;
  return `${begin.expected} ${end.expected}`;
}

function read(random: RandomWorld, { town, question, lead }: Requested): PlannerQuestion {
  const read = toQuestion(random.towns[town]!, { ...question, via: [] });
  return { ...read, time: Math.max(read.time, BUSY_HOUR), instant: BUSY_HOUR - lead * 60 };
}

test('matches a search through all dated trips', () => {
  const sums: [number, number] = [0, 0];
  fc.assert(
    fc.property(requested, (drawn) => {
      const [before, after] = compare(asPlanned(random, random.towns[drawn.town]!), read(random, drawn), drawn.leg);
      sums[0] += before;
      sums[1] += after;
    }),
    { numRuns: 1000, seed: SEED },
  );
  expect(Math.min(...sums)).toBeGreaterThan(30);
});

test('matches a search through all dated trips with realtime', async () => {
  let sum = 0;
  await fc.assert(
    fc.asyncProperty(requested, randomWords, async (drawn, words) => {
      const compared = await asReported(random, random.towns[drawn.town]!, words);
      const [before, after] = compare(compared, { ...read(random, drawn), instant: BUSY_HOUR }, drawn.leg);
      sum += before + after;
    }),
    { numRuns: 150, seed: SEED },
  );
  expect(sum).toBeGreaterThan(20);
}, 120_000);
