import { expect, test } from 'vitest';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { SPAN_SECONDS } from '../../../../api/engine/planner/raptor-routes.ts';
import { openScope } from '../../../../api/engine/planner/scope.ts';
import type { Realtime } from '../../../../api/engine/read/realtime.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { receiveReports } from '../../../support/oracles/naive-plan-cases.ts';
import { readPlanFeed } from '../../../support/oracles/naive-plan-feed.ts';
import { plainQuestion } from '../../../support/oracles/naive-plan-places.ts';
import { type Reports, readReports } from '../../../support/oracles/naive-plan-reports.ts';
import { buildTown, mergeFeeds, placeId } from '../../../support/oracles/naive-plan-town.ts';
import { toQuery } from '../../../support/oracles/query-planner.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';

const EIGHT = (Date.parse('2026-03-18T08:00+01:00') / 1000) as Instant;
const DAY = Date.parse('2026-03-18') / 86_400_000;

const trips = ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:20, b 08:30, d 08:50', 't3: c 08:00, d 08:02'];
const files = buildTown({ trips }, 0);
const world = await openWorld({ at: mergeFeeds([files]) }, { settings: { merging: mergeNothing } });
const feed = readPlanFeed(files, () => 'cityBus');
const receive = (reported: Reports) => receiveReports(world, readReports(feed, 0, reported, DAY, EIGHT), EIGHT);

/** Bounds to `d`. */
function findBounds(planner: Planner, realtime: Realtime | null, origin = 'a') {
  const [from, to] = [origin, 'd'].map((id) => ({ stopId: placeId(id, 0) }));
  const question = { ...plainQuestion, from: from!, to: to!, via: [], time: EIGHT, timeMode: 'departure' } as const;
  const query = toQuery(world.timetable, { ...question, limit: 4, instant: EIGHT });
  const request = { planner, realtime, instant: EIGHT, query, isSpent: () => false };
  const { task, entries } = openScope(request, 1, Math.floor(EIGHT / SPAN_SECONDS));
  return { bounds: task.bounds, seconds: task.bounds.readySeconds[entries[0]!.place]! };
}

test.each<[string, Reports, Reports]>([
  ['late vehicles', { trips: { t1: { a: 60, b: 60, d: 60 } } }, { trips: { t1: { a: 90, b: 120, d: 150 } } }],
  ['a cancelled trip', { trips: { t1: { a: 60, b: 60, d: 60 } } }, { trips: { t1: 'cancelled' } }],
  ['a skipped call', { trips: {} }, { trips: { t1: { a: 0, b: 'skipped', d: 0 } } }],
])('bounds survive a new realtime snapshot: %s', async (_, before, after) => {
  const planner = openPlanner(world.timetable);
  const first = findBounds(planner, await receive(before));
  expect(first.seconds).toBe(1800);
  expect(findBounds(planner, await receive(after)).bounds).toBe(first.bounds);
});

test('bounds follow a vehicle that makes up for its delay, and return to the timetable after it', async () => {
  const planner = openPlanner(world.timetable);
  expect(findBounds(planner, null).seconds).toBe(1800);
  const faster = await receive({ trips: { t1: { a: 300, b: 300, d: 180 } } });
  expect(findBounds(planner, faster).seconds).toBe(1680);
  const late = await receive({ trips: { t1: { a: 300, b: 300, d: 300 } } });
  expect(findBounds(planner, late).seconds).toBe(1800);
});

test('bounds with realtime serve the timetable alone, but not the other way round', async () => {
  const planner = openPlanner(world.timetable);
  const extras = [{ name: 'x', calls: ['a 08:05', 'd 08:15'] }];
  const planned = findBounds(planner, null);
  const live = findBounds(planner, await receive({ extras }));
  expect([planned.seconds, live.seconds]).toEqual([1800, 600]);
  const other = openPlanner(world.timetable);
  const first = findBounds(other, await receive({ extras }));
  expect(findBounds(other, null).bounds).toBe(first.bounds);
});

test('an added trip has separate bounds', async () => {
  const planner = openPlanner(world.timetable);
  const extras = [{ name: 'x', calls: ['a 08:05', 'd 08:15'] }];
  expect(findBounds(planner, await receive({ extras })).seconds).toBe(600);
  expect(findBounds(planner, await receive({ trips: { t1: { a: 60, b: 60, d: 60 } } })).seconds).toBe(1800);
});

test('bounds are found again only for a begin that is further away', () => {
  const planner = openPlanner(world.timetable);
  const near = findBounds(planner, null, 'c');
  const { bounds } = findBounds(planner, null);
  expect(bounds).not.toBe(near.bounds);
  expect(findBounds(planner, null, 'b').bounds).toBe(bounds);
  expect(findBounds(planner, null).bounds).toBe(bounds);
});
