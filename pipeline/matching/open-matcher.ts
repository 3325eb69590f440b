import type { Problem } from '../model/problem.ts';
import type { AlertReport, CallReport, StopName, TripName, TripReport, VehicleReport } from '../model/realtime.ts';
import type { TimetableSnapshot } from '../snapshots/contract.ts';
import { matchAlert } from './match-alert.ts';
import type { AlertMatch, MatchContext, TripMatch, VehicleMatch } from './match-result.ts';
import { matchTrip } from './match-trip.ts';
import { findRoute, matchVehicle } from './match-vehicle.ts';
import { rememberNames } from './place-names.ts';
import type { FindResolved, MatchingWorld } from './question.ts';
import { openStopLinks, type StopLink, type StopLookups } from './stop-links.ts';
import { indexTimetable, listSources } from './timetable-index.ts';

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
