import type { Instant } from '../../../pipeline/model/service-time.ts';
import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { EstimateRides } from '../predictions/ride-estimates.ts';
import { chooseEqual } from './choose-equal.ts';
import { sumMeters } from './equal-ways.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary, PlanQuery, Walk } from './itinerary.ts';
import { SPAN_SECONDS } from './lanes.ts';
import { beats, compareEqual, endBefore, isEqual, minuteOf, roundDown, roundUp, secondsOf } from './pareto.ts';
import {
  type Collected,
  collectItineraries,
  findEnds,
  LONGEST_JOURNEY_SECONDS,
  measureMinSeconds,
  PAGE_SPAN_SECONDS,
} from './profile.ts';
import { type Asked, openRideScopes, openScopes } from './scope.ts';
import { type Found, place, type Searched, spanOn } from './searched.ts';
import type { Sign } from './side.ts';
import { toStretch } from './trace.ts';

/** Seconds on foot all the way; `NEVER` where a stretch of it is too far. */
export function getDirectSeconds({ stretchMeters, walkSpeedKmh }: PlanQuery): number {
  let seconds = 0;
  for (const meters of stretchMeters) {
    if (meters === null) return NEVER;
    seconds += walkSeconds(meters, walkSpeedKmh);
  }
  return seconds;
}

/** On foot from the requested time on, or until it; null where a stretch of it is too far. */
function walkDirectly(query: PlanQuery): Itinerary | null {
  const seconds = getDirectSeconds(query);
  if (seconds === NEVER) return null;
  const departure = query.timeMode === 'departure' ? query.time : ((query.time - seconds) as Instant);
  const parts: Walk[] = [];
  let now: number = departure;
  query.stretchMeters.forEach((_, first) => {
    const stretch = toStretch(query, first);
    parts.push({ ...stretch, role: 'direct', departure: now as Instant, arrival: (now + stretch.seconds) as Instant });
    now += stretch.seconds;
  });
  return { departure, arrival: now as Instant, transfers: 0, parts };
}

/** What one step of a search has completed: all choices that begin in `[from, to)`, unordered. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly inside: readonly Found[];
  /** Signed, by number of rides: the earliest ends for begins from `to` on. */
  readonly endsBehind: readonly number[];
}

const SHORTEST_WINDOW_SECONDS = 1800;
const LONGEST_WINDOW_SECONDS = 4 * 3600;

/** @param hasWalk whether the direct walk is beaten by none, where that is known */
export function openSearched(asked: Asked, estimate: EstimateRides, hasWalk: boolean | null): Searched {
  const sign = asked.query.timeMode === 'departure' ? 1 : -1;
  const against = sign > 0 ? -1 : 1;
  const [scopeOf, scopeAgainst] = [openScopes(asked, sign), openScopes(asked, against)];
  const ridesAgainst = openRideScopes(asked, against);
  const time = sign * asked.query.time;
  const riding: Searched = { asked, sign, time, walk: null, scopeOf, scopeAgainst, ridesAgainst, estimate };
  const direct = hasWalk === false ? null : walkDirectly(asked.query);
  if (direct === null || (hasWalk === null && isWalkBeaten(riding, place(riding, direct)))) return riding;
  return { ...riding, walk: place(riding, direct) };
}

/** All choices from a signed time on, the border of a minute; step by step, the first ones first. */
export function* goOn(searched: Searched, from: number): Generator<Stretch, void> {
  let width = chooseWidth(searched, spanOn(searched.sign, from));
  for (let begin = from; ; ) {
    const span = spanOn(searched.sign, begin);
    const end = Math.min(roundDown(begin + width), endOfSpan(searched.sign, span));
    const { inside, endsBehind } = collect(searched, span, begin, end, true);
    if (inside === null) {
      begin = yield* stepOn(searched, begin);
    } else {
      yield { from: begin, to: end, inside, endsBehind };
      begin = end;
    }
    width = Math.min(width * 2, LONGEST_WINDOW_SECONDS);
  }
}

/** All choices before a signed time, the border of a minute; step by step, the last ones first. */
export function* goBack(searched: Searched, to: number): Generator<Stretch, void> {
  let width = chooseWidth(searched, spanBefore(searched.sign, to));
  for (let end = to; ; ) {
    const span = spanBefore(searched.sign, end);
    const begin = Math.max(roundUp(end - width), beginOfSpan(searched.sign, span));
    const { inside, endsBehind } = collect(searched, span, begin, end, true);
    if (inside === null) {
      end = yield* stepBack(searched, end, endsBehind);
    } else {
      yield { from: begin, to: end, inside, endsBehind };
      end = begin;
    }
    width = Math.min(width * 2, LONGEST_WINDOW_SECONDS);
  }
}

/** Whether a ride beats the walk from the requested time on, one without transfer, or is the better of two equal ones. */
function isWalkBeaten(searched: Searched, walk: Found): boolean {
  const { asked, sign, time } = searched;
  const minute = minuteOf(time, time);
  const [, first] = findEndsFrom(searched, time, walk.end + 1);
  if (first! > walk.end) return false;
  // In an earlier minute than the walk, or from a later begin in the same minute.
  if (roundUp(first!) < walk.end || findEndsFrom(searched, minute.to, walk.end + 1)[1]! <= walk.end) return true;
  const { inside } = collect(searched, spanOn(sign, time), minute.from, minute.to, false);
  return inside!.some(
    (found) =>
      beats(asked.query, found.itinerary, walk.itinerary) ||
      (isEqual(asked.query, found.itinerary, walk.itinerary) && isBetterThanWalk(searched, found, walk)),
  );
}

function isBetterThanWalk(searched: Searched, ride: Found, walk: Found): boolean {
  const toRank = (itinerary: Itinerary) => ({ ...itinerary, chance: 1, meters: sumMeters(itinerary.parts) });
  return compareEqual(toRank(chooseEqual(searched, ride)), toRank(walk.itinerary)) < 0;
}

/**
 * With the direct walk in the answer, choices are dropped that it beats or equals, and those whose shortest itinerary
 * takes as long.
 */
function isWorthRiding({ asked: { query }, walk }: Searched, itinerary: Itinerary): boolean {
  if (walk === null) return true;
  if (beats(query, walk.itinerary, itinerary) || isEqual(query, walk.itinerary, itinerary)) return false;
  return secondsOf(itinerary) < secondsOf(walk.itinerary);
}

// ---- From one to the next ----------------------------------------------------------------------

// In sparse service, most departures are of no use before the next day. There the next itinerary is found by its end:
// the earliest possible end, and the latest begin that reaches it. All earlier begins are beaten by it.

/** Steps through the minutes with a begin, for the span of a page. @returns where it has ended */
function* stepOn(searched: Searched, from: number): Generator<Stretch, number> {
  const to = roundUp(from + PAGE_SPAN_SECONDS);
  let ends = findEndsFrom(searched, from, from + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS);
  for (let begin = from; ; ) {
    const next = Math.min(...listEnds(ends).map(({ end, rides }) => findBeginning(searched, end, begin, rides)));
    if (next >= to) {
      yield { from: begin, to, inside: [], endsBehind: ends };
      return to;
    }
    const minute = minuteOf(searched.time, next);
    const { inside, endsBehind } = collect(searched, spanOn(searched.sign, next), minute.from, minute.to, false);
    yield { from: begin, to: minute.to, inside: inside!, endsBehind };
    begin = minute.to;
    ends = endsBehind;
  }
}

/** Steps back through these minutes. @param ends arrivals for begins at `to` or later */
function* stepBack(searched: Searched, to: number, ends: readonly number[]): Generator<Stretch, number> {
  const from = roundDown(to - PAGE_SPAN_SECONDS);
  let known = ends;
  for (let end = to; ; ) {
    // An earlier begin has to end in an earlier minute.
    const sooner = known.map((one) => Math.min(endBefore(one), end + LONGEST_JOURNEY_SECONDS - 1));
    const beginnings = listEnds(sooner).map((one) => findBeginning(searched, one.end, from, one.maxRides));
    const next = Math.max(...beginnings.filter((begin) => begin < end));
    if (next < from) {
      yield { from, to: end, inside: [], endsBehind: known };
      return from;
    }
    const minute = minuteOf(searched.time, next);
    const { inside, endsFrom } = collect(searched, spanOn(searched.sign, next), minute.from, minute.to, false);
    yield { from: minute.from, to: end, inside: inside!, endsBehind: known };
    end = minute.from;
    known = endsFrom;
  }
}

/** Different ends, with the fewest and the most rides of each. */
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

/** The latest begin for an end, with so many rides; `Infinity` where that would be before `earliest`. */
function findBeginning({ sign, scopeAgainst }: Searched, end: number, earliest: number, rides: number): number {
  const against = sign > 0 ? -1 : 1;
  const scope = scopeAgainst(spanOn(against, -end));
  const base = against * scope.task.lanes.base;
  const latest = -earliest + 1;
  const begin = findEnds(scope, -end - base, latest - base)[rides]! + base;
  return begin < latest ? -begin : Number.POSITIVE_INFINITY;
}

function findEndsFrom({ sign, scopeOf }: Searched, time: number, latest: number): number[] {
  const scope = scopeOf(spanOn(sign, time));
  const base = sign * scope.task.lanes.base;
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

/** Long journeys are less frequent, as a rule, and each window costs one search of everything after it. */
function chooseWidth({ scopeOf }: Searched, span: number): number {
  const { task, entries } = scopeOf(span);
  return Math.min(Math.max(measureMinSeconds(task, entries), SHORTEST_WINDOW_SECONDS), LONGEST_WINDOW_SECONDS);
}

function collect(searched: Searched, span: number, begin: number, end: number, mayGiveUp: boolean) {
  const { sign, scopeOf } = searched;
  const scope = scopeOf(span);
  const base = sign * scope.task.lanes.base;
  const collected: Collected = collectItineraries(scope, begin - base, end - base, mayGiveUp);
  const toReal = (ends: Int32Array) => Array.from(ends, (one) => (one < NEVER ? one + base : Number.POSITIVE_INFINITY));
  const worthRiding = collected.itineraries?.filter((itinerary) => isWorthRiding(searched, itinerary));
  return {
    inside: worthRiding?.map((itinerary) => place(searched, itinerary)) ?? null,
    endsBehind: toReal(collected.endsBehind),
    endsFrom: toReal(collected.endsFrom),
  };
}
