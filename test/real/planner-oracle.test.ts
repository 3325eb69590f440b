import { beforeAll, describe, expect, test } from 'vitest';
import { openPlannerOracle, type PlannerOracle } from '../support/oracles/planner-oracle.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { mergeNothing } from '../support/worlds/ingest.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';

const FILES = [
  'agency.txt',
  'stops.txt',
  'routes.txt',
  'trips.txt',
  'stop_times.txt',
  'calendar.txt',
  'calendar_dates.txt',
  'frequencies.txt',
  'transfers.txt',
];
// The naive planner has no merged stations and trips.
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9, merging: mergeNothing };
const SEED = 20_260_319;

async function openCity(name: string, days: readonly number[]): Promise<PlannerOracle> {
  const location = realData(`gtfs/${name}.zip`);
  const world = await openWorld({ at: { location } }, { settings: CITY_SIZE });
  return openPlannerOracle(world, await readZipTexts(location, FILES), days);
}

// Each on a weekday and on a Sunday, some on the date of a clock change. The slow suite compares the sample, a country.
describe.each([
  ['bydgoszcz', ['2020-04-20T00:00:00+02:00', '2020-05-03T00:00:00+02:00']],
  // Blocks: many vehicles continue as another trip.
  ['vilnius-2018', ['2016-03-08T00:00:00+02:00', '2016-03-27T00:00:00+02:00']],
  ['milano-small', ['2014-10-21T00:00:00+02:00', '2014-10-26T00:00:00+02:00']],
  // Stations with platforms.
  ['vienna-ubahn', ['2026-03-28T00:00:00+01:00', '2026-10-25T00:00:00+02:00']],
])('in %s the planner and the naive one', (name, dates) => {
  let oracle: PlannerOracle;
  beforeAll(async () => {
    oracle = await openCity(
      name,
      dates.map((date) => Date.parse(date) / 1000),
    );
  });

  test('find the same earliest arrivals', () => {
    expect(oracle.compareBest('departure', 100, SEED)).toBeGreaterThan(50);
  });

  test('find the same latest departures', () => {
    expect(oracle.compareBest('arrival', 30, SEED + 1)).toBeGreaterThan(9);
  });

  test('find the same undominated itineraries on every page', () => {
    expect(oracle.comparePages('departure', 8, SEED + 2)).toBeGreaterThan(15);
    expect(oracle.comparePages('arrival', 8, SEED + 3)).toBeGreaterThan(15);
  });

  test('agree with realtime reports of the morning and of the evening', async () => {
    expect(await oracle.compareLive(9, 8, SEED + 4)).toBeGreaterThan(10);
    expect(await oracle.compareLive(17, 8, SEED + 5)).toBeGreaterThan(10);
  });
});
