import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { RescueOption, RescueRequest, RescueResult } from '../../contract/definitions.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import type { ProfileScope } from '../planner/profile.ts';
import { type EstimateChange, openChangeEstimates, unlessGuessed } from '../predictions/change-estimates.ts';
import { presentTimestamp } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { type AskedPlace, measureStretches, openPlace, readPlace, type Walking } from '../trips/places.ts';
import { checkTime, type TripsContext } from '../trips/plan-trips.ts';
import { usualWalker } from '../trips/present-legs.ts';
import { presentTrip, type TripContext } from '../trips/present-trip.ts';
import { rememberPaths } from '../trips/present-walk.ts';
import { getAlighting, getBoarding } from '../trips/run.ts';
import { computeTimeline } from '../trips/timeline.ts';
import { presentChance } from './chances.ts';
import type { FoundOption } from './find-options.ts';
import { type Judgement, judgeTrip } from './judge-trip.ts';
import { nameKind } from './name-kind.ts';
import { listRides, toPlan } from './option-plan.ts';
import { readLegs } from './read-legs.ts';
import { searchOptions } from './search-options.ts';
import { findTraveller, type Traveller } from './traveller.ts';

/** Rides of an option after the present vehicle, where no more are left of the plan. */
const MIN_RIDES = 3;

/**
 * Whether a running trip still works out, and what to do when it does not. The state is judged from realtime and
 * predictions alone; then the options are searched from where the traveller is.
 * @param body from `readBody`, defaults filled in
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `invalid_body`, with the JSON Pointer of the
 * member, `timetable_out_of_range`; PlanTimeout when its time is used up
 */
export async function planRescue(
  context: TripsContext,
  body: RescueRequest,
  estimate: EstimateChange = openKnown(context),
): Promise<RescueResult> {
  const { published, references, moment } = context;
  const now = body.time === undefined ? moment : parseTimestamp(body.time)!;
  checkTime(published.timetable, now, body.time === undefined ? undefined : '/time');
  const { timetable } = published;
  const { rides } = readLegs(published, references, body.legs, moment);
  const judged = judgeTrip(published, rides, moment, now);
  const traveller = findTraveller(timetable, judged.legs, now, body.position ?? null);
  const to = readDestination(timetable, body, judged);
  const from = traveller.kind === 'arrived' ? null : readOrigin(timetable, body, judged, traveller);
  const isOver = traveller.kind === 'arrived' || !from || !to;
  return {
    generatedAt: presentTimestamp(moment),
    ...presentState(judged, traveller),
    options: isOver ? [] : await listOptions(context, body, { judged, traveller, from, to, now, estimate }),
  };
}

function openKnown({ published, moment }: TripsContext): EstimateChange {
  const estimate = openChangeEstimates(published, moment);
  return (arrival, departure, changeSeconds) =>
    unlessGuessed(estimate(arrival, departure, changeSeconds), arrival, departure);
}

function presentState({ state, atLeg }: Judgement, traveller: Traveller): Pick<RescueResult, 'state' | 'atLeg'> {
  if (traveller.kind === 'waiting' && traveller.isLeftBehind) return { state: 'missed', atLeg: traveller.leg };
  return atLeg === null ? { state } : { state, atLeg };
}

/** Where the traveller is, as a place; on board it is where he boarded. @returns null outside of the timetable */
function readOrigin(
  timetable: Timetable,
  { position }: RescueRequest,
  { legs }: Judgement,
  traveller: RescueCase['traveller'],
): AskedPlace | null {
  if (traveller.kind === 'aboard') return findStation(timetable, getBoarding(legs[traveller.leg]!.ride.run).stop);
  return position ? readPlace(timetable, { coord: position }, '/position') : findStation(timetable, traveller.stop);
}

/** Any platform of the station will do. @returns null for a destination outside of the timetable */
function readDestination(timetable: Timetable, { to }: RescueRequest, { legs }: Judgement): AskedPlace | null {
  return to ? readPlace(timetable, to, '/to') : findStation(timetable, getAlighting(legs.at(-1)!.ride.run).stop);
}

function findStation(timetable: Timetable, stop: number): AskedPlace | null {
  if (stop < 0) return null;
  return readPlace(timetable, { stopId: getStopId(timetable, timetable.tables.stops.station[stop]!) }, '/legs');
}

// ---- Options -----------------------------------------------------------------------------------

/** A trip that is judged, and the traveller on it. */
interface RescueCase {
  readonly judged: Judgement;
  readonly traveller: Exclude<Traveller, { kind: 'arrived' }>;
  readonly from: AskedPlace;
  readonly to: AskedPlace;
  readonly now: Instant;
  readonly estimate: EstimateChange;
}

async function listOptions(context: TripsContext, body: RescueRequest, rescue: RescueCase): Promise<RescueOption[]> {
  const { published, planner, moment, isSpent } = context;
  const { traveller, now } = rescue;
  const query = await openQuery(context, rescue);
  const isElsewhere = body.position !== undefined;
  const question = { published, planner, moment, now, query, traveller, isElsewhere, isSpent };
  const { scope, options } = searchOptions(question, rescue.estimate);
  const presenting = openPresenting(context, rescue);
  return Promise.all(
    options.slice(0, body.limit).map((option) => presentOption(presenting, scope, option, rescue, moment)),
  );
}

async function openQuery(
  { places, walks }: TripsContext,
  { from, to, now, judged, traveller }: RescueCase,
): Promise<PlanQuery> {
  const walking: Walking = { profile: 'foot', maxMeters: usualWalker.maxWalkMeters, walks };
  const [opened, stretchMeters] = await Promise.all([
    Promise.all([from, to].map((place) => openPlace(places, place, walking))),
    measureStretches([from, to], walking),
  ]);
  return {
    ...usualWalker,
    from: opened[0]!,
    to: opened[1]!,
    via: [],
    stretchMeters,
    time: now,
    timeMode: 'departure',
    limit: 1,
    maxTransfers: Math.max(MIN_RIDES, judged.legs.length - traveller.leg) - 1,
    products: null,
  };
}

function openPresenting({ published, references, walks }: TripsContext, { from, to }: RescueCase): TripContext {
  return { published, references, places: [from, to], paths: rememberPaths(walks, 'foot'), wheelchair: false };
}

async function presentOption(
  context: TripContext,
  scope: ProfileScope,
  option: FoundOption,
  { judged, traveller, now }: RescueCase,
  moment: Instant,
): Promise<RescueOption> {
  const { published } = context;
  const timeline = computeTimeline(published, toPlan(scope, option, now), moment);
  const last = timeline.parts.at(-1)!;
  const isOnFoot = last.kind === 'walk' && last.walk.meters > 0;
  const lateSeconds = timeline.end.expected - judged.timeline.end.scheduled;
  return {
    kind: nameKind(published, { rides: listRides(scope, option), isOnFoot }, judged.legs, traveller),
    trip: await presentTrip(context, timeline),
    arrivalDeltaMinutes: Math.round(lateSeconds / 60),
    ...presentChance(option.chance),
    decideBy: presentTimestamp((option.decideBy + scope.task.lanes.base) as Instant),
  };
}
