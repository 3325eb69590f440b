import type { Problem } from '../../model/problem.ts';
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
import type { TimetableSnapshot } from '../../timetable/snapshot/contract.ts';
import { linkCalls, placeCalls } from './call-positions.ts';
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
import { askForTrip, type FindResolved, type FoundTrip, isFound, type MatchingWorld } from './question.ts';
import { openStopLinks, type StopLink, type StopLookups } from './stop-links.ts';
import { countsOn, indexTimetable, listFeeds, listSources, routeOfTrip, sourceOfTrip } from './timetable-index.ts';

/** Where an alert holds, and what it names, as far as the timetable has it. */
export function matchAlert(world: MatchingWorld, report: AlertReport, about: MatchContext): AlertMatch {
  const sources = listSources(world.index, about.timetableSource);
  // What an alert says of a line holds on the days of every version.
  const feeds = listFeeds(world.index, about.timetableSource);
  const places: Places = {
    routes: report.lines.map((line) => feeds.flatMap((feed) => listRoutes(world, line, feed))),
    stops: report.stops.map((stop) => sources.flatMap((source) => world.links.find(stop, source)?.stops ?? [])),
    trips: report.trips.map((trip) => {
      const match = matchTrip(world, { trip, calls: [], relationship: 'scheduled' }, about);
      return match.kind === 'dated' ? [{ trip: match.trip, day: match.day }] : [];
    }),
  };
  return {
    entities: report.entities.map((entity) => matchEntity(report, entity, places)),
    operatorNames: listOperators(world, report, sources),
    stopNames: listNames(world, report.stops, places.stops),
    lines: describeLines(world, report.lines, places.routes),
    unmatchedCount: Object.values(places)
      .flat()
      .filter((rows) => rows.length === 0).length,
  };
}

/** By item of the alert's lists. */
interface Places {
  readonly routes: readonly (readonly number[])[];
  readonly stops: readonly (readonly number[])[];
  readonly trips: readonly (readonly { readonly trip: number; readonly day: EpochDay }[])[];
}

/**
 * A publisher with stop numbers of its own narrows a line down by them. Where none of these can be placed the whole line
 * is meant rather than none of it, unless it is about access, which never concerns a whole line.
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

/** @returns the publisher's own, else the names of the agencies all of whose lines are meant */
function listOperators(world: MatchingWorld, report: AlertReport, sources: readonly number[]): string[] {
  if (report.operatorName !== null) return [report.operatorName];
  const named = new Set(report.entities.flatMap(({ lines }) => lines));
  const names = report.lines.flatMap((line, i) => {
    if (!named.has(i) || line.routeId !== null || line.label !== null) return [];
    return line.operatorName ?? findAgencyName(world, line.agencyId, sources) ?? [];
  });
  return [...new Set(names)];
}

function findAgencyName({ index }: MatchingWorld, agencyId: string | null, sources: readonly number[]): string | null {
  if (agencyId === null) return null;
  const { agencies } = index.tables;
  const row = [...agencies.source.keys()].find(
    (agency) => sources.includes(agencies.source[agency]!) && agencies.agencyId.get(agency) === agencyId,
  );
  return row === undefined ? null : agencies.name.get(row);
}

/** By id or label; by operator alone all of its lines. */
function listRoutes(world: MatchingWorld, line: AlertLine, feed: number): readonly number[] {
  const { routes } = world.index.tables;
  if (line.routeId !== null || line.label !== null) {
    const named = [...(findLine(world.index, { routeId: line.routeId, lineLabel: line.label }, feed)?.routes ?? [])];
    const isTold = line.agencyId !== null || line.operatorName !== null;
    return isTold ? named.filter((route) => isOfOperator(world, line, route)) : named;
  }
  if (line.agencyId === null && line.operatorName === null) return [];
  return [...routes.feed.keys()].filter((route) => routes.feed[route] === feed && isOfOperator(world, line, route));
}

/** The id of an agency is sure; its name may be written in many ways. */
function isOfOperator({ index, names }: MatchingWorld, { agencyId, operatorName }: AlertLine, route: number): boolean {
  const { routes, agencies } = index.tables;
  const agency = routes.agency[route]!;
  if (agencyId !== null && agency >= 0) return agencies.agencyId.get(agency) === agencyId;
  return hasOperator(index, names, route, operatorName);
}

function listNames(
  { index }: MatchingWorld,
  told: readonly StopName[],
  rows: readonly (readonly number[])[],
): string[] {
  const { stops } = index.tables;
  const names = told.map((stop, i) => stop.name ?? (rows[i]!.length > 0 ? stops.name.get(rows[i]![0]!) : null));
  return [...new Set(names.filter((name) => name !== null))];
}

/** As told, else as the timetable calls them; lines that only an operator stands for are not counted up by name. */
function describeLines(
  { index }: MatchingWorld,
  told: readonly AlertLine[],
  routesByLine: readonly (readonly number[])[],
): AlertMatch['lines'] {
  const { routes, agencies } = index.tables;
  const described = new Map<string, AlertMatch['lines'][number]>();
  for (const [i, line] of told.entries()) {
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
 * The dated trip that a vehicle is on, and the call that it names. Where only the line is sure, that; a trip is looked
 * up by its descriptor alone, and the day, where none is told, by when the vehicle was seen.
 */
export function matchVehicle(world: MatchingWorld, report: VehicleReport, about: MatchContext): VehicleMatch {
  const { trip } = report;
  if (!trip) return { kind: 'unmatched', reason: 'unknown_trip' };
  const seen = { ...about, now: report.recordedAt ?? about.now };
  const search = findDatedTrip(world, askForTrip(world, { trip, calls: [], relationship: 'scheduled' }, seen));
  if (isFound(search)) {
    const route = routeOfTrip(world.index.tables, search.trip);
    return { kind: 'dated', ...search, route, position: findPosition(world, report, search, seen.now) };
  }
  const { idleTrip, reason } = search;
  const route = idleTrip === null ? findRoute(world, trip, about) : routeOfTrip(world.index.tables, idleTrip);
  return route === null ? { kind: 'unmatched', reason } : { kind: 'route', route, trip: idleTrip, reason };
}

function findPosition(
  { index, links }: MatchingWorld,
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
      // Of the visits of a stop the one nearest to when the vehicle was seen.
      departure: { scheduledTime: null, time: now, delaySeconds: null, isMeasured: false },
      state: 'normal',
      scheduledPlatform: null,
      platform: null,
      assignedStopId: null,
    },
  ];
  const linked = linkCalls(links, calls, sourceOfTrip(index.tables, trip));
  return placeCalls(index, { trip, day, now, isOtherTrip: !isFoundById(how) }, calls, linked).positions[0]!;
}

/** @returns row of routes; null when no line, or more than one, is meant */
function findRoute(
  { index, names }: MatchingWorld,
  trip: TripName,
  { timetableSource, now }: MatchContext,
): number | null {
  // The day that was reported, else today by UTC, which near midnight may be that of the other of two versions.
  const day = trip.startDate === null ? Math.floor(now / SECONDS_PER_DAY) : toEpochDay(trip.startDate);
  const feeds = listFeeds(index, timetableSource).filter((feed) => countsOn(index, feed, day));
  const routes = feeds.flatMap((feed) => [...(findLine(index, trip, feed)?.routes ?? [])]);
  const ofProduct = prefer(routes, (route) => hasProduct(index, route, trip.product));
  const ofOperator = prefer(ofProduct, (route) => hasOperator(index, names, route, trip.operatorName));
  return ofOperator.length === 1 ? ofOperator[0]! : null;
}

/** Finds what upstreams speak of in one timetable snapshot. It never guesses: what is not sure has a reason instead. */
export interface Matcher {
  matchTrip(report: TripReport, about: MatchContext): TripMatch;
  matchVehicle(report: VehicleReport, about: MatchContext): VehicleMatch;
  matchAlert(report: AlertReport, about: MatchContext): AlertMatch;
  /** @returns row of stops, the nearest one where a stop is several poles; null when it is not known */
  matchStop(stop: StopName, about: MatchContext): number | null;
  /** Rows of the calls' stops, for trips that are not in the timetable; -1 for one that is not known. */
  matchStops(calls: readonly CallReport[], about: MatchContext): Int32Array;
  /** @returns row of routes; null when it is not known, or not sure */
  matchRoute(trip: TripName, about: MatchContext): number | null;
  /** As `matchStop`, with all rows and the reason. */
  findStopLink(stop: StopName, about: MatchContext): StopLink | null;
  /** The same, for a source whose trip ids have been resolved by its own reports. */
  withResolved(findResolved: FindResolved): Matcher;
  /** What is wrong with the lookups, seen from this timetable. */
  readonly problems: readonly Problem[];
}

/**
 * Made once for each timetable snapshot. It remembers what it has worked out of names and ids, and nothing of reports:
 * the same report gives the same answer.
 */
export function openMatcher({ tables }: Pick<TimetableSnapshot, 'tables'>, lookups: StopLookups): Matcher {
  const index = indexTimetable(tables);
  const names = rememberNames();
  const links = openStopLinks(index, names, lookups);
  return matchIn({ index, names, links, findResolved: () => null });
}

function matchIn(world: MatchingWorld): Matcher {
  const { index, links } = world;
  const findStopLink = (stop: StopName, { timetableSource }: MatchContext) => {
    for (const source of listSources(index, timetableSource)) {
      const link = links.find(stop, source);
      if (link) return link;
    }
    return null;
  };
  return {
    matchTrip: (report, about) => matchTrip(world, report, about),
    matchVehicle: (report, about) => matchVehicle(world, report, about),
    matchAlert: (report, about) => matchAlert(world, report, about),
    matchStop: (stop, about) => findStopLink(stop, about)?.stops[0] ?? null,
    matchStops: (calls, about) =>
      Int32Array.from(calls, ({ stop }) => (stop === null ? -1 : (findStopLink(stop, about)?.stops[0] ?? -1))),
    matchRoute: (trip, about) => findRoute(world, trip, about),
    findStopLink,
    withResolved: (findResolved) => matchIn({ ...world, findResolved }),
    problems: links.problems,
  };
}
