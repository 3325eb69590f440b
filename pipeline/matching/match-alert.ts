import type { AlertLine, AlertReport, StopName } from '../model/realtime.ts';
import { findLine, hasOperator } from './lines.ts';
import type { AlertMatch, MatchContext } from './match-result.ts';
import { matchTrip } from './match-trip.ts';
import type { MatchingWorld } from './question.ts';
import { listSources } from './timetable-index.ts';

/** The lines, stops and trips that an alert is about, as far as the timetable has them. */
export function matchAlert(world: MatchingWorld, report: AlertReport, about: MatchContext): AlertMatch {
  const sources = listSources(world.index, about.timetableSource);
  const routesByLine = report.lines.map((line) => sources.flatMap((source) => listRoutes(world, line, source)));
  const stopsByName = report.stops.map((stop) =>
    sources.flatMap((source) => world.links.find(stop, source)?.stops ?? []),
  );
  const trips = report.trips.map((trip) => matchTrip(world, { trip, calls: [], relationship: 'scheduled' }, about));
  return {
    routes: sortedOnce(routesByLine.flat()),
    stops: sortedOnce(stopsByName.flat()),
    trips: trips.flatMap((match) => (match.kind === 'dated' ? [{ trip: match.trip, day: match.day }] : [])),
    stopNames: listNames(world, report.stops, stopsByName),
    lines: describeLines(world, report.lines, routesByLine),
    unmatchedCount:
      [...routesByLine, ...stopsByName].filter((rows) => rows.length === 0).length +
      trips.filter(({ kind }) => kind === 'unmatched').length,
  };
}

/** By id or label; by operator alone all of its lines. */
function listRoutes(world: MatchingWorld, line: AlertLine, source: number): readonly number[] {
  const { routes } = world.index.tables;
  if (line.routeId !== null || line.label !== null) {
    const named = [...(findLine(world.index, { routeId: line.routeId, lineLabel: line.label }, source)?.routes ?? [])];
    const isTold = line.agencyId !== null || line.operatorName !== null;
    return isTold ? named.filter((route) => isOfOperator(world, line, route)) : named;
  }
  if (line.agencyId === null && line.operatorName === null) return [];
  return [...routes.source.keys()].filter(
    (route) => routes.source[route] === source && isOfOperator(world, line, route),
  );
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
