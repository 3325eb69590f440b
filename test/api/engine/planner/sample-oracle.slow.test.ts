import { beforeAll, expect, test } from 'vitest';
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
}, 120_000);

test('finds the earliest arrival', () => {
  expect(oracle.compareBest('departure', 100, SEED)).toBeGreaterThan(50);
});

test('finds the latest departure', () => {
  expect(oracle.compareBest('arrival', 30, SEED + 1)).toBeGreaterThan(7);
});

test('finds all undominated itineraries on every page', () => {
  expect(oracle.comparePages('departure', 10, SEED + 2)).toBeGreaterThan(30);
  expect(oracle.comparePages('arrival', 10, SEED + 3)).toBeGreaterThan(30);
});

test('finds them with realtime', async () => {
  expect(await oracle.compareLive(5, 16, SEED + 4)).toBeGreaterThan(10);
});
