import type { AlertEntity, AlertLine, AlertReport, StopName } from '../model/realtime.ts';
import type { EpochDay } from '../model/service-time.ts';
import { findLine, hasOperator } from './lines.ts';
import type { AlertMatch, MatchContext, MatchedEntity } from './match-result.ts';
import { matchTrip } from './match-trip.ts';
import type { MatchingWorld } from './question.ts';
import { listFeeds, listSources } from './timetable-index.ts';

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
