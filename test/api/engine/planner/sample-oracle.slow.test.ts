import { beforeAll, expect, test } from 'vitest';
import { trials } from '../../../support/checks/trials.ts';
import { openPlannerOracle, type PlannerOracle } from '../../../support/oracles/planner-oracle.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { buildSample, withoutNastyTrips } from '../../../support/worlds/sample.ts';

// The suite with real recordings compares cities.
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
}, 600_000);

test('finds the earliest arrival', () => {
  expect(oracle.compareBest('departure', trials(20), SEED)).toBeGreaterThan(10);
});

test('finds the latest departure', () => {
  expect(oracle.compareBest('arrival', trials(8), SEED + 1)).toBeGreaterThan(1);
});

test('finds all undominated itineraries on every page', () => {
  expect(oracle.comparePages('departure', trials(4), SEED + 2)).toBeGreaterThan(10);
  expect(oracle.comparePages('arrival', trials(4), SEED + 3)).toBeGreaterThan(10);
});

test('finds them with realtime', async () => {
  expect(await oracle.compareLive(5, trials(4), SEED + 4)).toBeGreaterThan(2);
});
