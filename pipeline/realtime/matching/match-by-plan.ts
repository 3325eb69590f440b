import { partitionPoint } from '../../model/binary-search.ts';
import { type EpochDay, SECONDS_PER_DAY } from '../../model/service-time.ts';
import { runsOn } from '../../snapshots/timetable-lookups.ts';
import { type LinkedCalls, type PlannedTime, plannedTime } from './call-positions.ts';
import { mergeDuplicates } from './duplicates.ts';
import { findLine, hasOperator, hasProduct, type LineRoutes, prefer } from './lines.ts';
import type { MatchedBy } from './match-result.ts';
import { isSameName, isSimilarName, type PlaceName, type PlaceNames } from './place-names.ts';
import { callCountOf, membersOf, routeOfTrip, stopAt, type TimetableIndex, timeRow } from './timetable-index.ts';
import {
  type Agreement,
  compareCalls,
  MAX_PLAN_DIFFERENCE_SECONDS,
  type MatchingIndexes,
  type MissedTrip,
  missed,
  type TripQuery,
  type TripSearchResult,
} from './trip-query.ts';

/**
 * How well a reported destination fits a trip at one of its calls.
 * - `destination`: the headsign there, or the last stop
 * - `likeDestination`: a similar name
 * - `onTheWay`: a later stop: the trip is cut short, or the publisher reports a stop on the way
 * - `unknown`: no destination is reported, or the name is not known
 * - `against`: an earlier stop
 */
const directionRanks = { against: 0, unknown: 1, onTheWay: 2, likeDestination: 3, destination: 4 } as const;

function rankDirection(
  { tables }: TimetableIndex,
  names: PlaceNames,
  headsign: string | null,
  trip: number,
  position: number,
): number {
  if (headsign === null) return directionRanks.unknown;
  const reported = names.get(headsign);
  const nameAt = (at: number) => names.get(tables.stops.publishedName.get(stopAt(tables, trip, at)));
  const last = callCountOf(tables, trip) - 1;
  const destinations = [...listSigns(tables, trip, position).map(names.get), nameAt(last)];
  if (destinations.some((name) => isSameName(reported, name))) return directionRanks.destination;
  if (destinations.some((name) => isSimilarName(reported, name))) return directionRanks.likeDestination;
  if (hasName(reported, nameAt, position + 1, last)) return directionRanks.onTheWay;
  return hasName(reported, nameAt, 0, position) ? directionRanks.against : directionRanks.unknown;
}

/** Headsigns at the call: that of the call, and that of the trip. */
function listSigns({ trips, patterns, patternCalls, texts }: TimetableIndex['tables'], trip: number, position: number) {
  const ofCall = patternCalls.headsign[patterns.firstCall[trips.pattern[trip]!]! + position]!;
  return [ofCall, trips.headsign[trip]!].filter((text) => text >= 0).map((text) => texts.text.get(text));
}

function hasName(reported: PlaceName, nameAt: (position: number) => PlaceName, from: number, to: number): boolean {
  for (let position = from; position <= to; position++) if (isSameName(reported, nameAt(position))) return true;
  return false;
}

/** Whether all trips of a line continue from these stops to the same station: then no destination is needed. */
function isOneWay({ tables }: TimetableIndex, routes: ReadonlySet<number>, stopsOfCall: Iterable<number>): boolean {
  const { stops, stopCalls, patterns, patternCalls } = tables;
  const next = new Set<number>();
  for (const stop of stopsOfCall) {
    const first = stops.firstStopCall[stop]!;
    for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      const position = stopCalls.position[i]!;
      if (!routes.has(patterns.route[pattern]!) || position === patterns.callCount[pattern]! - 1) continue;
      next.add(stops.station[patternCalls.stop[patterns.firstCall[pattern]! + position + 1]!]!);
    }
  }
  return next.size <= 1;
}

/** A dated trip that may be the one searched. */
interface Candidate {
  readonly trip: number;
  readonly day: EpochDay;
  /** Position of the call by which it was found. */
  readonly position: number;
}

/** The call by which candidates are found: the first at a known stop with a planned time. */
interface Anchor extends LineRoutes {
  readonly linked: LinkedCalls;
  readonly planned: PlannedTime;
  /** The stops that the publisher names, with a station's platforms. */
  readonly callStops: readonly number[];
  /** The same, and all other stops of the station. */
  readonly stationStops: readonly number[];
}

/** Exact, within rounding to minutes, within the difference between plans; tried in this order. */
const tolerances: readonly { readonly seconds: number; readonly how: MatchedBy }[] = [
  { seconds: 0, how: 'stop_line_time' },
  { seconds: 59, how: 'stop_line_time' },
  { seconds: MAX_PLAN_DIFFERENCE_SECONDS, how: 'stop_line_near_time' },
];

/**
 * Matches a trip of which only line, destination and the planned time at one or more stops are known. The first
 * tolerance with candidates decides: there must be one dated trip, in a certain direction.
 */
export function findByPlan(indexes: MatchingIndexes, query: TripQuery): TripSearchResult {
  const anchors: Anchor[] = [];
  let miss = missed('unknown_line');
  for (const place of query.places) {
    const anchor = findAnchor(indexes.index, query, place);
    if ('reason' in anchor) miss = miss.reason === 'unknown_line' ? anchor : miss;
    else anchors.push(anchor);
  }
  if (anchors.length === 0) return miss;
  for (const { seconds, how } of tolerances) {
    const fits = anchors.map((anchor) => listFitting(indexes, query, anchor, seconds));
    const candidates = mergeDuplicates(
      indexes.index,
      fits.flatMap(({ candidates }) => candidates),
    );
    if (candidates.length === 1) return { trip: candidates[0]!.trip, day: candidates[0]!.day, how };
    if (candidates.length > 1) return missed('ambiguous');
    if (fits.some(({ isUnsure }) => isUnsure)) return missed('unknown_direction');
  }
  return missed('no_candidate');
}

function findAnchor(
  index: TimetableIndex,
  { trip, calls }: TripQuery,
  { feed, linked }: TripQuery['places'][number],
): Anchor | MissedTrip {
  const line = findLine(index, trip, feed);
  if (!line) return missed('unknown_line');
  let reason: 'no_planned_time' | 'unknown_stop' = 'no_planned_time';
  for (const [i, call] of calls.entries()) {
    const planned = plannedTime(call);
    if (planned === null || call.state === 'unplanned') continue;
    reason = 'unknown_stop';
    const stops = linked[i] ?? [];
    if (stops.length === 0) continue;
    const members = (rows: readonly number[]) => [...new Set(rows.flatMap((row) => [...membersOf(index.tables, row)]))];
    const stations = stops.map((row) => index.tables.stops.station[row]!);
    return { ...line, linked, planned, callStops: members(stops), stationStops: members([...stops, ...stations]) };
  }
  return missed(reason);
}

/** Candidates within a tolerance whose other calls and direction agree. */
function listFitting(
  indexes: MatchingIndexes,
  query: TripQuery,
  anchor: Anchor,
  seconds: number,
): { readonly candidates: readonly Candidate[]; readonly isUnsure: boolean } {
  const { index } = indexes;
  for (const stops of [anchor.callStops, anchor.stationStops]) {
    const agreeing = listCandidates(index, anchor, stops, seconds).flatMap((candidate) => {
      const placed = { trip: candidate.trip, day: candidate.day, now: query.now, isOtherTrip: true };
      const agreement = compareCalls(index, placed, query.calls, anchor.linked);
      return isAgreeing(agreement) && hasNumber(index, candidate.trip, anchor) ? [{ candidate, agreement }] : [];
    });
    const directed = chooseDirection(indexes, query, agreeing);
    if (directed.length === 0) continue;
    const isSure = (rank: number, agreement: Agreement) =>
      rank > directionRanks.unknown || agreement.agreeing > 1 || isOneWay(index, anchor.routes, stops);
    const sure = directed.filter(({ rank, agreement }) => isSure(rank, agreement)).map(({ candidate }) => candidate);
    return { candidates: breakTie(indexes, query, sure), isUnsure: sure.length === 0 };
  }
  return { candidates: [], isUnsure: false };
}

/** A stop that the trip does not serve may be a wrong link where others agree; a wrong time means another trip. */
function isAgreeing({ agreeing, disagreeing, absent }: Agreement): boolean {
  return agreeing > 0 && disagreeing === 0 && (absent === 0 || agreeing > absent);
}

function hasNumber({ tables }: TimetableIndex, trip: number, { trainNumber }: Anchor): boolean {
  const shortName = tables.trips.shortName[trip]!;
  if (trainNumber === null || shortName < 0) return true;
  const numbers = tables.texts.text.get(shortName).match(/\d+/g);
  return numbers === null || numbers.some((number) => Number(number) === Number(trainNumber));
}

function chooseDirection<Item extends { readonly candidate: Candidate }>(
  { index, names }: MatchingIndexes,
  { trip, isForeign }: TripQuery,
  items: readonly Item[],
): (Item & { readonly rank: number })[] {
  const { direction } = index.tables.trips;
  const ranked = items
    // Other publishers number directions differently.
    .filter(
      ({ candidate }) => isForeign || trip.directionId === null || direction[candidate.trip] !== 1 - trip.directionId,
    )
    .map((item) => ({
      ...item,
      rank: rankDirection(index, names, trip.headsign, item.candidate.trip, item.candidate.position),
    }));
  const best = Math.max(...ranked.map(({ rank }) => rank));
  return best === directionRanks.against ? [] : ranked.filter(({ rank }) => rank === best);
}

function breakTie(
  { index, names }: MatchingIndexes,
  { trip: { product, operatorName } }: TripQuery,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const route = ({ trip }: Candidate) => routeOfTrip(index.tables, trip);
  const ofProduct = prefer(candidates, (candidate) => hasProduct(index, route(candidate), product));
  return prefer(ofProduct, (candidate) => hasOperator(index, names, route(candidate), operatorName));
}

/** Dated trips of the line that call at one of the stops around the planned time. */
function listCandidates(
  index: TimetableIndex,
  anchor: Anchor,
  callStops: readonly number[],
  seconds: number,
): Candidate[] {
  const { stops, stopCalls, patterns } = index.tables;
  const found = new Map<string, Candidate>();
  for (const stop of callStops) {
    const first = stops.firstStopCall[stop]!;
    for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      if (!anchor.routes.has(patterns.route[pattern]!)) continue;
      for (const candidate of listAt(index, pattern, stopCalls.position[i]!, anchor.planned, seconds)) {
        found.set(`${candidate.trip} ${candidate.day}`, candidate);
      }
    }
  }
  return [...found.values()];
}

/** Dated trips of a pattern whose planned time at a position is within some seconds of an instant. */
function listAt(
  { tables, zones }: TimetableIndex,
  pattern: number,
  position: number,
  { event, time }: PlannedTime,
  seconds: number,
): Candidate[] {
  const { patterns, trips, times, routes } = tables;
  const firstTrip = patterns.firstTrip[pattern]!;
  const count = patterns.tripCount[pattern]!;
  // The last call has no departure, the first no arrival.
  if (position === (event === 'departure' ? patterns.callCount[pattern]! - 1 : 0)) return [];
  const at = (i: number) => times[event][timeRow(tables, firstTrip + i, position)]!;
  const zone = zones[routes.zone[patterns.route[pattern]!]!]!;
  const found: Candidate[] = [];
  const firstDay = Math.floor((time - seconds - at(count - 1)) / SECONDS_PER_DAY);
  const lastDay = Math.floor((time + seconds - at(0)) / SECONDS_PER_DAY) + 1;
  for (let day = firstDay; day <= lastDay; day++) {
    const serviceTime = time - zone.startOf(day);
    const from = partitionPoint(0, count, (k) => at(k) < serviceTime - seconds);
    for (let i = from; i < count && at(i) <= serviceTime + seconds; i++) {
      if (!runsOn(tables, trips.publishedService[firstTrip + i]!, day)) continue;
      found.push({ trip: firstTrip + i, day: day as EpochDay, position });
    }
  }
  return found;
}
