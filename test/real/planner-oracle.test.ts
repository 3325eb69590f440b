import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPlanner, type Planner } from '../../api/engine/planner/planner.ts';
import { type Product, products } from '../../pipeline/model/product.ts';
import { openWorld, type World } from '../support/board-world.ts';
import { cityQuestion, toCityQuestion } from '../support/city-plans.ts';
import { tellOfCity } from '../support/city-told.ts';
import { compareBest, comparePages } from '../support/compare-plans.ts';
import { hear } from '../support/naive-plan-cases.ts';
import { type NaivePlanFeed, readPlanFeed } from '../support/naive-plan-feed.ts';
import { isThere } from '../support/naive-plan-places.ts';
import { type NaiveNetwork, openNaiveNetwork } from '../support/naive-plan-runs.ts';
import { readZipTexts, realData } from '../support/real-data.ts';

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
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };
const SEED = 20_260_319;
const HOUR = 3600;
const DAY = 24 * HOUR;

describe.each([
  ['bydgoszcz', ['2020-04-20T00:00:00+02:00', '2020-05-03T00:00:00+02:00']],
  ['vilnius-2018', ['2016-03-08T00:00:00+02:00', '2016-03-27T00:00:00+02:00']],
  ['milano-small', ['2014-10-21T00:00:00+02:00', '2014-10-26T00:00:00+02:00']],
  ['vienna-ubahn', ['2026-03-28T00:00:00+01:00', '2026-10-25T00:00:00+02:00']],
])('%s', (name, dates) => {
  const days = dates.map((date) => Date.parse(date) / 1000);
  let world: World;
  let planner: Planner;
  let feed: NaivePlanFeed;
  const networks = new Map<number, NaiveNetwork>();
  beforeAll(async () => {
    const location = realData(`gtfs/${name}.zip`);
    world = await openWorld({ at: { location } }, { settings: CITY_SIZE });
    planner = openPlanner(world.timetable);
    const { routes } = world.timetable.tables;
    const productOf = new Map<string, Product>();
    for (let row = 0; row < routes.source.length; row++)
      productOf.set(routes.routeId.get(row), products[routes.product[row]!]!);
    feed = readPlanFeed(await readZipTexts(location, FILES), (routeId) => productOf.get(routeId)!);
    for (const day of days) networks.set(day, openNaiveNetwork(feed, day - 2 * DAY, day + 4 * DAY));
  }, 300_000);

  const asPlanned = (time: number) => ({
    world: { planner, realtime: null },
    network: networks.get(days.findLast((day) => day <= time)!)!,
    span: DAY,
  });

  test('who is there first', () => {
    let reached = 0;
    fc.assert(
      fc.property(cityQuestion, (drawn) => {
        const question = toCityQuestion(drawn, feed, days);
        fc.pre(!isThere(feed, question));
        const compared = asPlanned(question.time);
        if (compareBest(compared, { ...question, timeMode: 'departure', limit: 6 })) reached += 1;
      }),
      { numRuns: 1000, seed: SEED, endOnFailure: true },
    );
    expect(reached).toBeGreaterThan(600);
  });

  test('who leaves last', () => {
    let reached = 0;
    fc.assert(
      fc.property(cityQuestion, (drawn) => {
        const question = toCityQuestion(drawn, feed, days);
        fc.pre(!isThere(feed, question));
        const compared = { ...asPlanned(question.time), longest: 8 * HOUR };
        if (compareBest(compared, { ...question, timeMode: 'arrival', limit: 6 })) reached += 1;
      }),
      { numRuns: 250, seed: SEED + 1, endOnFailure: true },
    );
    expect(reached).toBeGreaterThan(120);
  });

  test.each(['departure', 'arrival'] as const)('page after page, by %s', (timeMode) => {
    let shown = 0;
    fc.assert(
      fc.property(cityQuestion, (drawn) => {
        const question = toCityQuestion(drawn, feed, days);
        fc.pre(!isThere(feed, question));
        const compared = asPlanned(question.time);
        shown += comparePages(
          { ...compared, span: 6 * HOUR, longest: 4 * HOUR },
          { ...question, timeMode, limit: 6 },
          3,
        );
      }),
      { numRuns: 50, seed: SEED + 2, endOnFailure: true },
    );
    expect(shown).toBeGreaterThan(300);
  });

  test.each([9, 17])('with what is told at %d o’clock', async (hour) => {
    let shown = 0;
    const day = days[0]!;
    const moment = day + hour * HOUR;
    const said = tellOfCity(feed, moment, SEED + hour);
    const network = openNaiveNetwork(feed, day - 2 * DAY, day + 4 * DAY, { said, moment });
    const compared = { world: { planner, realtime: await hear(world, said, moment) }, network, span: DAY };
    const kinds = fc.constantFrom('departure' as const, 'arrival' as const);
    fc.assert(
      fc.property(cityQuestion, kinds, fc.integer({ min: -30, max: 120 }), (drawn, timeMode, minutes) => {
        const question = { ...toCityQuestion(drawn, feed, days), time: moment + minutes * 60, moment };
        fc.pre(!isThere(feed, question));
        const asked = { ...question, timeMode, limit: 6 };
        compareBest({ ...compared, longest: timeMode === 'arrival' ? 8 * HOUR : 2 * DAY }, asked);
        if (drawn.clock % 5 === 0) shown += comparePages({ ...compared, span: 6 * HOUR, longest: 4 * HOUR }, asked, 3);
      }),
      { numRuns: 200, seed: SEED + hour, endOnFailure: true },
    );
    expect(shown).toBeGreaterThan(200);
  });
});
