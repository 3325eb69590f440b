import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { TripRequest, TripResult } from '../../contract/definitions.ts';
import type { PlanCursor, PlanPage } from '../planner/itinerary.ts';
import { findItineraries, type Planner } from '../planner/planner.ts';
import type { Published } from '../realtime.ts';
import type { References } from '../references.ts';
import { readPageRef, writePageRef } from './page-ref.ts';
import type { Places } from './places.ts';
import { presentTrip, type TripContext } from './present-trip.ts';
import { checkTime, type Question, readQuestion } from './read-question.ts';
import { findRunningTrips, mergeTrips } from './running-trips.ts';
import { layTimeline, type Timeline } from './timeline.ts';
import { rememberPaths } from './walk-paths.ts';

/** What a question about trips is answered from: one pair of snapshots, and what was opened once for its timetable. */
export interface TripsContext {
  readonly published: Published;
  readonly planner: Planner;
  /** Of the same timetable. */
  readonly places: Places;
  readonly references: References;
  /** Now: by which a forecast is fresh or not, and the time of a question without one. */
  readonly moment: Instant;
  /** null where there is no street graph. */
  readonly walks: WalkRouter | null;
  /** Whether the time for this answer is over. */
  readonly isSpent: () => boolean;
}

/**
 * The trips from one place to another that no other beats in departure, arrival (both in whole minutes) and transfers, as
 * they run; by departure in the order of departure, arrival, transfers, else of arrival, departure, transfers. The first
 * page of a question for a time that is over holds up to two more than its limit: trips under way that realtime has
 * broken.
 * @param body as `readBody` made it, defaults filled in
 * @throws ApiProblem `unknown_stop` and `invalid_body` (a page reference of another body) with the JSON Pointer of the
 * member, `timetable_out_of_range`; PlanTimeout when its time is over
 */
export async function planTrips(context: TripsContext, body: TripRequest): Promise<TripResult> {
  const { published, places, references, walks } = context;
  const cursor = body.pageRef === undefined ? null : readPageRef(references, body, body.pageRef);
  const question = await readQuestion(places, body, cursor?.askedTime ?? readTime(context, body), walks);
  const { timelines, page } = searchTrips(context, question, cursor);
  const presenting: TripContext = {
    published,
    references,
    places: question.places,
    paths: rememberPaths(walks, body.wheelchair ? 'wheelchair' : 'foot'),
    wheelchair: body.wheelchair,
  };
  return {
    trips: await Promise.all(timelines.map((timeline) => presentTrip(presenting, timeline))),
    ...(page.earlier ? { earlierRef: writePageRef(references, body, page.earlier) } : {}),
    ...(page.later ? { laterRef: writePageRef(references, body, page.later) } : {}),
  };
}

function readTime({ published, moment }: TripsContext, { time }: TripRequest): Instant {
  const asked = time === undefined ? moment : parseTimestamp(time)!;
  checkTime(published.timetable, asked, time === undefined ? undefined : '/time');
  return asked;
}

function searchTrips(
  { published, planner, moment, isSpent }: TripsContext,
  { query }: Question,
  cursor: PlanCursor | null,
): { timelines: readonly Timeline[]; page: PlanPage } {
  const page = findItineraries(planner, published, moment, query, cursor, isSpent);
  const timelines = page.itineraries.map((itinerary) => layTimeline(published, itinerary, moment));
  if (cursor) return { timelines, page };
  const running = findRunningTrips(published, moment, query, () => {
    const planned = { timetable: published.timetable, realtime: null };
    return findItineraries(planner, planned, moment, query, null, isSpent).itineraries;
  });
  return { timelines: running.length === 0 ? timelines : mergeTrips(timelines, running), page };
}
