import type { Instant } from '../../../pipeline/model/service-time.ts';
import { walkSeconds } from '../../../pipeline/model/walking.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary, PlanQuery, Walk } from './itinerary.ts';
import { SPAN_SECONDS } from './lanes.ts';
import { beats, endBefore, minuteOf, roundDown, roundUp, secondsOf } from './pareto.ts';
import {
  type Collected,
  collectItineraries,
  findEnds,
  LONGEST_JOURNEY_SECONDS,
  measureMinSeconds,
  PAGE_SPAN_SECONDS,
  type ProfileScope,
} from './profile.ts';
import { type Asked, openScopes } from './scope.ts';
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

// For a query by departure, itineraries are ordered by departure, then arrival; by arrival, the other way round, back
// in time. Both are one order with signed times: `begin` is the departure or minus the arrival, `end` the other one. No
// two itineraries that are not beaten have both in common. Dominance is decided within a minute and against later ones
// (see pareto.ts), so no search begins or ends within a minute.

/** An itinerary and its signed times, seconds since 1970. */
export interface Found {
  readonly begin: number;
  readonly end: number;
  readonly itinerary: Itinerary;
}

type Place = Pick<Found, 'begin' | 'end'>;

/** A query, the direction of its search, and its scopes by span of lanes: in that direction, and against it. */
export interface Searched {
  readonly asked: Asked;
  readonly sign: Sign;
  /** The requested time, signed. */
  readonly time: number;
  /** The direct walk from then on; null where there is none, or where a ride beats it. */
  readonly walk: Found | null;
  readonly scopeOf: (span: number) => ProfileScope;
  readonly scopeAgainst: (span: number) => ProfileScope;
}

export interface Looked {
  readonly shown: readonly Found[];
  /** Signed; between there and the begin of the search there are no itineraries but those shown. */
  readonly lookedTo: number;
}

const SHORTEST_WINDOW_SECONDS = 1800;
const LONGEST_WINDOW_SECONDS = 4 * 3600;

/** @param hasWalk whether the direct walk is beaten by none, where that is known */
export function openSearched(asked: Asked, hasWalk: boolean | null): Searched {
  const sign = asked.query.timeMode === 'departure' ? 1 : -1;
  const [scopeOf, scopeAgainst] = [openScopes(asked, sign), openScopes(asked, sign > 0 ? -1 : 1)];
  const riding = { asked, sign, time: sign * asked.query.time, walk: null, scopeOf, scopeAgainst } as const;
  const direct = hasWalk === false ? null : walkDirectly(asked.query);
  if (direct === null || (hasWalk === null && isWalkBeaten(riding, place(sign, direct)))) return riding;
  return { ...riding, walk: place(sign, direct) };
}

export function place(sign: Sign, itinerary: Itinerary): Found {
  const { departure, arrival } = itinerary;
  return sign > 0 ? { begin: departure, end: arrival, itinerary } : { begin: -arrival, end: -departure, itinerary };
}

export function compare(a: Place, b: Place): number {
  return a.begin - b.begin || a.end - b.end;
}

/** The first `wanted` itineraries from a signed time on, or after the last one shown. */
export function searchOn(searched: Searched, time: number, beyond: Place | null, wanted: number): Looked {
  const from = beyond === null ? time : minuteOf(searched.time, beyond.begin).from;
  // With nothing wanted the next page begins here.
  const lookedTo = wanted === 0 ? from : roundUp(from + PAGE_SPAN_SECONDS);
  const found: Found[] = [];
  const take = (inside: readonly Found[]) => {
    found.push(...inside.filter((one) => beyond === null || compare(one, beyond) > 0));
  };
  let width = chooseWidth(searched, spanOn(searched.sign, from));
  for (let begin = from; begin < lookedTo && found.length < wanted; ) {
    const span = spanOn(searched.sign, begin);
    const end = Math.min(roundDown(begin + width), lookedTo, endOfSpan(searched.sign, span));
    const { inside } = collect(searched, span, begin, end, true);
    if (inside === null) {
      stepOn(searched, begin, lookedTo, () => found.length < wanted, take);
      break;
    }
    take(inside);
    begin = end;
    width = Math.min(width * 2, LONGEST_WINDOW_SECONDS);
  }
  return { shown: found.sort(compare).slice(0, wanted), lookedTo };
}

/** The last `wanted` itineraries before a signed time, or before the first one shown. */
export function searchBack(searched: Searched, time: number, beyond: Place | null, wanted: number): Looked {
  const to = beyond === null ? time : minuteOf(searched.time, beyond.begin).to;
  const lookedTo = roundDown(to - PAGE_SPAN_SECONDS);
  const found: Found[] = [];
  const take = (inside: readonly Found[]) => {
    found.push(...inside.filter((one) => beyond === null || compare(one, beyond) < 0));
  };
  let width = chooseWidth(searched, spanBefore(searched.sign, to));
  for (let end = to; end > lookedTo && found.length < wanted; ) {
    const span = spanBefore(searched.sign, end);
    const begin = Math.max(roundUp(end - width), lookedTo, beginOfSpan(searched.sign, span));
    const { inside, endsBehind } = collect(searched, span, begin, end, true);
    if (inside === null) {
      stepBack(searched, end, endsBehind, lookedTo, () => found.length < wanted, take);
      break;
    }
    take(inside);
    end = begin;
    width = Math.min(width * 2, LONGEST_WINDOW_SECONDS);
  }
  return { shown: found.sort(compare).slice(-wanted), lookedTo };
}

/** Whether a ride beats the walk from the requested time on: one without transfer, then. */
function isWalkBeaten(searched: Searched, walk: Found): boolean {
  const { asked, sign, time } = searched;
  const minute = minuteOf(time, time);
  const end = roundUp(walk.end);
  const [, first] = findEndsFrom(searched, time, end + 1);
  if (first! > end) return false;
  // In an earlier minute than the walk, or from a later begin in the same minute.
  if (roundUp(first!) < end || findEndsFrom(searched, minute.to, end + 1)[1]! <= end) return true;
  const { inside } = collect(searched, spanOn(sign, time), minute.from, minute.to, false);
  return inside!.some(({ itinerary }) => beats(asked.query, itinerary, walk.itinerary));
}

/** With the direct walk in the answer, rides of the same duration are dropped, as are those that it beats. */
function isWorthRiding({ asked, walk }: Searched, itinerary: Itinerary): boolean {
  if (walk === null) return true;
  return secondsOf(itinerary) < secondsOf(walk.itinerary) && !beats(asked.query, walk.itinerary, itinerary);
}

// ---- From one to the next ----------------------------------------------------------------------

// In sparse service, most departures are of no use before the next day. There the next itinerary is found by its end:
// the earliest possible end, and the latest begin that reaches it. All earlier begins are beaten by it.

/** Steps through the minutes with a begin, from a signed time on. */
function stepOn(
  searched: Searched,
  from: number,
  to: number,
  isWanted: () => boolean,
  take: (inside: readonly Found[]) => void,
): void {
  let ends = findEndsFrom(searched, from, from + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS);
  for (let begin = from; isWanted(); ) {
    const next = Math.min(...listEnds(ends).map(({ end, rides }) => findBeginning(searched, end, begin, rides)));
    if (next >= to) return;
    const minute = minuteOf(searched.time, next);
    const { inside, endsBehind } = collect(searched, spanOn(searched.sign, next), minute.from, minute.to, false);
    take(inside!);
    begin = minute.to;
    ends = endsBehind;
  }
}

/** Steps back through these minutes, before a signed time. @param ends arrivals for begins then or later */
function stepBack(
  searched: Searched,
  to: number,
  ends: readonly number[],
  from: number,
  isWanted: () => boolean,
  take: (inside: readonly Found[]) => void,
): void {
  let known = ends;
  for (let end = to; isWanted(); ) {
    // An earlier begin has to end in an earlier minute.
    const sooner = known.map((one) => Math.min(endBefore(one), end + LONGEST_JOURNEY_SECONDS - 1));
    const beginnings = listEnds(sooner).map((one) => findBeginning(searched, one.end, from, one.maxRides));
    const next = Math.max(...beginnings.filter((begin) => begin < end));
    if (next < from) return;
    const minute = minuteOf(searched.time, next);
    const { inside, endsFrom } = collect(searched, spanOn(searched.sign, next), minute.from, minute.to, false);
    take(inside!);
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

/** The span of a begin at a signed time; at a border, the next one in the direction of search. */
function spanOn(sign: Sign, begin: number): number {
  return sign > 0 ? Math.floor(begin / SPAN_SECONDS) : Math.ceil(-begin / SPAN_SECONDS) - 1;
}

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
    inside: worthRiding?.map((itinerary) => place(sign, itinerary)) ?? null,
    endsBehind: toReal(collected.endsBehind),
    endsFrom: toReal(collected.endsFrom),
  };
}
