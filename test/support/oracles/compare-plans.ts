import { expect } from 'vitest';
import type { Itinerary, PlanCursor } from '../../../api/engine/planner/itinerary.ts';
import { type Checking, checkItinerary } from './check-itinerary.ts';
import { byOrder, listDirect, listShown, listWalk } from './naive-plan-pages.ts';
import { findDirectSeconds } from './naive-plan-places.ts';
import type { NaiveNetwork } from './naive-plan-runs.ts';
import { findEarliestArrival, findLatestDeparture, type NaiveItinerary } from './naive-planner.ts';
import { isWalk, type PlannerQuestion, type PlanWorld, queryPlanner } from './query-planner.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const HORIZON_SECONDS = 2 * DAY;
const MOST_PAGES = 40;

/** A planner, and the oracle that it is compared with. */
export interface Compared {
  readonly world: PlanWorld;
  readonly network: NaiveNetwork;
  /** Maximum distance from the requested time and maximum length of journeys, in seconds, if the network is limited. */
  readonly span?: number;
  readonly longest?: number;
}

/**
 * Fails if the service arrives in a later minute, or leaves in an earlier one, than the naive planner, or the other way
 * round, or if it returns an invalid itinerary.
 * @returns whether there is an itinerary
 */
export function compareBest(compared: Compared, requested: PlannerQuestion): boolean {
  const { longest = HORIZON_SECONDS } = compared;
  const isForward = requested.timeMode === 'departure';
  const expected = isForward ? findFirst(compared, requested, longest) : findLast(compared, requested, longest);
  const seen: Itinerary[] = [];
  const best = findBest(compared.world, requested, expected, (itinerary) => seen.push(itinerary), longest);
  // Results outside of the period of the naive planner are ignored.
  const found = best !== null && Math.abs(best - requested.time) <= longest ? best : null;
  expect(toMinute(found, requested.timeMode)).toBe(toMinute(expected, requested.timeMode));
  for (const itinerary of seen) if (isComparable(compared, requested, itinerary)) check(compared, requested, itinerary);
  return found !== null;
}

function findFirst({ network }: Compared, requested: PlannerQuestion, longest: number): number | null {
  const direct = findDirectSeconds(network.feed, requested) ?? Number.POSITIVE_INFINITY;
  const ride = findEarliestArrival(network, requested, requested.time, longest) ?? Number.POSITIVE_INFINITY;
  return finite(Math.min(ride, requested.time + direct));
}

function findLast({ network }: Compared, requested: PlannerQuestion, longest: number): number | null {
  const direct = findDirectSeconds(network.feed, requested) ?? Number.POSITIVE_INFINITY;
  const ride =
    findLatestDeparture(network, requested, requested.time, requested.time - longest) ?? Number.NEGATIVE_INFINITY;
  return finite(Math.max(ride, requested.time - direct));
}

/** Arrivals rounded as the planner compares them, or departures. */
export function toMinute(time: number | null, timeMode: 'departure' | 'arrival'): number | null {
  if (time === null) return null;
  return timeMode === 'departure' ? Math.ceil(time / 60) : Math.floor(time / 60);
}

function finite(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}

/**
 * Earliest arrival, or latest departure, by the pages of the service.
 * @param enough pages are requested until the result is final, or this many seconds away
 */
export function findBest(
  world: PlanWorld,
  requested: PlannerQuestion,
  enough: number | null,
  see: (itinerary: Itinerary) => void = () => {},
  longest = HORIZON_SECONDS,
): number | null {
  const isForward = requested.timeMode === 'departure';
  let best: number | null = null;
  let cursor: PlanCursor | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { itineraries, later, earlier } = queryPlanner(world, { ...requested, all: true }, cursor);
    for (const itinerary of itineraries) {
      see(itinerary);
      const time = isForward ? itinerary.arrival : itinerary.departure;
      if (best === null || (isForward ? time < best : time > best)) best = time;
    }
    cursor = isForward ? later : earlier;
    if (cursor === null) return best;
    if (best !== null && toMinute(best, requested.timeMode) === toMinute(enough, requested.timeMode)) return best;
    if (best !== null && (isForward ? cursor.time > best : cursor.time < best)) return best;
    if (Math.abs(cursor.time - requested.time) > longest) return best;
  }
  throw new Error(`no result on ${MOST_PAGES} pages`);
}

// ---- Lists -------------------------------------------------------------------------------------

/**
 * Fails if the first pages differ from those of the naive planner in content or order.
 * @returns number of compared itineraries
 */
export function comparePages(compared: Compared, requested: PlannerQuestion, pages: number): number {
  const isForward = requested.timeMode === 'departure';
  const shown: Itinerary[] = [];
  let cursor: PlanCursor | null = null;
  let isFull = true;
  for (let page = 0; page < pages && (page === 0 || cursor !== null); page++) {
    const { itineraries, later, earlier } = queryPlanner(compared.world, requested, cursor);
    if (isForward) shown.push(...itineraries);
    else shown.unshift(...itineraries);
    isFull = itineraries.length === requested.limit;
    cursor = isForward ? later : earlier;
  }
  const rides = shown.filter((itinerary) => !isWalk(itinerary));
  const outermost = isForward ? rides.at(-1) : rides[0];
  const edge = isFull && outermost ? outermost : findEdge(requested, cursor);
  const isInside = (one: NaiveItinerary) => (isForward ? 1 : -1) * byOrder(requested.timeMode)(one, edge) <= 0;
  const expected = listReference(compared, requested, edge);
  const comparable = (one: NaiveItinerary) => isComparable(compared, requested, one);
  for (const itinerary of shown.filter(comparable)) check(compared, requested, itinerary);
  expect(rides.filter(comparable).map(describeMinutes)).toEqual(
    expected.rides.filter(comparable).filter(isInside).map(describeMinutes),
  );
  expect(shown.filter(isWalk).map(describe)).toEqual(expected.walks.map(describe));
  return shown.length;
}

function isComparable({ span, longest }: Compared, { time }: PlannerQuestion, one: NaiveItinerary): boolean {
  if (longest !== undefined && one.arrival - one.departure > longest) return false;
  return span === undefined || (one.departure <= time + span && one.arrival >= time - span);
}

/** End of an incomplete page: everything that is not shown is beyond it. */
function findEdge({ time, timeMode }: PlannerQuestion, cursor: PlanCursor | null): NaiveItinerary {
  const far = timeMode === 'departure' ? time + 30 * DAY : time - 30 * DAY;
  const at = cursor?.time ?? far;
  const beyond = timeMode === 'departure' ? -1 : Number.POSITIVE_INFINITY;
  return {
    departure: timeMode === 'departure' ? at : beyond,
    arrival: timeMode === 'departure' ? beyond : at,
    transfers: beyond,
  };
}

/** Results between the requested time and an edge, and the walk if no ride is better. */
function listReference(
  { network, span, longest = HORIZON_SECONDS }: Compared,
  requested: PlannerQuestion,
  edge: NaiveItinerary,
) {
  const { time, timeMode } = requested;
  const isForward = timeMode === 'departure';
  const walk = findDirectSeconds(network.feed, requested) ?? 0;
  const from = isForward
    ? time
    : Math.max(Math.min(edge.arrival - longest, time - walk), time - (span ?? 30 * DAY) - longest);
  const last = Math.min(Math.max(edge.departure, time + walk), time + (span ?? 30 * DAY));
  // To the end of the minute: of equal plans, the naive planner may keep a later one.
  const to = isForward ? (Math.floor(last / 60) + 1) * 60 : time;
  const walks = listWalk(network, requested, requested);
  // A later plan can be the reason to fold one before the edge.
  const rides = listShown(network, requested, requested, walks, [from, isForward ? to + longest : to])
    .filter(({ departure, arrival }) => (isForward ? departure < to : arrival <= time))
    .sort(byOrder(timeMode));
  // The walk is among them, unless the page has no room for it.
  const direct = listDirect(network, requested, requested).sort(byOrder(timeMode));
  return { rides, walks: direct };
}

function check({ world, network }: Compared, question: PlannerQuestion, itinerary: Itinerary): void {
  checkItinerary({ world, network, question } satisfies Checking, itinerary);
  if (isWalk(itinerary)) return;
  const { departure, arrival } = itinerary;
  expect(question.timeMode === 'departure' ? departure >= question.time : arrival <= question.time).toBe(true);
}

/** In whole minutes: which of several equal ones is shown is compared elsewhere. */
export function describeMinutes({ departure, arrival, transfers }: NaiveItinerary): string {
  const minute = (time: number) => new Date(time * 60_000).toISOString().slice(0, 16);
  return `${minute(Math.floor(departure / 60))} ${transfers} ${minute(Math.ceil(arrival / 60))}`;
}

export function describe({ departure, arrival, transfers }: NaiveItinerary): string {
  const clock = (time: number) => new Date(time * 1000).toISOString().slice(0, 19);
  return `${clock(departure)} ${transfers} ${clock(arrival)}`;
}
