import type { TripRequest } from '../../api/contract/definitions.ts';
import { walkDirectly } from '../../api/engine/planner/direct-ways.ts';
import type { Itinerary, PlanQuery } from '../../api/engine/planner/itinerary.ts';
import { openPlanner, type Planner } from '../../api/engine/planner/open-planner.ts';
import { collectItineraries, findEnds } from '../../api/engine/planner/profile.ts';
import type { ProfileScope } from '../../api/engine/planner/profile-scope.ts';
import { SPAN_SECONDS } from '../../api/engine/planner/raptor-routes.ts';
import { openScopes } from '../../api/engine/planner/scope.ts';
import type { Published, Realtime } from '../../api/engine/read/realtime.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { openTimetable } from '../../api/engine/read/timetable.ts';
import { openPlaces, type Places } from '../../api/engine/trips/places.ts';
import { planTrips, readQuestion, type TripsContext } from '../../api/engine/trips/plan-trips.ts';
import { presentTrip, type TripContext } from '../../api/engine/trips/present-trip.ts';
import { computeTimeline } from '../../api/engine/trips/timeline.ts';
import { rememberPaths } from '../../api/engine/trips/walk-paths.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { TimetableSnapshot } from '../../pipeline/snapshots/timetable-contract.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import type { WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { type TripQuestion, toTripRequest } from './planner-questions.ts';

/** Everything that answers questions in this process, including its caches. */
export interface PlannerWorld {
  readonly snapshot: TimetableSnapshot;
  readonly planner: Planner;
  readonly places: Places;
}

/** The planner at one current time, or without one. */
export interface PlannerDesk {
  /**
   * Finds the earliest arrival with one search; null: not within two days.
   * @param isFromStopToStop whether the trip begins and ends without a walk; transfers may still be walks
   */
  findArrival(question: TripQuestion, isFromStopToStop?: boolean): Promise<Instant | null>;
  /** @returns number of Pareto-optimal trips that begin within two hours, each fully presented */
  presentTwoHours(question: TripQuestion): Promise<number>;
  /** One page as the service returns it, without HTTP. */
  answerPage(question: TripQuestion, limit?: number): Promise<string>;
  answerRequest(request: TripRequest, time: Instant): Promise<string>;
}

const TWO_HOURS = 7200;
const LONGEST_JOURNEY_SECONDS = 48 * 3600;

export async function openPlannerWorld(dataDir: string): Promise<PlannerWorld> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  const snapshot = await readTimetableSnapshot(dataDir, id);
  const timetable = openTimetable(snapshot);
  return { snapshot, planner: openPlanner(timetable), places: openPlaces(timetable) };
}

/**
 * @param instant time for the freshness of realtime; null: that of each question
 * @param walks streets for pages; null: straight lines
 */
export function openPlannerDesk(
  { planner, places }: PlannerWorld,
  realtime: Realtime | null,
  instant: Instant | null,
  walks: WalkRouter | null = null,
): PlannerDesk {
  const published: Published = { timetable: planner.timetable, realtime };
  const references = createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1));
  const isSpent = () => false;
  const read = (question: TripQuestion) => readQuestion(places, toTripRequest(question), question.time, null);
  const now = (question: TripQuestion) => instant ?? question.time;
  const openScope = (query: PlanQuery, at: Instant) =>
    openScopes({ planner, realtime, instant: at, query, isSpent }, 1)(Math.floor(query.time / SPAN_SECONDS));
  const answerRequest = async (request: TripRequest, time: Instant) => {
    const at = instant ?? time;
    const context: TripsContext = { published, planner, places, references, instant: at, walks, isSpent };
    return JSON.stringify(await planTrips(context, request));
  };
  return {
    async findArrival(question, isFromStopToStop = false) {
      const { query: requested } = await read(question);
      const query = isFromStopToStop ? withoutWalks(requested) : requested;
      return searchOnce(openScope(query, now(question)), query.time);
    },
    async presentTwoHours(question) {
      const { query, places: requested } = await read(question);
      const at = now(question);
      const found = collectTwoHours(openScope(query, at), query.time);
      const context: TripContext = {
        published,
        references,
        places: requested,
        paths: rememberPaths(null, 'foot'),
        wheelchair: false,
        instant: at,
      };
      const trips = found.map((itinerary) => presentTrip(context, computeTimeline(published, itinerary, at)));
      return (await Promise.all(trips)).length;
    },
    answerPage: (question, limit) => answerRequest(toTripRequest(question, limit), question.time),
    answerRequest,
  };
}

function withoutWalks(query: PlanQuery): PlanQuery {
  const stay = (place: PlanQuery['from']) => ({ ...place, reach: [] });
  return { ...query, from: stay(query.from), to: stay(query.to), stretchMeters: query.stretchMeters.map(() => null) };
}

function searchOnce(scope: ProfileScope, time: Instant): Instant | null {
  const { base } = scope.task.raptorRoutes;
  const latest = time + LONGEST_JOURNEY_SECONDS;
  const arrival = findEnds(scope, time - base, latest - base, scope.task.maxRounds).at(-1)! + base;
  const walk = walkDirectly(scope.query);
  const walked = walk ? time + walk.arrival - walk.departure : Number.POSITIVE_INFINITY;
  const earliest = Math.min(arrival, walked);
  return earliest < latest ? (earliest as Instant) : null;
}

function collectTwoHours(scope: ProfileScope, time: Instant): readonly Itinerary[] {
  const from = time - scope.task.raptorRoutes.base;
  const options = { mayGiveUp: false, needsShortest: false, opposite: null };
  return collectItineraries(scope, from, from + TWO_HOURS, options).itineraries!;
}
