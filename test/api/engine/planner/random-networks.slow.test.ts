import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Itinerary, PlanCursor } from '../../../../api/engine/planner/itinerary.ts';
import {
  compareBest,
  comparePages,
  describeMinutes,
  findBest,
  describe as inWords,
  toMinute,
} from '../../../support/oracles/compare-plans.ts';
import { listShown, listWalk } from '../../../support/oracles/naive-plan-pages.ts';
import { BUSY_HOUR, randomQuestion, randomWords, toReports } from '../../../support/oracles/naive-plan-random.ts';
import {
  isWalk,
  nameRide,
  type PlannerQuestion,
  type PlanWorld,
  queryPlanner,
} from '../../../support/oracles/query-planner.ts';
import {
  asPlanned,
  asReported,
  openRandomWorld,
  type RandomWorld,
  toQuestion,
} from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_260_318;
const DAY = 86_400;

/**
 * Networks per property; many with scheduled times, few with realtime, since every combination of reports is compared.
 */
const TOWNS = 60;
const LIVE_TOWNS = 12;
let random: RandomWorld;
let liveTowns: RandomWorld;
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
  liveTowns = await openRandomWorld(LIVE_TOWNS, SEED + 1);
}, 120_000);

const town = fc.nat(TOWNS - 1);
const liveTown = fc.nat(LIVE_TOWNS - 1);
const questions = fc.array(randomQuestion, { minLength: 8, maxLength: 8 });

describe('matches the naive planner', () => {
  test('on the earliest arrival and the latest departure', () => {
    let reached = 0;
    fc.assert(
      fc.property(town, randomQuestion, (number, question) => {
        const at = random.towns[number]!;
        if (compareBest(asPlanned(random, at), toQuestion(at, question))) reached += 1;
      }),
      { numRuns: 1500, seed: SEED },
    );
    expect(reached).toBeGreaterThan(400);
  });

  test('on every page', () => {
    let shown = 0;
    fc.assert(
      fc.property(town, randomQuestion, fc.boolean(), (number, question, all) => {
        const at = random.towns[number]!;
        shown += comparePages(asPlanned(random, at), { ...toQuestion(at, question), all }, 3);
      }),
      { numRuns: 1500, seed: SEED },
    );
    expect(shown).toBeGreaterThan(1000);
  });

  test('on every page with realtime', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(liveTown, randomWords, questions, fc.boolean(), async (number, words, query, all) => {
        const at = liveTowns.towns[number]!;
        const compared = await asReported(liveTowns, at, words);
        for (const question of query) shown += comparePages(compared, { ...toQuestion(at, question), all }, 3);
      }),
      { numRuns: 90, seed: SEED },
    );
    expect(shown).toBeGreaterThan(400);
  }, 120_000);
});

describe('pages', () => {
  const lists = fc.record({ question: randomQuestion, limit: fc.integer({ min: 1, max: 4 }), all: fc.boolean() });

  test('cover the timetable without gaps or repetitions from any start', () => {
    fc.assert(
      fc.property(town, lists, (number, { question, limit, all }) => {
        const at = random.towns[number]!;
        const { world, network } = asPlanned(random, at);
        const query = { ...toQuestion(at, question), limit, all };
        // Includes walks and the seconds of the requested time in the comparison.
        const listAll = (at: PlannerQuestion) => {
          const walks = listWalk(network, at, at);
          return wordsOf(listShown(network, at, at, walks, [BUSY_HOUR - 2 * DAY, BUSY_HOUR + 4 * DAY]));
        };
        const early = { ...query, time: BUSY_HOUR - DAY + question.second };
        expect(wordsOf(turnPages(world, early, 'later'))).toEqual(listAll(early));
        const late = { ...query, time: BUSY_HOUR + 4 * DAY + question.second };
        expect(wordsOf(turnPages(world, late, 'earlier'))).toEqual(listAll(late));
        const first = queryPlanner(world, query).itineraries;
        const [before, after] = [turnPages(world, query, 'earlier'), turnPages(world, query, 'later')];
        expect(wordsOf([...before, ...after.slice(ridesOf(first).length)])).toEqual(listAll(query));
      }),
      { numRuns: 200, seed: SEED },
    );
  });

  test('show the same itineraries in both directions', () => {
    fc.assert(
      fc.property(town, lists, (number, { question, limit, all }) => {
        const at = random.towns[number]!;
        const { world } = asPlanned(random, at);
        const query = { ...toQuestion(at, question), limit, all };
        const first = queryPlanner(world, query);
        const onward = query.timeMode === 'departure' ? 'later' : 'earlier';
        const back = onward === 'later' ? 'earlier' : 'later';
        const next = first[onward];
        // The walk is only on the first page.
        if (next === null || ridesOf(first.itineraries).length < limit) return;
        const second = queryPlanner(world, query, next);
        if (second.itineraries.length === 0 || second[back] === null) return;
        const again = queryPlanner(world, query, second[back]);
        // A page looks back at most one day of whole minutes.
        const shown = first.itineraries.map(inWords);
        const shownAgain = again.itineraries.map(inWords);
        const isWhole =
          Math.abs(second[back].time - first.itineraries.at(onward === 'later' ? 0 : -1)!.departure) < DAY - 60;
        if (isWhole) expect(shownAgain).toEqual(shown);
        else expect(shown).toEqual(expect.arrayContaining(shownAgain));
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  /** All rides on the pages in one direction from the first one, in order of departure. */
  function turnPages(world: PlanWorld, query: PlannerQuestion, direction: PlanCursor['direction']): Itinerary[] {
    const rides: Itinerary[] = [];
    let cursor: PlanCursor | null = null;
    for (let page = 0; page < 300; page++) {
      const { itineraries, [direction]: next } = queryPlanner(world, query, cursor);
      expect(itineraries.length).toBeLessThanOrEqual(query.limit);
      if (direction === 'later') rides.push(...ridesOf(itineraries));
      else rides.unshift(...ridesOf(itineraries));
      if (next === null) return rides;
      cursor = next;
    }
    throw new Error('endless pages');
  }
});

function ridesOf(itineraries: readonly Itinerary[]): Itinerary[] {
  return itineraries.filter((itinerary) => !isWalk(itinerary));
}

/** Sorted, because arrival searches use another order. */
function wordsOf(
  itineraries:
    | readonly Pick<Itinerary, 'departure' | 'arrival' | 'transfers'>[]
    | readonly { departure: number; arrival: number; transfers: number }[],
): string[] {
  return itineraries.map(describeMinutes).sort();
}

describe('a less restrictive query', () => {
  const more = fc.constantFrom<(query: PlannerQuestion) => PlannerQuestion>(
    (query) => ({ ...query, maxWalkMeters: query.maxWalkMeters + 700 }),
    (query) => ({ ...query, maxTransfers: query.maxTransfers + 1 }),
    (query) => ({ ...query, minTransferSeconds: Math.max(0, query.minTransferSeconds - 120) }),
    (query) => ({ ...query, products: null }),
    (query) => ({ ...query, wheelchair: false }),
    (query) => ({ ...query, via: query.via.slice(1) }),
    (query) => ({ ...query, walkSpeedKmh: query.walkSpeedKmh + 1 }),
    (query) => ({ ...query, time: query.time + (query.timeMode === 'departure' ? -900 : 900) }),
  );

  test('arrives no later and departs no earlier', () => {
    fc.assert(
      fc.property(town, randomQuestion, more, (number, question, allow) => {
        const at = random.towns[number]!;
        const { world } = asPlanned(random, at);
        const query = toQuestion(at, question);
        const [before, after] = [query, allow(query)].map((each) =>
          toMinute(findBest(world, each, null), query.timeMode),
        );
        if (before === null || before === undefined) return;
        if (query.timeMode === 'departure') expect(after).toBeLessThanOrEqual(before);
        else expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 600, seed: SEED },
    );
  });
});

test('a search backward in time finds the itinerary of the forward search', () => {
  fc.assert(
    fc.property(town, randomQuestion, (number, question) => {
      const at = random.towns[number]!;
      const { world } = asPlanned(random, at);
      const query: PlannerQuestion = { ...toQuestion(at, question), timeMode: 'departure' };
      const arrival = findBest(world, query, null);
      if (arrival === null) return;
      const latest = findBest(world, { ...query, timeMode: 'arrival', time: arrival }, null)!;
      expect(toMinute(latest, 'arrival')).toBeGreaterThanOrEqual(toMinute(query.time, 'arrival')!);
      // A trip that departs earlier within the requested minute may also arrive earlier.
      const again = findBest(world, { ...query, time: Math.max(latest, query.time) }, null);
      if (latest >= query.time) expect(toMinute(again, 'departure')).toBe(toMinute(arrival, 'departure'));
    }),
    { numRuns: 400, seed: SEED },
  );
});

test('cancelled trips are never returned', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(liveTown, randomWords, questions, async (number, words, query) => {
      const at = liveTowns.towns[number]!;
      const reports = toReports(at.feed, words, BUSY_HOUR);
      const gone = new Set(
        reports.trips.flatMap(({ trip, day, kind }) => (kind === 'scheduled' ? [] : `${trip.id} ${day}`)),
      );
      for (const { replaces } of reports.extras) if (replaces) gone.add(`${replaces.trip.id} ${replaces.day}`);
      const { world } = await asReported(liveTowns, at, words);
      for (const question of query) {
        for (const { parts } of queryPlanner(world, { ...toQuestion(at, question), limit: 6 }).itineraries) {
          for (const part of parts) {
            if (part.kind !== 'ride' || part.trip < 0) continue;
            expect(gone.has(`${nameRide(world, part)} ${part.day}`)).toBe(false);
            seen += 1;
          }
        }
      }
    }),
    { numRuns: 60, seed: SEED + 2 },
  );
  expect(seen).toBeGreaterThan(400);
});
