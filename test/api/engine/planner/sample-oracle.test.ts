import { beforeAll, expect, test } from 'vitest';
import { openWorld } from '../../../support/board-world.ts';
import { openPlannerOracle, type PlannerOracle } from '../../../support/planner-oracle.ts';
import { buildSample, withoutNastyTrips } from '../../../support/sample.ts';
import { shareOfRuns } from '../../../support/share-of-runs.ts';

// A thousand questions more are in the suite of real recordings, beside those of the cities.
const SEED = 20_260_320;

let oracle: PlannerOracle;
beforeAll(async () => {
  const sample = withoutNastyTrips(await buildSample('2026-03-15'));
  const world = await openWorld({ at: sample });
  const days = ['2026-03-16T00:00:00+01:00', '2026-03-28T00:00:00+01:00', '2026-10-24T00:00:00+02:00'];
  oracle = openPlannerOracle(
    world,
    sample,
    days.map((day) => Date.parse(day) / 1000),
  );
}, 120_000);

test('who is there first', () => {
  expect(oracle.compareBest('departure', shareOfRuns(100), SEED)).toBeGreaterThan(shareOfRuns(50));
});

test('who leaves last', () => {
  expect(oracle.compareBest('arrival', shareOfRuns(30), SEED + 1)).toBeGreaterThan(shareOfRuns(7));
});

test('all that nobody beats, page after page', () => {
  expect(oracle.comparePages('departure', shareOfRuns(10), SEED + 2)).toBeGreaterThan(shareOfRuns(30));
  expect(oracle.comparePages('arrival', shareOfRuns(10), SEED + 3)).toBeGreaterThan(shareOfRuns(30));
});

test('the same, with what is told', async () => {
  expect(await oracle.compareTold(shareOfRuns(5), 16, SEED + 4)).toBeGreaterThan(shareOfRuns(10));
});
