import type { EstimateRides } from '../predictions/ride-estimates.ts';
import { chooseEqual } from './choose-equal.ts';
import { walkDirectly } from './direct-ways.ts';
import { type Choice, type DirectedQuery, spanOn, toChoice } from './directed-query.ts';
import { sumMeters } from './equal-itineraries.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary } from './itinerary.ts';
import { compareEqual, dominates, endBefore, isEqual, minuteOf, roundDown, roundUp, secondsOf } from './pareto.ts';
import { collectItineraries, findEnds, LONGEST_JOURNEY_SECONDS, PAGE_SPAN_SECONDS } from './profile.ts';
import { measureMinSeconds } from './profile-scope.ts';
import { SPAN_SECONDS } from './raptor-routes.ts';
import { openRideScopes, openScopes, type PlanPageRequest } from './scope.ts';
import { limitRides } from './search.ts';
import type { Sign } from './search-direction.ts';

/** The result of one step of a search: all choices that begin in `[from, to)`, unordered. */
export interface SearchedWindow {
  readonly from: number;
  readonly to: number;
  readonly choices: readonly Choice[];
  /** By number of rides: the earliest signed ends for begins from `to` on. */
  readonly endsAfterWindow: readonly number[];
}

const FIRST_WINDOW_SECONDS = 1800;
const SHORTEST_WINDOW_SECONDS = 900;
const LONGEST_WINDOW_SECONDS = 4 * 3600;

/** @param hasWalk whether the direct walk is undominated; `null` if not yet known */
export function openDirectedQuery(
  request: PlanPageRequest,
  estimate: EstimateRides,
  hasWalk: boolean | null,
): DirectedQuery {
  const sign = request.query.timeMode === 'departure' ? 1 : -1;
  const against = sign > 0 ? -1 : 1;
  const [scopeOf, scopeAgainst] = [openScopes(request, sign), openScopes(request, against)];
  const ridesAgainst = openRideScopes(request, against);
  const time = sign * request.query.time;
  const riding: DirectedQuery = { request, sign, time, walk: null, scopeOf, scopeAgainst, ridesAgainst, estimate };
  const direct = hasWalk === false ? null : walkDirectly(request.query);
  if (direct === null || (hasWalk === null && isWalkBeaten(riding, toChoice(riding, direct)))) return riding;
  return { ...riding, walk: toChoice(riding, direct) };
}

/** How far a list has got: this decides how long the next window is, but not what is found. */
export interface ListProgress {
  wanted: number;
  taken: number;
  /** Signed; no later begins are wanted, though the list may need them. */
  before: number;
}

/**
 * Yields all choices from a signed time on (the start of a minute), step by step, the first ones first.
 * @param progress read after each step
 */
export function* searchForward(
  directedQuery: DirectedQuery,
  from: number,
  progress: Readonly<ListProgress>,
): Generator<SearchedWindow, void> {
  let width = chooseWidth(directedQuery, spanOn(directedQuery.sign, from));
  for (let begin = from; ; ) {
    const span = spanOn(directedQuery.sign, begin);
    const { before } = progress;
    const last = begin < before ? Math.min(begin + width, before) : begin + width;
    const end = Math.min(roundDown(last), endOfSpan(directedQuery.sign, span));
    const { choices, endsAfterWindow } = collect(directedQuery, span, begin, end, true);
    if (choices === null) {
      begin = yield* stepForward(directedQuery, begin);
    } else {
      yield { from: begin, to: end, choices, endsAfterWindow };
      begin = end;
    }
    width = chooseNextWidth(width, begin - from, progress);
  }
}

/**
 * Yields all choices before a signed time (the start of a minute), step by step, the last ones first.
 * @param progress read after each step
 */
export function* searchBackward(
  directedQuery: DirectedQuery,
  to: number,
  progress: Readonly<ListProgress>,
): Generator<SearchedWindow, void> {
  let width = chooseWidth(directedQuery, spanBefore(directedQuery.sign, to));
  for (let end = to; ; ) {
    const span = spanBefore(directedQuery.sign, end);
    const begin = Math.max(roundUp(end - width), beginOfSpan(directedQuery.sign, span));
    const { choices, endsAfterWindow } = collect(directedQuery, span, begin, end, true);
    if (choices === null) {
      end = yield* stepBackward(directedQuery, end, endsAfterWindow);
    } else {
      yield { from: begin, to: end, choices, endsAfterWindow };
      end = begin;
    }
    width = chooseNextWidth(width, to - end, progress);
  }
}

/**
 * Returns whether a ride without transfers dominates the direct way at the requested time, or is the better of two
 * equal ones.
 */
export function isWalkBeaten(directedQuery: DirectedQuery, walk: Choice): boolean {
  const { request, sign, time } = directedQuery;
  const minute = minuteOf(time, time);
  const [, first] = findEndsFrom(directedQuery, time, walk.end + 1);
  if (first! > walk.end) return false;
  // It arrives in an earlier minute, or departs later and arrives in the same one.
  if (roundUp(first!) < walk.end || findEndsFrom(directedQuery, minute.to, walk.end + 1)[1]! <= walk.end) return true;
  const { choices } = collect(directedQuery, spanOn(sign, time), minute.from, minute.to, false);
  return choices!.some(
    (found) =>
      dominates(request.query, found.itinerary, walk.itinerary) ||
      (isEqual(request.query, found.itinerary, walk.itinerary) && isBetterThanWalk(directedQuery, found, walk)),
  );
}

function isBetterThanWalk(directedQuery: DirectedQuery, ride: Choice, walk: Choice): boolean {
  const toRank = (itinerary: Itinerary) => ({ ...itinerary, probability: 1, meters: sumMeters(itinerary.parts) });
  return compareEqual(toRank(chooseEqual(directedQuery, ride)), toRank(walk.itinerary)) < 0;
}

/**
 * If the result contains the direct walk, drops choices that it dominates or equals, and those whose shortest itinerary
 * takes at least as long.
 */
function isWorthRiding({ request: { query }, walk }: DirectedQuery, itinerary: Itinerary): boolean {
  if (walk === null) return true;
  if (dominates(query, walk.itinerary, itinerary) || isEqual(query, walk.itinerary, itinerary)) return false;
  return secondsOf(itinerary) < secondsOf(walk.itinerary);
}

// ---- Sparse service ----------------------------------------------------------------------------

// In sparse service, most departures are useless before the next day. There, the next itinerary is found by its end:
// first the earliest possible end, then the latest begin that reaches it. That itinerary dominates all earlier begins.

/**
 * Steps through the minutes in which a choice begins, for the span of a page. @returns the time up to which it searched
 */
function* stepForward(directedQuery: DirectedQuery, from: number): Generator<SearchedWindow, number> {
  const to = roundUp(from + PAGE_SPAN_SECONDS);
  const findBeginning = rememberBeginnings(directedQuery);
  let ends = findEndsFrom(directedQuery, from, from + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS);
  for (let begin = from; ; ) {
    const next = Math.min(...listEnds(ends).map(({ end, rides }) => findBeginning(end, begin, rides)));
    if (next >= to) {
      yield { from: begin, to, choices: [], endsAfterWindow: ends };
      return to;
    }
    const minute = minuteOf(directedQuery.time, next);
    const { choices, endsAfterWindow } = collect(
      directedQuery,
      spanOn(directedQuery.sign, next),
      minute.from,
      minute.to,
      false,
    );
    yield { from: begin, to: minute.to, choices: choices!, endsAfterWindow };
    begin = minute.to;
    ends = endsAfterWindow;
  }
}

/** Steps backward through these minutes. @param ends arrivals for begins at `to` or later */
function* stepBackward(
  directedQuery: DirectedQuery,
  to: number,
  ends: readonly number[],
): Generator<SearchedWindow, number> {
  const from = roundDown(to - PAGE_SPAN_SECONDS);
  const findBeginning = rememberBeginnings(directedQuery);
  let known = ends;
  for (let end = to; ; ) {
    // An earlier begin is only worthwhile if it ends in an earlier minute.
    const sooner = known.map((one) => Math.min(endBefore(one), end + LONGEST_JOURNEY_SECONDS - 1));
    const beginnings = listEnds(sooner).map((one) => findBeginning(one.end, from, one.maxRides));
    const next = Math.max(...beginnings.filter((begin) => begin < end));
    if (next < from) {
      yield { from, to: end, choices: [], endsAfterWindow: known };
      return from;
    }
    const minute = minuteOf(directedQuery.time, next);
    const { choices, endsFromWindow } = collect(
      directedQuery,
      spanOn(directedQuery.sign, next),
      minute.from,
      minute.to,
      false,
    );
    yield { from: minute.from, to: end, choices: choices!, endsAfterWindow: known };
    end = minute.from;
    known = endsFromWindow;
  }
}

/** Lists the distinct ends, with the fewest and the most rides of each. */
function listEnds(ends: readonly number[]): { end: number; rides: number; maxRides: number }[] {
  const different: { end: number; rides: number; maxRides: number }[] = [];
  ends.forEach((end, rides) => {
    const last = different.at(-1);
    if (!Number.isFinite(end) || rides === 0) return;
    if (last?.end === end) last.maxRides = rides;
    else different.push({ end, rides, maxRides: rides });
  });
  return different;
}

/** As `findBeginning`, for times that only grow; most ends are those of the step before. */
function rememberBeginnings(directedQuery: DirectedQuery) {
  const known = new Map<string, number>();
  return (end: number, earliest: number, rides: number): number => {
    const key = `${end} ${rides}`;
    const begin = known.get(key) ?? findBeginning(directedQuery, end, earliest, rides);
    known.set(key, begin);
    return begin >= earliest ? begin : Number.POSITIVE_INFINITY;
  };
}

/** Returns the latest begin that reaches an end with a number of rides; `Infinity` if that is before `earliest`. */
function findBeginning({ sign, scopeAgainst }: DirectedQuery, end: number, earliest: number, rides: number): number {
  const against = sign > 0 ? -1 : 1;
  const scope = scopeAgainst(spanOn(against, -end));
  const base = against * scope.task.raptorRoutes.base;
  const latest = -earliest + 1;
  const task = limitRides(scope.task, rides);
  const begin = findEnds({ ...scope, task }, -end - base, latest - base, rides)[rides]! + base;
  return begin < latest ? -begin : Number.POSITIVE_INFINITY;
}

function findEndsFrom({ sign, scopeOf }: DirectedQuery, time: number, latest: number): number[] {
  const scope = scopeOf(spanOn(sign, time));
  const base = sign * scope.task.raptorRoutes.base;
  const ends = findEnds(scope, time - base, latest - base);
  return Array.from(ends, (end) => (end + base < latest ? end + base : Number.POSITIVE_INFINITY));
}

// ---- Windows -----------------------------------------------------------------------------------

function spanBefore(sign: Sign, end: number): number {
  return sign > 0 ? Math.ceil(end / SPAN_SECONDS) - 1 : Math.floor(-end / SPAN_SECONDS);
}

function endOfSpan(sign: Sign, span: number): number {
  return (sign > 0 ? span + 1 : -span) * SPAN_SECONDS;
}

function beginOfSpan(sign: Sign, span: number): number {
  return (sign > 0 ? span : -(span + 1)) * SPAN_SECONDS;
}

/** Long itineraries are usually less frequent, and each window costs one search of everything after it. */
function chooseWidth({ scopeOf }: DirectedQuery, span: number): number {
  const { task, entries } = scopeOf(span);
  return Math.min(Math.max(measureMinSeconds(task, entries), FIRST_WINDOW_SECONDS), LONGEST_WINDOW_SECONDS);
}

/**
 * Returns the width in which the choices still wanted are expected, as frequent as those taken so far; at most twice
 * that of the previous window. @param searched width of all windows so far
 */
function chooseNextWidth(width: number, searched: number, { wanted, taken }: Readonly<ListProgress>): number {
  const expected = taken === 0 ? 2 * width : (SPARE_WIDTH * searched * (wanted - taken)) / taken;
  return Math.min(2 * width, Math.max(expected, SHORTEST_WINDOW_SECONDS), LONGEST_WINDOW_SECONDS);
}

/** Choices are not evenly distributed, and a further window costs more than a longer one. */
const SPARE_WIDTH = 1.2;

function collect(directedQuery: DirectedQuery, span: number, begin: number, end: number, mayGiveUp: boolean) {
  const { request, sign, scopeOf, scopeAgainst, ridesAgainst, walk } = directedQuery;
  const scope = scopeOf(span);
  const base = sign * scope.task.raptorRoutes.base;
  const opposite = {
    isWorthwhile: request.planner.isOppositeWorthwhile,
    rides: () => ridesAgainst(span),
    profile: () => ({ ...scopeAgainst(span), search: request.planner.getOppositeSearch() }),
  };
  // See `isWorthRiding`.
  const needsShortest = walk !== null;
  const collected = collectItineraries(scope, begin - base, end - base, { mayGiveUp, needsShortest, opposite });
  const toReal = (ends: Int32Array) => Array.from(ends, (one) => (one < NEVER ? one + base : Number.POSITIVE_INFINITY));
  const worthRiding = collected.itineraries?.filter((itinerary) => isWorthRiding(directedQuery, itinerary));
  return {
    choices: worthRiding?.map((itinerary) => toChoice(directedQuery, itinerary)) ?? null,
    endsAfterWindow: toReal(collected.endsAfterWindow),
    endsFromWindow: toReal(collected.endsFromWindow),
  };
}
