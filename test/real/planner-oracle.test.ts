import { beforeAll, describe, expect, test } from 'vitest';
import { trials } from '../support/checks/trials.ts';
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

// Each on a weekday and on a Sunday, some on the date of a clock change, with reports of an hour of the first. The slow
// suite compares the sample, a country.
describe.each([
  ['bydgoszcz', ['2020-04-20T00:00:00+02:00', '2020-05-03T00:00:00+02:00'], 9],
  // Blocks: many vehicles continue as another trip.
  ['vilnius-2018', ['2016-03-08T00:00:00+02:00', '2016-03-27T00:00:00+02:00'], 17],
  ['milano-small', ['2014-10-21T00:00:00+02:00', '2014-10-26T00:00:00+02:00'], 17],
  // Stations with platforms.
  ['vienna-ubahn', ['2026-03-28T00:00:00+01:00', '2026-10-25T00:00:00+02:00'], 9],
])('in %s the planner and the naive one', (name, dates, hour) => {
  let oracle: PlannerOracle;
  beforeAll(async () => {
    oracle = await openCity(
      name,
      dates.map((date) => Date.parse(date) / 1000),
    );
  });

  test('find the same earliest arrivals', () => {
    expect(oracle.compareBest('departure', trials(40), SEED)).toBeGreaterThan(20);
  });

  test('find the same latest departures', () => {
    expect(oracle.compareBest('arrival', trials(12), SEED + 1)).toBeGreaterThan(3);
  });

  test('find the same undominated itineraries on every page', () => {
    expect(oracle.comparePages('departure', trials(4), SEED + 2)).toBeGreaterThan(7);
    expect(oracle.comparePages('arrival', trials(4), SEED + 3)).toBeGreaterThan(7);
  });

  test('agree with realtime reports', async () => {
    expect(await oracle.compareLive(hour, trials(5), SEED + 4)).toBeGreaterThan(4);
  });
});
