import { beforeAll, expect, test } from 'vitest';
import type { Itinerary } from '../../../api/engine/planner/itinerary.ts';
import { openPlanner, type Planner } from '../../../api/engine/planner/open-planner.ts';
import type { Product } from '../../../pipeline/model/product.ts';
import { formatTimestamp, type Instant } from '../../../pipeline/model/service-time.ts';
import { instant, openWorld, type World } from '../worlds/board-world.ts';
import { mergeNothing } from '../worlds/ingest.ts';
import { openLiveWorld } from '../worlds/live-world.ts';
import { checkItinerary } from './check-itinerary.ts';
import { readPlanFeed } from './naive-plan-feed.ts';
import { listFirstPage, type NaivePageItem, type NaivePageQuery } from './naive-plan-pages.ts';
import { type NaivePlace, type NaivePlanQuery, plainQuestion } from './naive-plan-places.ts';
import { type Reports, readReports } from './naive-plan-reports.ts';
import { openNaiveNetwork } from './naive-plan-runs.ts';
import { buildTown, mergeFeeds, placeId, placeLongitude, type Town } from './naive-plan-town.ts';
import { type NaiveReports, toUpdate } from './naive-reports.ts';
import { nameRide, type PlanWorld, queryPlanner } from './query-planner.ts';

/** A query on a town, by default from `a` to `d`; whatever is absent has the usual value. */
export interface PlanCaseQuery extends Partial<Omit<NaivePlanQuery, 'from' | 'to' | 'via'>> {
  /** stop_id, or `48.0 16.1`. */
  readonly from?: string;
  readonly to?: string;
  readonly via?: readonly string[];
  /** `08:00` on the town's day, or RFC 3339. */
  readonly leave?: string;
  readonly arrive?: string;
  readonly limit?: number;
  /** Whether folded options are shown as well. */
  readonly all?: boolean;
  /** Realtime of the town's day, as known at `now`. */
  readonly reported?: Reports;
  /** As `leave`; by default the requested time. */
  readonly now?: string;
}

/**
 * The expected result, written by hand: `08:00 t1 > t2 = t3 09:00` is departure, trips with a transfer and a
 * continuation, arrival; `08:00 walk 08:10`. Sorted by departure, or by arrival if an arrival time is requested.
 */
export interface PlanCase extends Town {
  readonly query?: PlanCaseQuery;
  readonly expected: readonly string[];
  /** Expected on the following pages, all in one direction. */
  readonly later?: readonly (readonly string[])[];
  readonly earlier?: readonly (readonly string[])[];
}

const TOWN_DAY = '2026-03-18';
const DAY = 86_400;
const TOWN_EPOCH_DAY = Date.parse(TOWN_DAY) / 1000 / DAY;

/** Makes one test per case: the naive planner and the planner of the service return the expected result. */
export function testPlans(cases: Readonly<Record<string, PlanCase>>): void {
  const towns = Object.entries(cases).map(([name, one], number) => ({ name, one, files: buildTown(one, number) }));
  let world: World;
  let planner: Planner;
  beforeAll(async () => {
    world = await openWorld(
      { at: mergeFeeds(towns.map(({ files }) => files)) },
      { settings: { merging: mergeNothing } },
    );
    planner = openPlanner(world.timetable);
  });
  for (const [number, { name, one, files }] of towns.entries()) {
    test(name, async () => {
      const { question, page, instant } = readQuestion(one.query ?? {}, number);
      const feed = readPlanFeed(files, productOf);
      const reports = one.query?.reported
        ? readReports(feed, number, one.query.reported, TOWN_EPOCH_DAY, instant)
        : null;
      const network = openNaiveNetwork(feed, page.time - 4 * DAY, page.time + 4 * DAY, reports && { reports, instant });
      expect(listFirstPage(network, question, page).map(describeNaive)).toEqual(one.expected.map(withoutTrips));
      const context = { planner, realtime: reports && (await receiveReports(world, reports, instant)) };
      const first = queryPlanner(context, { ...question, ...page, instant });
      const { itineraries } = first;
      expect(itineraries.map((itinerary) => describeItinerary(context, itinerary))).toEqual(one.expected);
      for (const itinerary of itineraries) checkItinerary({ world: context, network, question }, itinerary);
      for (const direction of ['later', 'earlier'] as const) {
        let cursor = first[direction];
        for (const expected of one[direction] ?? []) {
          const next = queryPlanner(context, { ...question, ...page, instant }, cursor);
          expect(next.itineraries.map((itinerary) => describeItinerary(context, itinerary))).toEqual(expected);
          cursor = next[direction];
        }
      }
    });
  }
}

function productOf(routeId: string): Product {
  return routeId.endsWith('tram') ? 'tram' : 'cityBus';
}

/** The current realtime, built by the service from the reports. */
export async function receiveReports(world: World, reports: NaiveReports, instant: number) {
  const live = await openLiveWorld(world);
  const toTime = (time: number) => new Date(time * 1000).toISOString();
  const { tally } = live.report('rt', toTime(reports.at), toUpdate(reports));
  const { implausibly_early: _, ...problems } = tally.problems;
  expect([tally.unmatched, problems]).toEqual([{}, {}]);
  return live.at(toTime(instant)).realtime;
}

function readQuestion(query: PlanCaseQuery, town: number) {
  const {
    from = 'a',
    to = 'd',
    via = [],
    leave,
    arrive,
    limit = 6,
    all = false,
    reported: _reported,
    now,
    ...terms
  } = query;
  const question: NaivePlanQuery = {
    ...plainQuestion,
    ...terms,
    from: readPlace(from, town),
    to: readPlace(to, town),
    via: via.map((place) => readPlace(place, town)),
  };
  const timeMode = arrive === undefined ? 'departure' : 'arrival';
  const page: NaivePageQuery = { time: readTime(arrive ?? leave ?? '06:00'), timeMode, limit, all };
  return { question, page, instant: now === undefined ? page.time : readTime(now) };
}

function readPlace(text: string, town: number): NaivePlace {
  const [lat, lon] = text.split(' ').map(Number);
  return lon === undefined ? { stopId: placeId(text, town) } : { lat: lat!, lon: placeLongitude(lon, town) };
}

function readTime(text: string): Instant {
  return instant(text.includes('T') ? text : `${TOWN_DAY}T${text}:00+01:00`);
}

// ---- As text -----------------------------------------------------------------------------------

function describeItinerary(world: PlanWorld, { departure, arrival, parts }: Itinerary): string {
  const rides = parts.flatMap((part) => (part.kind === 'ride' ? part : []));
  const words = rides.flatMap((ride, i) => {
    const name = nameRide(world, ride)
      .replace(/^\d+\//, '')
      .replace(/@(\d+)$/, (_, start) => `@${toClock(Number(start))}`);
    return i === 0 ? name : [ride.isStaying ? '=' : '>', name];
  });
  return [clockOf(departure), ...(rides.length === 0 ? ['walk'] : words), clockOf(arrival)].join(' ');
}

function toClock(start: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(start / 3600))}:${two(Math.floor(start / 60) % 60)}`;
}

function describeNaive({ departure, arrival, transfers, isWalk }: NaivePageItem): string {
  return `${clockOf(departure)} ${isWalk ? 'walk' : transfers} ${clockOf(arrival)}`;
}

/** `08:00 t1 > t2 09:00` to `08:00 1 09:00`: the naive planner does not return the trips. */
function withoutTrips(text: string): string {
  const [departure, ...rest] = text.split(' ');
  const changes = rest.filter((word) => word === '>').length;
  return `${departure} ${rest[0] === 'walk' ? 'walk' : changes} ${rest.at(-1)}`;
}

/** Local time in Vienna; with the date if it is not that of the town. */
function clockOf(time: number): string {
  const text = formatTimestamp(time as Instant, 'Europe/Vienna');
  const clock = text.slice(11, 19).replace(/:00$/, '');
  return text.startsWith(TOWN_DAY) ? clock : `${text.slice(5, 10)}T${clock}`;
}
