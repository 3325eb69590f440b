import type { CallReport, TripName, VehicleReport } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';
import { toEpochDay } from '../model/service-time.ts';
import { linkCalls, placeCalls } from './call-positions.ts';
import { findLine, hasOperator, hasProduct, prefer } from './lines.ts';
import { isFoundById, type MatchContext, type VehicleMatch } from './match-result.ts';
import { findDatedTrip } from './match-trip.ts';
import { askForTrip, type FoundTrip, isFound, type MatchingWorld } from './question.ts';
import { countsOn, listFeeds, routeOfTrip, sourceOfTrip } from './timetable-index.ts';

const SECONDS_PER_DAY = 86_400;

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
export function findRoute(
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
