import { beforeAll, expect, test } from 'vitest';
import type { PlanCursor } from '../../../../api/engine/planner/itinerary.ts';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { PlanTimeout } from '../../../../api/engine/planner/search.ts';
import { plainQuestion } from '../../../support/oracles/naive-plan-places.ts';
import { buildTown, mergeFeeds, placeId } from '../../../support/oracles/naive-plan-town.ts';
import { type PlannerQuestion, type PlanWorld, queryPlanner } from '../../../support/oracles/query-planner.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';

const HOURS = ['08', '09', '10', '11', '12', '13', '14'];
const EIGHT = Date.parse('2026-03-18T08:00+01:00') / 1000;
const LIMIT = 6;

let world: PlanWorld;
beforeAll(async () => {
  const trips = HOURS.map((hour, i) => `t${i}: a ${hour}:10, d ${hour}:40`);
  const files = buildTown({ trips }, 0);
  const { timetable } = await openWorld({ at: mergeFeeds([files]) }, { settings: { merging: mergeNothing } });
  world = { planner: openPlanner(timetable), realtime: null };
});

function toQuestion(timeMode: 'departure' | 'arrival'): PlannerQuestion {
  const time = timeMode === 'departure' ? EIGHT : EIGHT + 7 * 3600;
  const [from, to] = ['a', 'd'].map((id) => ({ stopId: placeId(id, 0) }));
  return { ...plainQuestion, from: from!, to: to!, via: [], time, timeMode, limit: LIMIT, instant: EIGHT };
}

/** Time to fill a page is always up, time to make one is not. */
const isFillingSpent = (share: number) => share < 1;

test.each(['departure', 'arrival'] as const)(
  'a page by %s that cannot be filled in time continues on the next one',
  (timeMode) => {
    const question = toQuestion(timeMode);
    const forward = timeMode === 'departure' ? 'later' : 'earlier';
    const found: number[] = [];
    let cursor: PlanCursor | null = null;
    for (let pages = 0; found.length < HOURS.length; pages++) {
      expect(pages).toBeLessThan(HOURS.length);
      const page = queryPlanner(world, question, cursor, isFillingSpent);
      expect(page.itineraries.length).toBeLessThan(LIMIT);
      found.push(...page.itineraries.map(({ departure }) => departure));
      cursor = page[forward];
    }
    const expected = HOURS.map((_, i) => EIGHT + i * 3600 + 600);
    expect(found.toSorted((a, b) => a - b)).toEqual(expected);
  },
);

test('a page that is searched backward in time and cannot be filled continues, too', () => {
  const question = { ...toQuestion('departure'), time: EIGHT + 7 * 3600 };
  let cursor = queryPlanner(world, question).earlier;
  const found: number[] = [];
  for (let pages = 0; found.length < HOURS.length; pages++) {
    expect(pages).toBeLessThan(HOURS.length);
    const page = queryPlanner(world, question, cursor, isFillingSpent);
    found.unshift(...page.itineraries.map(({ departure }) => departure));
    cursor = page.earlier;
  }
  expect(found).toEqual(HOURS.map((_, i) => EIGHT + i * 3600 + 600));
});

test('fails without anything to show in time', () => {
  expect(() => queryPlanner(world, toQuestion('departure'), null, () => true)).toThrow(PlanTimeout);
});
