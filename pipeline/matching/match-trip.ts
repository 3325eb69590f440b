import type { TripReport } from '../model/realtime.ts';
import { placeCalls } from './call-positions.ts';
import { findById } from './match-by-id.ts';
import { findByPlan } from './match-by-plan.ts';
import { findByStart } from './match-by-start.ts';
import { isFoundById, type MatchContext, type TripMatch } from './match-result.ts';
import {
  askForTrip,
  type FoundTrip,
  isFound,
  type MatchingWorld,
  type MissedTrip,
  missed,
  type TripQuestion,
} from './question.ts';
import { sourceOfTrip } from './timetable-index.ts';

/**
 * The dated trip that a report is about. A duplicate, a replacement or a cancellation is about the trip that it repeats,
 * replaces or takes away; what its publisher added is in no timetable and is not looked for.
 */
export function matchTrip(
  world: MatchingWorld,
  report: Pick<TripReport, 'trip' | 'calls' | 'relationship'>,
  about: MatchContext,
): TripMatch {
  if (report.relationship === 'added') return { kind: 'added' };
  const question = askForTrip(world, report, about);
  const search = findDatedTrip(world, question);
  if (!isFound(search)) return { kind: 'unmatched', reason: search.reason };
  return { kind: 'dated', ...search, ...placeOf(world, search, question) };
}

/** By its id; else by route and start; else by line and plan; else by what its id has stood for before. */
export function findDatedTrip(world: MatchingWorld, question: TripQuestion): FoundTrip | MissedTrip {
  const byId = findById(world.index, question);
  if (isFound(byId)) return byId;
  const byStart = findByStart(world.index, question, byId.idleTrip);
  if (isFound(byStart)) return byStart;
  // As above: to take away a trip that does not run is no news of another one.
  const isNoNews = byId.idleTrip !== null && question.isCancelling;
  const byPlan = isNoNews ? byId : findByPlan(world, question);
  if (isFound(byPlan)) return byPlan;
  const resolved = world.findResolved(question.trip, question.now);
  if (resolved) return { ...resolved, how: 'resolved_id' };
  if ([byId, byStart, byPlan].some(({ reason }) => reason === 'ambiguous')) return missed('ambiguous', byId.idleTrip);
  const isNamed = question.trip.tripId !== null && !question.isForeign;
  return isNamed ? byId : byPlan;
}

function placeOf({ index }: MatchingWorld, { trip, day, how }: FoundTrip, { places, calls, now }: TripQuestion) {
  const source = sourceOfTrip(index.tables, trip);
  const { linked } = places.find((place) => place.source === source)!;
  return placeCalls(index, { trip, day, now, isOtherTrip: !isFoundById(how) }, calls, linked);
}
