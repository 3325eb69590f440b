import fc from 'fast-check';
import { openPlanner, type Planner } from '../../../api/engine/planner/open-planner.ts';
import type { Compared } from '../oracles/compare-plans.ts';
import { receiveReports } from '../oracles/naive-plan-cases.ts';
import { type NaivePlanFeed, readPlanFeed } from '../oracles/naive-plan-feed.ts';
import { plainQuestion } from '../oracles/naive-plan-places.ts';
import {
  BUSY_HOUR,
  type RandomEnd,
  type RandomPlace,
  type randomModes,
  type randomOnDemand,
  type randomQuestion,
  randomTown,
  type randomWords,
  toPlace,
  toReports,
} from '../oracles/naive-plan-random.ts';
import { type NaiveNetwork, openNaiveNetwork } from '../oracles/naive-plan-runs.ts';
import { buildTown, mergeFeeds, placeId, placeLongitude } from '../oracles/naive-plan-town.ts';
import type { NaiveReports } from '../oracles/naive-reports.ts';
import type { PlannerQuestion } from '../oracles/query-planner.ts';
import { openWorld, type World } from './board-world.ts';
import { mergeNothing } from './ingest.ts';

const DAY = 86_400;

/** Many random networks in one timetable: building one for each would take most of the time. */
export interface RandomWorld {
  readonly world: World;
  readonly planner: Planner;
  readonly towns: readonly RandomTown[];
}

export interface RandomTown {
  readonly number: number;
  readonly feed: NaivePlanFeed;
  /** By plan. */
  readonly network: NaiveNetwork;
}

export async function openRandomWorld(count: number, seed: number): Promise<RandomWorld> {
  const towns = fc.sample(randomTown, { numRuns: count, seed });
  const files = towns.map((town, number) => buildTown(town, number));
  const world = await openWorld({ at: mergeFeeds(files) }, { settings: { merging: mergeNothing } });
  return {
    world,
    // Such small networks would never be searched backwards: here every second window is.
    planner: openPlanner(world.timetable, undefined, (departures, arrivals) => (departures + arrivals) % 2 === 0),
    towns: files.map((each, number) => {
      const feed = readPlanFeed(each, (routeId) => (routeId.endsWith('tram') ? 'tram' : 'cityBus'));
      return { number, feed, network: openNaiveNetwork(feed, BUSY_HOUR - 4 * DAY, BUSY_HOUR + 6 * DAY) };
    }),
  };
}

type Arbitrated<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

export function toQuestion(
  { number }: RandomTown,
  { from, to, via, terms, minute, second, timeMode, limit }: Arbitrated<typeof randomQuestion>,
): PlannerQuestion {
  const place = (text: typeof from) =>
    toPlace(
      text,
      (id) => placeId(id, number),
      (lon) => placeLongitude(lon, number),
    );
  const time = BUSY_HOUR + minute * 60 + second;
  // Queries whose origin is the destination have separate tests.
  fc.pre(from !== to && !(isOneStation(from) && isOneStation(to) && [from, to].includes('s')));
  const places = { from: place(from), to: place(to), via: via.map(place) };
  return { ...plainQuestion, ...terms, ...places, time, timeMode, limit, instant: BUSY_HOUR };
}

/** The query with ways on wheels. */
export function withModes(
  { number }: RandomTown,
  question: PlannerQuestion,
  { access, egress, bikeOnBoard, direct }: Arbitrated<typeof randomModes>,
): PlannerQuestion {
  const table = (end: RandomEnd | null) =>
    end && {
      onFoot: end.onFoot,
      rows: end.rows.map(({ stop, mode, seconds }) => ({ stopId: placeId(stop, number), mode, seconds })),
    };
  return { ...question, modes: { access: table(access), egress: table(egress), bikeOnBoard, direct } };
}

/** The query with on-demand access and egress, and without the direct walk. */
export function withOnDemand(
  { number }: RandomTown,
  question: PlannerQuestion,
  { access, egress }: Arbitrated<typeof randomOnDemand>,
): PlannerQuestion {
  const table = (rides: typeof access) => ({
    onFoot: true,
    rows: [],
    onDemand: rides.map(({ stop, seconds, open }) => ({
      stopId: placeId(stop, number),
      seconds,
      open: open
        .map(([begin, length]) => [BUSY_HOUR + begin, BUSY_HOUR + begin + length] as const)
        .sort((a, b) => a[0] - b[0] || a[1] - b[1]),
    })),
  });
  const direct = { onFoot: false, ways: [] };
  return { ...question, modes: { access: table(access), egress: table(egress), bikeOnBoard: false, direct } };
}

function isOneStation(place: RandomPlace): boolean {
  return typeof place === 'string' && place.startsWith('s');
}

/** Both planners, by schedule only. */
export function asPlanned({ planner }: RandomWorld, { network }: RandomTown): Compared {
  return { world: { planner, realtime: null }, network };
}

/** Both planners, with the realtime reports of a town in the busy hour. */
export async function asReported(
  random: RandomWorld,
  town: RandomTown,
  words: Arbitrated<typeof randomWords>,
): Promise<Compared> {
  return withReports(random, town, toReports(town.feed, words, BUSY_HOUR));
}

/** Both planners, with an answer that was received in the busy hour. */
export async function withReports(
  { world, planner }: RandomWorld,
  { feed }: RandomTown,
  reports: NaiveReports,
): Promise<Compared> {
  const live = { reports, instant: BUSY_HOUR };
  return {
    world: { planner, realtime: await receiveReports(world, reports, BUSY_HOUR) },
    network: openNaiveNetwork(feed, BUSY_HOUR - 4 * DAY, BUSY_HOUR + 6 * DAY, live),
  };
}
