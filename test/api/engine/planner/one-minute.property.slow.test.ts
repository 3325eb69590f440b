import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Itinerary, PlanCursor } from '../../../../api/engine/planner/itinerary.ts';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { describeMinutes as inWords } from '../../../support/oracles/compare-plans.ts';
import { readPlanFeed } from '../../../support/oracles/naive-plan-feed.ts';
import { listShown, listWalk } from '../../../support/oracles/naive-plan-pages.ts';
import { plainQuestion } from '../../../support/oracles/naive-plan-places.ts';
import { type NaiveNetwork, openNaiveNetwork } from '../../../support/oracles/naive-plan-runs.ts';
import { buildTown, mergeFeeds, placeId } from '../../../support/oracles/naive-plan-town.ts';
import { isWalk, type PlannerQuestion, queryPlanner } from '../../../support/oracles/query-planner.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';

// Many departures within two minutes, with rides of a few minutes, so that seconds decide dominance and page
// boundaries. From `c` to `near` it takes 498 s on foot.

const SEED = 20_260_322;
const TOWNS = 40;
const EIGHT = Date.parse('2026-03-18T08:00:00+01:00') / 1000;
const DAY = 86_400;

const clock = (seconds: number) => {
  const two = (n: number) => String(n).padStart(2, '0');
  return `08:${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
};
const ride = fc
  .record({
    start: fc.integer({ min: 0, max: 119 }),
    seconds: fc.integer({ min: 460, max: 600 }),
    hasChange: fc.boolean(),
  })
  // A transfer must pay off.
  .map(({ start, seconds, hasChange }) => ({ start, end: start + seconds - (hasChange ? 100 : 0), hasChange }));
const town = fc.array(ride, { minLength: 5, maxLength: 14 }).map((rides) => ({
  trips: rides.flatMap(({ start, end, hasChange }, i) =>
    hasChange
      ? // Each has its own transfer stop.
        [
          `t${i}a service=odd: c ${clock(start)}, x${i} ${clock(start + 60)}`,
          `t${i}b service=odd: x${i} ${clock(start + 180)}, near ${clock(end)}`,
        ]
      : [`t${i} service=odd: c ${clock(start)}, near ${clock(end)}`],
  ),
  files: { 'stops.txt': STOPS, 'calendar.txt': CALENDAR, 'calendar_dates.txt': 'service_id,date,exception_type\n' },
}));

const STOPS = [
  'stop_id,stop_name,stop_lat,stop_lon',
  'c,Kirche,48.0,16.2',
  'near,Nah,48.0045,16.2',
  ...Array.from({ length: 14 }, (_, i) => `x${i},Anderswo,${48.1 + i / 20},16.2`),
  '',
].join('\n');
const CALENDAR = `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
odd,1,1,1,1,1,1,1,20260318,20260318
`;

let planner: Planner;
let networks: NaiveNetwork[];
beforeAll(async () => {
  const files = fc.sample(town, { numRuns: TOWNS, seed: SEED }).map((one, number) => buildTown(one, number));
  planner = openPlanner(
    (await openWorld({ at: mergeFeeds(files) }, { settings: { merging: mergeNothing } })).timetable,
  );
  networks = files.map((each) => openNaiveNetwork(readPlanFeed(each), EIGHT - DAY, EIGHT + DAY));
});

const questions = fc.record({
  number: fc.nat(TOWNS - 1),
  // A page ends a day after its start, possibly within a minute.
  time: fc
    .tuple(fc.integer({ min: -60, max: 720 }), fc.constantFrom(0, 0, -DAY, DAY))
    .map(([second, away]) => EIGHT + second + away),
  timeMode: fc.constantFrom('departure' as const, 'arrival' as const),
  limit: fc.constantFrom(1, 1, 2, 6),
  maxWalkMeters: fc.constantFrom(0, 1500),
  maxTransfers: fc.constantFrom(0, 1),
  all: fc.boolean(),
});

test('pages partition the list in both directions, even within one minute', () => {
  let [rides, walks] = [0, 0];
  fc.assert(
    fc.property(questions, ({ number, ...terms }) => {
      const [from, to] = [{ stopId: placeId('c', number) }, { stopId: placeId('near', number) }];
      const query: PlannerQuestion = { ...plainQuestion, ...terms, from, to, instant: EIGHT };
      const walk = listWalk(networks[number]!, query, query);
      const expected = listShown(networks[number]!, query, query, walk, [EIGHT - 3600, EIGHT + 3600]);
      const first = queryPlanner({ planner, realtime: null }, query);
      const shown = [
        ...turnPages(query, first.earlier, 'earlier'),
        ...first.itineraries,
        ...turnPages(query, first.later, 'later'),
      ];
      expect(shown.filter(isWalk).map(inWords)).toEqual(walk.map(inWords));
      expect(
        shown
          .filter((one) => !isWalk(one))
          .map(inWords)
          .sort(),
      ).toEqual(expected.map(inWords).sort());
      rides += expected.length;
      walks += walk.length;
    }),
    { numRuns: 400, seed: SEED },
  );
  expect(Math.min(rides, walks)).toBeGreaterThan(100);
});

function turnPages(query: PlannerQuestion, from: PlanCursor | null, direction: PlanCursor['direction']): Itinerary[] {
  const shown: Itinerary[] = [];
  for (let cursor = from, page = 0; cursor !== null; page++) {
    if (page === 100) throw new Error('endless pages');
    const { itineraries, [direction]: next } = queryPlanner({ planner, realtime: null }, query, cursor);
    shown.push(...itineraries);
    cursor = next;
  }
  return shown;
}
