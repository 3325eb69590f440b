import { beforeAll, expect, test } from 'vitest';
import { compareBoards } from '../../support/oracles/compare-boards.ts';
import { type NaiveTimetable, readNaiveTimetable } from '../../support/oracles/naive-timetable.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { buildSample, isNasty, withoutNastyTrips } from '../../support/worlds/sample.ts';

let world: World;
let naive: NaiveTimetable;
let stopIds: readonly string[];

beforeAll(async () => {
  const sample = await buildSample('2026-03-15');
  world = await openWorld({ at: sample });
  naive = readNaiveTimetable(withoutNastyTrips(sample));
  stopIds = naive.stopIds.filter((id) => !isNasty(id));
});

test.each([
  ['the whole period', 250, '2026-02-12T00:00:00Z', '2027-03-16T00:00:00Z'],
  ['the night that loses an hour', 60, '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
  ['the night that gains one', 60, '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z'],
  ['the first day', 60, '2026-02-11T23:00:00Z', '2026-02-13T00:00:00Z'],
  ['the last day', 60, '2027-03-15T00:00:00Z', '2027-03-16T00:00:00Z'],
])('boards of the sample match the naive implementation: %s', async (_period, count, from, to) => {
  expect(await compareBoards(world, naive, { count, from, to, stopIds })).toBeGreaterThan(300);
});
