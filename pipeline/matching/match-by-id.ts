import type { EpochDay, ServiceTime } from '../model/service-time.ts';
import { runsOn } from '../snapshots/contract.ts';
import { type LinkedCalls, placeCalls } from './call-positions.ts';
import type { MatchedBy, UnmatchedReason } from './match-result.ts';
import {
  compareCalls,
  type FoundTrip,
  isFound,
  listPlaces,
  missed,
  type Search,
  type TripQuestion,
} from './question.ts';
import { chooseVersion, findNearestDay, type ToldMoment } from './service-day.ts';
import { findTrip, type TimetableIndex } from './timetable-index.ts';

/** A run of a headway begins when it begins; one further off than this is not among the timetable's. */
const MAX_HEADWAY_DISTANCE_SECONDS = 1800;

interface NamedTrip {
  readonly trip: number;
  readonly how: MatchedBy;
}

/**
 * Finds a trip by its id, and by its start where frequencies repeat it.
 *
 * A run of a headway without exact times has no times of its own, so its publisher names the start that it really had:
 * it is laid on the run that begins nearest. Two vehicles may thus come to lie on one run.
 */
export function findById(index: TimetableIndex, question: TripQuestion): Search {
  const found: FoundTrip[] = [];
  let miss = missed('unknown_trip');
  for (const { feed, linked } of listPlaces(index, question)) {
    const named = findNamed(index, feed, question.trip.tripId, question.trip.startTime);
    const dated = typeof named === 'string' ? missed(named) : dateTrip(index, named, question, linked);
    if (!isFound(dated)) {
      // What the first timetable says that knows the id at all, if it is an id of ours.
      if (miss.reason === 'unknown_trip' && !question.isForeign) miss = dated;
    } else if (!question.isForeign || isBorneOut(index, dated, question, linked)) found.push(dated);
  }
  const chosen = chooseVersion(index, found, question.now);
  if (chosen.length > 1) return missed('ambiguous');
  return chosen[0] ?? miss;
}

function findNamed(
  index: TimetableIndex,
  feed: number,
  tripId: string | null,
  startTime: ServiceTime | null,
): NamedTrip | UnmatchedReason {
  if (tripId === null) return 'unknown_trip';
  const trip = findTrip(index, feed, tripId);
  if (trip >= 0) return { trip, how: 'trip_id' };
  const runs = index.runsById[feed]!.get(tripId) ?? [];
  if (startTime !== null) return findRun(index, feed, tripId, startTime, runs);
  if (runs.length > 1) return 'no_start_time';
  return runs.length === 1 ? { trip: runs[0]!, how: 'trip_id' } : 'unknown_trip';
}

function findRun(
  index: TimetableIndex,
  feed: number,
  tripId: string,
  startTime: number,
  runs: readonly number[],
): NamedTrip | UnmatchedReason {
  const exact = findTrip(index, feed, tripId, startTime);
  if (exact >= 0) return { trip: exact, how: 'trip_id' };
  const { frequencyStart, isHeadway } = index.tables.trips;
  const distance = (run: number) => Math.abs(frequencyStart[run]! - startTime);
  const [nearest] = runs.filter((run) => isHeadway[run] === 1).sort((a, b) => distance(a) - distance(b) || a - b);
  if (nearest === undefined || distance(nearest) > MAX_HEADWAY_DISTANCE_SECONDS) return 'unknown_trip';
  return { trip: nearest, how: 'headway_run' };
}

function dateTrip(
  index: TimetableIndex,
  { trip, how }: NamedTrip,
  { day, calls, now }: TripQuestion,
  linked: LinkedCalls,
): Search {
  if (day !== null) {
    return runsOn(index.tables, index.tables.trips.service[trip]!, day)
      ? { trip, day, how }
      : missed('not_running', trip);
  }
  const nearest = findNearestDay(index, trip, findToldMoment(index, trip, calls, linked, now));
  if (typeof nearest === 'string') return missed(nearest, nearest === 'not_running' ? trip : null);
  return { trip, day: nearest as EpochDay, how: how === 'trip_id' ? 'trip_id_no_date' : how };
}

function findToldMoment(
  index: TimetableIndex,
  trip: number,
  calls: TripQuestion['calls'],
  linked: LinkedCalls,
  now: TripQuestion['now'],
): ToldMoment {
  const { positions } = placeCalls(index, { trip, day: null, now, isOtherTrip: false }, calls, linked);
  for (const [i, { arrival, departure }] of calls.entries()) {
    const moment = departure?.scheduledTime ?? arrival?.scheduledTime ?? departure?.time ?? arrival?.time ?? null;
    if (positions[i]! >= 0 && moment !== null) return { moment, position: positions[i]! };
  }
  return { moment: now, position: -1 };
}

/** The id of another publisher's trip may be one of ours by chance: planned times tell. */
function isBorneOut(
  index: TimetableIndex,
  { trip, day }: FoundTrip,
  { calls, now }: TripQuestion,
  linked: LinkedCalls,
): boolean {
  const { agreeing, disagreeing } = compareCalls(index, { trip, day, now, isOtherTrip: false }, calls, linked);
  return agreeing > 0 && disagreeing === 0;
}
