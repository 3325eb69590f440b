import { beforeAll, expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import type { SearchWork } from '../../../../api/engine/planner/search.ts';
import type { Realtime } from '../../../../api/engine/read/realtime.ts';
import { receiveReports } from '../../../support/oracles/naive-plan-cases.ts';
import { readPlanFeed } from '../../../support/oracles/naive-plan-feed.ts';
import { plainQuestion } from '../../../support/oracles/naive-plan-places.ts';
import { readReports } from '../../../support/oracles/naive-plan-reports.ts';
import { buildTown, mergeFeeds, placeId } from '../../../support/oracles/naive-plan-town.ts';
import { type PlannerQuestion, queryPlanner } from '../../../support/oracles/query-planner.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';

// A town with frequent lines by whole minutes, whose vehicles are seconds to minutes late: the same pages must need about
// the same work with and without realtime.

const EIGHT = Date.parse('2026-03-18T08:00+01:00') / 1000;
const DAY = Date.parse('2026-03-18') / 86_400_000;
const HOURS = [7, 8, 9, 10];

interface Line {
  readonly stops: readonly string[];
  readonly everyMinutes: number;
}

const lines: readonly Line[] = [
  { stops: ['a', 'b', 'c', 's1'], everyMinutes: 4 },
  { stops: ['b', 's2', 'd'], everyMinutes: 5 },
  { stops: ['s1', 'd', 'e'], everyMinutes: 6 },
  { stops: ['a', 's3', 'e', 'f'], everyMinutes: 10 },
  { stops: ['c', 'd', 'f'], everyMinutes: 12 },
];

const LEG_MINUTES = 7;
const MOST_SECONDS_LATE = 170;

interface TownTrip {
  readonly id: string;
  readonly text: string;
  /** By stop. */
  readonly delays: Readonly<Record<string, number>>;
}

function listTrips(): TownTrip[] {
  return lines.flatMap(({ stops, everyMinutes }, line) =>
    Array.from({ length: (HOURS.length * 60) / everyMinutes }, (_, number): TownTrip => {
      const id = `l${line}n${number}`;
      const calls = stops.map(
        (stop, i) => `${stop} ${toClock(HOURS[0]! * 60 + number * everyMinutes + i * LEG_MINUTES)}`,
      );
      const late = (number * 37 + line * 53) % MOST_SECONDS_LATE;
      return { id, text: `${id}: ${calls.join(', ')}`, delays: Object.fromEntries(stops.map((stop) => [stop, late])) };
    }),
  );
}

function toClock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

let world: World;
let live: Realtime | null;
beforeAll(async () => {
  const trips = listTrips();
  const files = buildTown({ trips: trips.map(({ text }) => text) }, 0);
  world = await openWorld({ at: mergeFeeds([files]) }, { settings: { merging: mergeNothing } });
  const reported = { trips: Object.fromEntries(trips.map(({ id, delays }) => [id, delays])) };
  const reports = readReports(
    readPlanFeed(files, () => 'cityBus'),
    0,
    reported,
    DAY,
    EIGHT,
  );
  live = await receiveReports(world, reports, EIGHT);
});

const pairs = ['a', 'b', 'c'].flatMap((from) => ['d', 'e', 'f'].map((to) => [from, to] as const));

function measureWork(realtime: Realtime | null, terms: Partial<PlannerQuestion>): SearchWork {
  const planner = openPlanner(world.timetable);
  for (const [from, to] of pairs) {
    const ends = { from: { stopId: placeId(from, 0) }, to: { stopId: placeId(to, 0) }, via: [] };
    const page = { time: EIGHT + 600, timeMode: 'departure', limit: 6, instant: EIGHT } as const;
    const question: PlannerQuestion = { ...plainQuestion, ...ends, ...page, ...terms };
    const first = queryPlanner({ planner, realtime }, question);
    expect(first.itineraries).not.toHaveLength(0);
    for (const cursor of [first.earlier, first.later]) queryPlanner({ planner, realtime }, question, cursor);
  }
  const [one, other] = [planner.search.work, planner.getOppositeSearch().work];
  return {
    runs: one.runs + other.runs,
    routes: one.routes + other.routes,
    labels: one.labels + other.labels,
  };
}

/** Delayed vehicles connect differently, so not even the same search needs exactly the same work. */
const MOST = 1.2;

test.each<[string, Partial<PlannerQuestion>]>([
  ['by departure', {}],
  ['by arrival', { timeMode: 'arrival', time: EIGHT + 7200 }],
  ['past a via', { via: [{ stopId: placeId('s', 0) }] }],
  ['for a wheelchair', { wheelchair: true }],
])('pages %s need about the same work with and without realtime', (_, terms) => {
  const [withRealtime, without] = [measureWork(live, terms), measureWork(null, terms)];
  for (const kind of ['runs', 'routes', 'labels'] as const) {
    expect
      .soft(withRealtime[kind] / without[kind], `${kind}: ${withRealtime[kind]}, ${without[kind]}`)
      .toBeLessThan(MOST);
  }
});
