import type { RecordProblem } from '../../model/problem.ts';
import type {
  AlertEntity,
  AlertLine,
  AlertReport,
  CallReport,
  StopName,
  TripName,
  TripReport,
  VehicleReport,
} from '../../model/realtime.ts';
import { type EpochDay, type Instant, SECONDS_PER_DAY, toEpochDay } from '../../model/service-time.ts';
import type { TimetableSnapshot } from '../../snapshots/timetable-contract.ts';
import { getShownTrip, type TripOfDay } from '../../snapshots/timetable-lookups.ts';
import { linkCalls, placeCalls } from './call-positions.ts';
import { alignDuplicate } from './duplicates.ts';
import { findLine, hasOperator, hasProduct, prefer } from './lines.ts';
import {
  type AlertMatch,
  isFoundById,
  type MatchContext,
  type MatchedEntity,
  type TripMatch,
  type VehicleMatch,
} from './match-result.ts';
import { findDatedTrip, matchTrip } from './match-trip.ts';
import { rememberNames } from './place-names.ts';
import { openStopLinks, type StopLink, type StopLookups } from './stop-links.ts';
import { indexTimetable, isInForceOn, listFeeds, listSources, routeOfTrip, sourceOfTrip } from './timetable-index.ts';
import { buildTripQuery, type FindResolved, type FoundTrip, isFound, type MatchingIndexes } from './trip-query.ts';

/** Where an alert applies and what it names, as far as the timetable has it. */
function matchAlert(indexes: MatchingIndexes, report: AlertReport, context: MatchContext): AlertMatch {
  const sources = listSources(indexes.index, context.timetableSource);
  // What an alert says of a line applies on the days of every version.
  const feeds = listFeeds(indexes.index, context.timetableSource);
  const places: Places = {
    routes: report.lines.map((line) => feeds.flatMap((feed) => listRoutes(indexes, line, feed))),
    stops: report.stops.map((stop) => sources.flatMap((source) => indexes.links.find(stop, source)?.stops ?? [])),
    trips: report.trips.map((trip) => {
      const match = matchTrip(indexes, { trip, calls: [], relationship: 'scheduled' }, context);
      return match.kind === 'dated' ? [{ trip: match.trip, day: match.day }] : [];
    }),
  };
  return {
    entities: report.entities.map((entity) => matchEntity(report, entity, places)),
    operatorNames: listOperators(indexes, report, sources),
    stopNames: listNames(indexes, report.stops, places.stops),
    lines: describeLines(indexes, report.lines, places.routes),
    unmatchedCount: Object.values(places)
      .flat()
      .filter((rows) => rows.length === 0).length,
  };
}

/** By index in the alert's lists. */
interface Places {
  readonly routes: readonly (readonly number[])[];
  readonly stops: readonly (readonly number[])[];
  readonly trips: readonly (readonly { readonly trip: number; readonly day: EpochDay }[])[];
}

/**
 * A publisher with internal stop numbers limits a line to them. Where none of these can be matched, the alert applies
 * to the whole line rather than nowhere, unless it is about access, which never concerns a whole line.
 */
function matchEntity(report: AlertReport, entity: AlertEntity, places: Places): MatchedEntity {
  const { lines, trips, directionId } = entity;
  const stops = sortedOnce(entity.stops.flatMap((i) => places.stops[i]!));
  const isForeign = entity.stops.every((i) => report.stops[i]!.idSpace !== 'gtfs');
  const isUnplaced = stops.length === 0 && isForeign && lines.length > 0 && !report.isAccess;
  return {
    routes: lines.length === 0 ? null : sortedOnce(lines.flatMap((i) => places.routes[i]!)),
    directionId,
    stops: entity.stops.length === 0 || isUnplaced ? null : stops,
    trips: trips.length === 0 ? null : trips.flatMap((i) => places.trips[i]!),
  };
}

/** @returns the publisher's own, else the names of the agencies of which all lines are meant */
function listOperators(indexes: MatchingIndexes, report: AlertReport, sources: readonly number[]): string[] {
  if (report.operatorName !== null) return [report.operatorName];
  const named = new Set(report.entities.flatMap(({ lines }) => lines));
  const names = report.lines.flatMap((line, i) => {
    if (!named.has(i) || line.routeId !== null || line.label !== null) return [];
    return line.operatorName ?? findAgencyName(indexes, line.agencyId, sources) ?? [];
  });
  return [...new Set(names)];
}

function findAgencyName(
  { index }: MatchingIndexes,
  agencyId: string | null,
  sources: readonly number[],
): string | null {
  if (agencyId === null) return null;
  const { agencies } = index.tables;
  const row = [...agencies.source.keys()].find(
    (agency) => sources.includes(agencies.source[agency]!) && agencies.agencyId.get(agency) === agencyId,
  );
  return row === undefined ? null : agencies.name.get(row);
}

/** By id or label; for an operator alone all of its lines. */
function listRoutes(indexes: MatchingIndexes, line: AlertLine, feed: number): readonly number[] {
  const { routes } = indexes.index.tables;
  if (line.routeId !== null || line.label !== null) {
    const named = [...(findLine(indexes.index, { routeId: line.routeId, lineLabel: line.label }, feed)?.routes ?? [])];
    const isOperatorNamed = line.agencyId !== null || line.operatorName !== null;
    return isOperatorNamed ? named.filter((route) => isOfOperator(indexes, line, route)) : named;
  }
  if (line.agencyId === null && line.operatorName === null) return [];
  return [...routes.feed.keys()].filter((route) => routes.feed[route] === feed && isOfOperator(indexes, line, route));
}

/** An agency id is certain; an agency name may be written in many ways. */
function isOfOperator(
  { index, names }: MatchingIndexes,
  { agencyId, operatorName }: AlertLine,
  route: number,
): boolean {
  const { routes, agencies } = index.tables;
  const agency = routes.agency[route]!;
  if (agencyId !== null && agency >= 0) return agencies.agencyId.get(agency) === agencyId;
  return hasOperator(index, names, route, operatorName);
}

function listNames(
  { index }: MatchingIndexes,
  named: readonly StopName[],
  rows: readonly (readonly number[])[],
): string[] {
  const { stops } = index.tables;
  const names = named.map((stop, i) => stop.name ?? (rows[i]!.length > 0 ? stops.name.get(rows[i]![0]!) : null));
  return [...new Set(names.filter((name) => name !== null))];
}

/** Labels as reported, else as in the timetable; all lines of an operator are not listed one by one. */
function describeLines(
  { index }: MatchingIndexes,
  lines: readonly AlertLine[],
  routesByLine: readonly (readonly number[])[],
): AlertMatch['lines'] {
  const { routes, agencies } = index.tables;
  const described = new Map<string, AlertMatch['lines'][number]>();
  for (const [i, line] of lines.entries()) {
    const route = routesByLine[i]![0] ?? -1;
    const label = line.label ?? (line.routeId !== null && route >= 0 ? routes.label.get(route) : null);
    if (label === null) continue;
    const agency = route < 0 ? -1 : routes.agency[route]!;
    const operatorName = line.operatorName ?? (agency < 0 ? null : agencies.name.get(agency));
    described.set(JSON.stringify([label, operatorName, line.region]), { label, operatorName, region: line.region });
  }
  return [...described.values()];
}

function sortedOnce(rows: readonly number[]): number[] {
  return [...new Set(rows)].sort((a, b) => a - b);
}

/**
 * Matches the dated trip of a vehicle and the call that it reports, or only the line where no more is certain. The trip
 * is looked up by its descriptor alone, and without a date on the day nearest to when the vehicle was seen.
 */
function matchVehicle(indexes: MatchingIndexes, report: VehicleReport, context: MatchContext): VehicleMatch {
  const { trip } = report;
  if (!trip) return { kind: 'unmatched', reason: 'unknown_trip' };
  const seen = { ...context, now: report.recordedAt ?? context.now };
  const search = findDatedTrip(indexes, buildTripQuery(indexes, { trip, calls: [], relationship: 'scheduled' }, seen));
  if (isFound(search)) {
    const position = findPosition(indexes, report, search, seen.now);
    return { kind: 'dated', how: search.how, ...showPlace(indexes, search, position) };
  }
  const { idleTrip, reason } = search;
  const route = idleTrip === null ? findRoute(indexes, trip, context) : routeOfTrip(indexes.index.tables, idleTrip);
  return route === null ? { kind: 'unmatched', reason } : { kind: 'route', route, trip: idleTrip, reason };
}

/** A vehicle on a duplicate serves the trip that is shown. */
function showPlace(
  { index }: MatchingIndexes,
  { trip, day }: FoundTrip,
  position: number,
): TripOfDay<EpochDay> & { readonly route: number; readonly position: number } {
  const shown = getShownTrip(index.tables, trip, day);
  const route = routeOfTrip(index.tables, shown.trip);
  if (shown.trip === trip || position < 0) return { ...shown, route, position };
  return { ...shown, route, position: alignDuplicate(index, shown, { trip, day })[position]! };
}

function findPosition(
  { index, links }: MatchingIndexes,
  { stop, stopSequence }: VehicleReport,
  { trip, day, how }: FoundTrip,
  now: Instant,
): number {
  if (stop === null && stopSequence === null) return -1;
  const calls: CallReport[] = [
    {
      stopSequence,
      stop,
      arrival: null,
      // Of several visits of a stop, the one nearest to when the vehicle was seen.
      departure: { scheduledTime: null, time: now, delaySeconds: null, isMeasured: false },
      state: 'normal',
      scheduledPlatform: null,
      platform: null,
      cancelledEvent: null,
      assignedStopId: null,
    },
  ];
  const linked = linkCalls(links, calls, sourceOfTrip(index.tables, trip));
  return placeCalls(index, { trip, day, now, isOtherTrip: !isFoundById(how) }, calls, linked).positions[0]!;
}

/** @returns row of routes; null when none matches, or more than one */
function findRoute(
  { index, names }: MatchingIndexes,
  trip: TripName,
  { timetableSource, now }: MatchContext,
): number | null {
  // Without a reported day, today by UTC: near midnight this may select the other of two versions.
  const day = trip.startDate === null ? Math.floor(now / SECONDS_PER_DAY) : toEpochDay(trip.startDate);
  const feeds = listFeeds(index, timetableSource).filter((feed) => isInForceOn(index, feed, day));
  const routes = feeds.flatMap((feed) => [...(findLine(index, trip, feed)?.routes ?? [])]);
  const ofProduct = prefer(routes, (route) => hasProduct(index, route, trip.product));
  const ofOperator = prefer(ofProduct, (route) => hasOperator(index, names, route, trip.operatorName));
  return ofOperator.length === 1 ? ofOperator[0]! : null;
}

/** Matches reports against one timetable snapshot. It never guesses: an uncertain match is reported with its reason. */
export interface Matcher {
  matchTrip(report: TripReport, context: MatchContext): TripMatch;
  matchVehicle(report: VehicleReport, context: MatchContext): VehicleMatch;
  matchAlert(report: AlertReport, context: MatchContext): AlertMatch;
  /** @returns row of stops, the nearest one where a stop is several poles; null when unknown */
  matchStop(stop: StopName, context: MatchContext): number | null;
  /** Rows of the calls' stops, for trips that are not in the timetable; -1 when unknown. */
  matchStops(calls: readonly CallReport[], context: MatchContext): Int32Array;
  /** @returns row of routes; null when unknown or ambiguous */
  matchRoute(trip: TripName, context: MatchContext): number | null;
  /** As `matchStop`, with all rows and the reason. */
  findStopLink(stop: StopName, context: MatchContext): StopLink | null;
  /** A matcher for a source whose trip ids have been resolved by its own reports. */
  withResolved(findResolved: FindResolved): Matcher;
  /** Overrides that do not fit this timetable. */
  readonly problems: readonly RecordProblem[];
}

/**
 * Opens the matcher of a timetable snapshot. It caches parsed names and stop links, but nothing of the reports: the
 * same report gives the same match.
 */
export function openMatcher({ tables }: Pick<TimetableSnapshot, 'tables'>, lookups: StopLookups): Matcher {
  const index = indexTimetable(tables);
  const names = rememberNames();
  const links = openStopLinks(index, names, lookups);
  return matchIn({ index, names, links, findResolved: () => null });
}

function matchIn(indexes: MatchingIndexes): Matcher {
  const { index, links } = indexes;
  const findStopLink = (stop: StopName, { timetableSource }: MatchContext) => {
    for (const source of listSources(index, timetableSource)) {
      const link = links.find(stop, source);
      if (link) return link;
    }
    return null;
  };
  return {
    matchTrip: (report, context) => matchTrip(indexes, report, context),
    matchVehicle: (report, context) => matchVehicle(indexes, report, context),
    matchAlert: (report, context) => matchAlert(indexes, report, context),
    matchStop: (stop, context) => findStopLink(stop, context)?.stops[0] ?? null,
    matchStops: (calls, context) =>
      Int32Array.from(calls, ({ stop }) => (stop === null ? -1 : (findStopLink(stop, context)?.stops[0] ?? -1))),
    matchRoute: (trip, context) => findRoute(indexes, trip, context),
    findStopLink,
    withResolved: (findResolved) => matchIn({ ...indexes, findResolved }),
    problems: links.problems,
  };
}
