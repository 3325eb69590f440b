import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Itinerary, Ride, Walk } from '../../../../api/engine/planner/itinerary.ts';
import { findItineraries } from '../../../../api/engine/planner/planner.ts';
import type { EstimateRides } from '../../../../api/engine/predictions/ride-estimates.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { checkItinerary } from '../../../support/oracles/check-itinerary.ts';
import { listWays } from '../../../support/oracles/naive-equal-plans.ts';
import { type NaiveEqualPlan, pickEqualPlan } from '../../../support/oracles/naive-plan-beating.ts';
import { findDirectSeconds } from '../../../support/oracles/naive-plan-places.ts';
import { BUSY_HOUR, randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import {
  isWalk,
  nameRide,
  type PlannerQuestion,
  type PlanWorld,
  toQuery,
} from '../../../support/oracles/query-planner.ts';
import { asPlanned, openRandomWorld, type RandomWorld, toQuestion } from '../../../support/worlds/random-plan-world.ts';

// Among all itineraries with the same whole minutes and transfers, the planner shows the one that the rule selects:
// compared with a list of every itinerary in small random networks.

const SEED = 20_261_126;
const TOWNS = 60;

let random: RandomWorld;
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
}, 120_000);

type FindChance = (from: string, to: string, seconds: number) => number;

/** A probability of 0.8, 0.9 or 1 for each pair of trips, stable across calls. */
function findChance(from: string, to: string, seconds: number): number {
  let hash = seconds;
  for (const char of `${from} ${to}`) hash = (hash * 31 + char.charCodeAt(0)) % 9973;
  return 0.8 + (hash % 3) / 10;
}

/** Without known probabilities, all itineraries are equal in this respect. */
const nothingKnown: FindChance = () => 1;

test('shows the most probable of equal itineraries, then the least walking, then the fewest seconds', () => {
  let [shown, chosen, byChance, byWalk] = [0, 0, 0, 0];
  fc.assert(
    fc.property(fc.nat(TOWNS - 1), randomQuestion, fc.boolean(), (number, drawn, isKnown) => {
      const town = random.towns[number]!;
      const { world, network } = asPlanned(random, town);
      const question: PlannerQuestion = { ...toQuestion(town, drawn), limit: 6, all: true };
      for (const itinerary of plan(world, question, isKnown)) {
        if (isWalk(itinerary)) continue;
        checkItinerary({ world, network, question }, itinerary);
        const find = isKnown ? findChance : nothingKnown;
        const chanceOf = (from: { name: string }, to: { name: string }, seconds: number) =>
          find(from.name, to.name, seconds);
        const direct = findDirectSeconds(network.feed, question);
        const ways = listWays(network, question, question, itinerary, chanceOf).filter(
          ({ departure, arrival }) => !hasWalk(world, question, isKnown) || arrival - departure < direct!,
        );
        const best = ways.reduce((one, other) => pickEqualPlan(one, other) ?? one);
        expect(toRank(rankOf(world, itinerary, find))).toEqual(toRank(best));
        shown += 1;
        if (ways.length > 1) chosen += 1;
        const percent = ({ chance: of }: NaiveEqualPlan) => Math.round(of * 100);
        if (ways.some((way) => percent(way) < percent(best))) byChance += 1;
        if (ways.some((way) => percent(way) === percent(best) && way.meters > best.meters)) byWalk += 1;
      }
    }),
    { numRuns: 1500, seed: SEED },
  );
  expect(shown).toBeGreaterThan(500);
  expect(Math.min(chosen, byChance)).toBeGreaterThan(5);
  // Rare in random networks; whole-minutes.test.ts has explicit cases.
  expect(byWalk).toBeGreaterThan(0);
});

function plan(world: PlanWorld, question: PlannerQuestion, isKnown: boolean): readonly Itinerary[] {
  const { planner } = world;
  const published = { timetable: planner.timetable, realtime: null };
  const estimate: EstimateRides = (alighting, boarding, seconds) => {
    if (!isKnown) return null;
    const [from, to] = [alighting, boarding].map((event) => nameRide(world, event as unknown as Ride));
    return findChance(from!, to!, seconds);
  };
  const query = toQuery(planner.timetable, question);
  return findItineraries({ planner, published, instant: BUSY_HOUR as Instant, query, cursor: null, estimate })
    .itineraries;
}

function hasWalk(world: PlanWorld, question: PlannerQuestion, isKnown: boolean): boolean {
  return plan(world, question, isKnown).some(isWalk);
}

/** The rank of an itinerary, computed from its parts. */
function rankOf(
  world: PlanWorld,
  { departure, arrival, transfers, parts }: Itinerary,
  find: FindChance,
): NaiveEqualPlan {
  const walks = parts.filter((part): part is Walk => part.kind === 'walk');
  let chance = 1;
  parts.forEach((part, i) => {
    if (part.kind !== 'ride' || part.isStaying) return;
    const before = parts.findLastIndex(({ kind }, at) => at < i && kind === 'ride');
    if (before < 0) return;
    const between = parts.slice(before + 1, i) as Walk[];
    if (between.some(({ isGuaranteed }) => isGuaranteed)) return;
    const sum = (secondsOf: (walk: Walk) => number) => between.reduce((total, walk) => total + secondsOf(walk), 0);
    const least = sum((walk) => (walk.role === 'transfer' ? walk.transferSeconds : walk.seconds));
    const seconds = Math.min(
      sum((walk) => walk.seconds),
      least,
    );
    chance *= find(nameRide(world, parts[before] as Ride), nameRide(world, part), seconds);
  });
  return { departure, arrival, transfers, chance, meters: walks.reduce((sum, { meters }) => sum + meters, 0) };
}

function toRank({ departure, arrival, chance, meters }: NaiveEqualPlan) {
  return { percent: Math.round(chance * 100), meters, seconds: arrival - departure, departure };
}
