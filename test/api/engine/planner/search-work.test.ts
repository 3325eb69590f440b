import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { NEVER } from '../../../../api/engine/planner/int-list.ts';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { roundDown, roundUp } from '../../../../api/engine/planner/pareto.ts';
import { findItineraries } from '../../../../api/engine/planner/planner.ts';
import { collectItineraries, findEnds } from '../../../../api/engine/planner/profile.ts';
import { SPAN_SECONDS } from '../../../../api/engine/planner/raptor-routes.ts';
import { openRideScopes, openScopes } from '../../../../api/engine/planner/scope.ts';
import type { SearchWork } from '../../../../api/engine/planner/search.ts';
import type { Sign } from '../../../../api/engine/planner/search-direction.ts';
import type { OppositeScopes } from '../../../../api/engine/planner/search-from-end.ts';
import { findSureEnd } from '../../../../api/engine/planner/sure-end.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import { type PlannerQuestion, queryPlanner, toQuery } from '../../../support/oracles/query-planner.ts';
import { openRandomWorld, type RandomWorld, toQuestion } from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_127;
const TOWNS = 12;
const QUESTIONS = 240;
const DAY = 86_400;

let random: RandomWorld;
let questions: PlannerQuestion[];
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
  questions = [];
  const collect = fc.property(fc.nat(TOWNS - 1), randomQuestion, (number, question) => {
    questions.push(toQuestion(random.towns[number]!, question));
  });
  fc.assert(collect, { numRuns: QUESTIONS, seed: SEED });
});

function toRequest(planner: Planner, question: PlannerQuestion) {
  const query = toQuery(planner.timetable, question);
  return { planner, realtime: null, instant: question.instant as Instant, query, isSpent: () => false };
}

const spanOf = ({ time }: PlannerQuestion) => Math.floor(time / SPAN_SECONDS);

function openSearch(planner: Planner, question: PlannerQuestion, sign: Sign) {
  const scope = openScopes(toRequest(planner, question), sign)(spanOf(question));
  return { ...scope, time: sign * (question.time - scope.task.raptorRoutes.base) };
}

test.each([1, -1] as const)('a sure end is never before the earliest one, in direction %i', (sign) => {
  let [sure, exact] = [0, 0];
  for (const question of questions.filter(({ via }) => via.length === 0)) {
    const { time, ...scope } = openSearch(random.planner, question, sign);
    const end = findSureEnd(scope.search, scope.task, scope.entries, time);
    if (end === NEVER) continue;
    const earliest = findEnds(scope, time, time + 4 * DAY, scope.task.maxRounds).at(-1)!;
    expect(earliest).toBeLessThanOrEqual(end);
    sure += 1;
    if (earliest === end) exact += 1;
  }
  expect(sure).toBeGreaterThan(QUESTIONS / 10);
  expect(exact).toBeGreaterThan(sure / 2);
});

function openOpposite(planner: Planner, question: PlannerQuestion, sign: Sign): OppositeScopes {
  const request = toRequest(planner, question);
  const span = spanOf(question);
  return {
    isWorthwhile: () => true,
    rides: () => openRideScopes(request, sign)(span),
    profile: () => ({ ...openScopes(request, sign)(span), search: planner.getOppositeSearch() }),
  };
}

test.each([1, -1] as const)('a window searched from its end has the same itineraries, in direction %i', (sign) => {
  const { planner } = random;
  let found = 0;
  for (const question of questions) {
    const against = openOpposite(planner, question, sign > 0 ? -1 : 1);
    const { time, ...scope } = openSearch(planner, { ...question, time: roundUp(question.time) }, sign);
    const [fromEnd, fromBegin] = [against, null].map((opposite) => {
      const options = { mayGiveUp: false, needsShortest: false, opposite };
      const { itineraries, endsAfterWindow } = collectItineraries(scope, time, time + 3600, options);
      const shown = itineraries!.map((one) => [roundDown(one.departure), roundUp(one.arrival), one.transfers]);
      return { shown: shown.map(String).sort(), ends: Array.from(endsAfterWindow, roundUp) };
    });
    expect(fromEnd).toEqual(fromBegin);
    found += fromEnd!.shown.length;
  }
  expect(found).toBeGreaterThan(10);
});

test('the first query of a planner may be one for a wheelchair', () => {
  for (const question of questions.slice(0, 20)) {
    const planner = openPlanner(random.world.timetable);
    const withWheelchair = { ...question, wheelchair: true };
    expect(() => queryPlanner({ planner, realtime: null }, withWheelchair)).not.toThrow();
  }
});

test('a search for itineraries that begin by some time finds those of the page, with less work', () => {
  const planner = openPlanner(random.world.timetable);
  const published = { timetable: planner.timetable, realtime: null };
  const measure = (request: Parameters<typeof findItineraries>[0]) => {
    const before = planner.search.work.labels;
    const { itineraries } = findItineraries(request);
    return { itineraries, labels: planner.search.work.labels - before };
  };
  let [shown, whole, limited] = [0, 0, 0];
  for (const question of questions.filter(({ timeMode }) => timeMode === 'departure')) {
    const until = (question.time + 600) as Instant;
    const query = toQuery(planner.timetable, question);
    const request = { planner, published, instant: question.instant as Instant, query, cursor: null };
    const page = measure(request);
    const begun = measure({ ...request, until });
    expect(begun.itineraries).toEqual(page.itineraries.filter(({ departure }) => departure < roundUp(until + 1)));
    shown += begun.itineraries.length;
    whole += page.labels;
    limited += begun.labels;
  }
  expect(shown).toBeGreaterThan(10);
  expect(limited).toBeLessThan(0.8 * whole);
});

// What was needed when this was written: runs, scanned routes and labels. More of them mean that a search has lost
// something that bounds it.
const MOST_WORK: SearchWork = { runs: 2633, routes: 2405, labels: 2351 };

test.each(['runs', 'routes', 'labels'] as const)('pages of these towns need no more %s than they did', (kind) => {
  const planner = openPlanner(random.world.timetable);
  for (const question of questions) queryPlanner({ planner, realtime: null }, question);
  expect(planner.search.work[kind] + planner.getOppositeSearch().work[kind]).toBeLessThanOrEqual(MOST_WORK[kind]);
});
