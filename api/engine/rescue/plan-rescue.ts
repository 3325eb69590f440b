import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters, walkSeconds } from '../../../pipeline/model/walking.ts';
import type { Coord, RescueOption, RescueRequest, RescueResult } from '../../contract/definitions.ts';
import { getWaySeconds } from '../planner/places.ts';
import { PlanTimeout } from '../planner/search.ts';
import { usualWalker } from '../planner/transfer-seconds.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import { type FindTransferChance, openTransferChances } from '../predictions/transfer-chances.ts';
import type { OnDemandUse } from '../read/open-times.ts';
import { presentTimestamp } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { type ChosenWay, chooseWay, findWayBegin, findWayEnd } from '../trips/choose-way.ts';
import { type RequestedPlace, readPlace } from '../trips/places.ts';
import { checkTime, type TripsContext } from '../trips/plan-trips.ts';
import { presentTrip, type TripContext } from '../trips/present-trip.ts';
import { getAlighting, getBoarding, openRun } from '../trips/run.ts';
import { getExpectedEvent } from '../trips/timeline.ts';
import { rememberPaths } from '../trips/walk-paths.ts';
import {
  type Access,
  boundBetter,
  type Candidate,
  type CandidateContext,
  chooseOptions,
  joinCandidate,
  listRidesLeft,
  toCandidate,
} from './candidates.ts';
import { certain, openPriors, presentChance, toChance } from './chances.ts';
import { addDirectOptions, findDirectOptions } from './direct-rides.ts';
import { type Judgement, judgeTrip } from './judge-trip.ts';
import { limitDecision, limitOptions } from './limit-decision.ts';
import { nameKind } from './name-kind.ts';
import { arriveOnFoot, isCaughtForCertain } from './on-foot.ts';
import { openRescueQuery, type RescueEnds, type RescueQuery } from './open-query.ts';
import { readLegs } from './read-legs.ts';
import { type OptionQuestion, type SufficientOptions, searchOptions } from './search-options.ts';
import { findTraveller, type Traveller } from './traveller.ts';

/** The rest of the time limit is for presenting what was found. */
const SEARCH_SHARE = 0.7;

/** A request whose position may have a name. */
export interface RescueQuestion extends RescueRequest {
  readonly positionName?: string;
}

/**
 * Whether a running trip still works out, and what to do when it does not. The state is judged from realtime and
 * predictions alone; then the options are searched from where the traveller is.
 * @param body from `readBody`, defaults filled in
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `invalid_body`, with the JSON Pointer of the
 * member, `timetable_out_of_range`; PlanTimeout when its time is used up before any option is found
 */
export async function planRescue(
  context: TripsContext,
  body: RescueQuestion,
  findChance: FindTransferChance = openTransferChances(context.published, context.instant),
): Promise<RescueResult> {
  const { published, references, instant } = context;
  const now = body.time === undefined ? instant : parseTimestamp(body.time)!;
  checkTime(published.timetable, now, body.time === undefined ? undefined : '/time');
  const { timetable } = published;
  const { rides } = readLegs(published, references, body.legs, instant);
  const judged = judgeTrip(published, rides, instant, now, findChance);
  const traveller = findTraveller(published, judged.legs, now, body.position ?? null);
  const generatedAt = presentTimestamp(instant);
  const to = readDestination(timetable, body, judged);
  if (traveller.kind === 'arrived') {
    return { generatedAt, state: 'onTrack', atLeg: judged.legs.length - 1, options: [] };
  }
  const from = readOrigin(timetable, body, judged, traveller);
  if (!from || !to) return { generatedAt, ...presentState(judged, traveller, true), options: [] };
  const { request, opened } = await openReachable(context, { judged, traveller, from, to, now, findChance });
  const approach =
    traveller.kind === 'waiting'
      ? findApproach(context, request, traveller, opened.planned, body.position ?? null)
      : null;
  const state = presentState(judged, traveller, approach === null || approach.isInTime);
  return {
    generatedAt,
    ...state,
    options: await listOptions(context, body, { ...request, ...opened, approach, state }),
  };
}

/**
 * Opens the query of a rescue. If no vehicle leads close to the destination, the plan goes on by bicycle or car: the
 * options then end at its last station.
 */
async function openReachable(
  context: TripsContext,
  request: RescueSearch,
): Promise<{ readonly request: RescueSearch; readonly opened: RescueQuery }> {
  const opened = await openRescueQuery(context, request);
  const { to, stretchMeters } = opened.query;
  if (to.members.length + to.reach.length > 0 || stretchMeters[0] !== null) return { request, opened };
  const { stop } = getAlighting(request.judged.legs.at(-1)!.ride.run);
  const station = findStation(context.published.timetable, stop);
  if (station === null) return { request, opened };
  const shortened = { ...request, to: station };
  return { request: shortened, opened: await openRescueQuery(context, shortened) };
}

type TripStateAt = Pick<RescueResult, 'state' | 'atLeg'>;

function presentState({ state, atLeg }: Judgement, traveller: OnTheWay, isInTime: boolean): TripStateAt {
  const isLeftBehind = traveller.kind === 'waiting' && traveller.isLeftBehind;
  const isLate = !isInTime && state !== 'cancelled' && (atLeg === null || atLeg >= traveller.leg);
  if (isLeftBehind || isLate) return { state: 'missed', atLeg: traveller.leg };
  return atLeg === null ? { state } : { state, atLeg };
}

/** Where the traveller is, as a place; on board it is where he boarded. @returns null outside of the timetable */
function readOrigin(
  timetable: Timetable,
  { position, positionName }: RescueQuestion,
  { legs }: Judgement,
  traveller: OnTheWay,
): RequestedPlace | null {
  if (traveller.kind === 'aboard') return findStation(timetable, getBoarding(legs[traveller.leg]!.ride.run).stop);
  return position
    ? readPlace(
        timetable,
        { coord: position, ...(positionName === undefined ? {} : { foundName: positionName }) },
        '/position',
      )
    : findStation(timetable, traveller.stop);
}

/** Any platform of the station will do. @returns null for a destination outside of the timetable */
function readDestination(timetable: Timetable, { to }: RescueRequest, { legs }: Judgement): RequestedPlace | null {
  return to ? readPlace(timetable, to, '/to') : findStation(timetable, getAlighting(legs.at(-1)!.ride.run).stop);
}

function findStation(timetable: Timetable, stop: number): RequestedPlace | null {
  if (stop < 0) return null;
  return readPlace(timetable, { stopId: getStopId(timetable, timetable.tables.stops.station[stop]!) }, '/legs');
}

// ---- The way to the vehicle --------------------------------------------------------------------

type OnTheWay = Exclude<Traveller, { kind: 'arrived' }>;
type Waiting = Extract<Traveller, { kind: 'waiting' }>;

/** A trip that is judged, and the traveller on it. */
interface RescueSearch extends RescueEnds {
  readonly findChance: FindTransferChance;
}

/** The way of a traveller who waits to the vehicle of the plan. */
interface Approach extends Access {
  readonly seconds: number;
  /** Whether he can be there before it leaves. */
  readonly isInTime: boolean;
}

function findApproach(
  context: TripsContext,
  search: RescueSearch,
  waiting: Waiting,
  { from }: RescueQuery['planned'],
  position: Coord | null,
): Approach {
  const { published, instant } = context;
  const { run } = search.judged.legs[waiting.leg]!.ride;
  const departure = getExpectedEvent(published, run, 'departure', instant);
  const { walkSpeedKmh } = usualWalker;
  const at = { isArriving: false, time: departure.expected, walkSpeedKmh };
  const way = position && chooseWay(from, getBoarding(run).stop, at);
  if (way?.onDemand) return rideToVehicle(search, way, way.onDemand, departure);
  return walkToVehicle(context, search, waiting, departure, { position, meters: way?.meters ?? null });
}

/** The on-demand ride ends in time, with the time for the transfer; it may be under way if its begin is fixed. */
function rideToVehicle(
  { now }: RescueSearch,
  way: ChosenWay,
  { open }: OnDemandUse,
  departure: ReportedEvent,
): Approach {
  const { walkSpeedKmh } = usualWalker;
  const begin = findWayBegin(way, { time: departure.expected, walkSpeedKmh });
  const seconds = getWaySeconds(way, walkSpeedKmh);
  const isUnderWay = begin + seconds >= now && open.some(({ from, until }) => from === begin && until === begin);
  return { way, seconds: departure.expected - begin, isInTime: begin >= now || isUnderWay, chance: certain };
}

function walkToVehicle(
  { published }: TripsContext,
  { judged, now, findChance }: RescueSearch,
  { leg, alighted }: Waiting,
  departure: ReportedEvent,
  { position, meters: known }: { readonly position: Coord | null; readonly meters: number | null },
): Approach {
  const { ride, change } = judged.legs[leg]!;
  const { lat, lon } = published.timetable.tables.stops;
  const stop = getBoarding(ride.run).stop;
  const straight = () =>
    position && stop >= 0 ? straightWalkMeters(position.lat, position.lon, lat[stop]!, lon[stop]!) || 0 : 0;
  const meters = position ? (known ?? straight()) : (change?.walk.meters ?? 0);
  const seconds = walkSeconds(meters, usualWalker.walkSpeedKmh);
  const ready = position ? now + seconds : Math.max(now, (alighted?.at ?? now) + seconds);
  const isInTime = ready <= departure.expected;
  const isCertain = isCaughtForCertain(ready, now, departure);
  const find = () => toChance(findChance(arriveOnFoot(ready), departure, 0), () => IN_TIME_PROBABILITY);
  return { way: { meters }, seconds, isInTime, chance: isCertain ? certain : find() };
}

/** Who has set out in time for a vehicle of which nothing is known. */
const IN_TIME_PROBABILITY = 0.9;

// ---- Options -----------------------------------------------------------------------------------

interface RescueCase extends RescueSearch, RescueQuery {
  readonly approach: Approach | null;
  readonly state: TripStateAt;
}

async function listOptions(context: TripsContext, body: RescueRequest, rescue: RescueCase): Promise<RescueOption[]> {
  const { published, instant } = context;
  const making = { published, instant, findChance: rescue.findChance, priors: openPriors() };
  const isElsewhere = body.position !== undefined;
  const expected = findPlanned(making, rescue);
  const sufficient = findSufficient(published.timetable, expected, body.limit);
  const search = searchWhileTimeIsLeft(context, making, rescue, { isElsewhere, sufficient });
  // What is unknown of it counts as what the search found known of such transfers.
  const planned = expected?.chance.isKnown === false ? findPlanned(making, rescue) : expected;
  const fallback = planned && rescue.state.state === 'atRisk' ? await findFallback(context, making, rescue) : null;
  const known = planned ? [planned, ...search.found] : search.found;
  const direct = await findDirectOptions(context, rescue, rescue.query, known);
  const options = limitOptions(published.timetable, addDirectOptions(search.found, direct), planned, rescue.now);
  const chosen = chooseOptions(options, planned, fallback, body.limit);
  if (chosen.length === 0 && search.isCut) throw new PlanTimeout();
  const presenting = openPresenting(context, rescue);
  return Promise.all(chosen.map((candidate) => presentOption(presenting, candidate, rescue)));
}

/** The options that `chooseOptions` needs. On-demand rides may drop some of them: then all are needed. */
function findSufficient(timetable: Timetable, planned: Candidate | null, limit: number): SufficientOptions | null {
  if (timetable.onDemand !== null) return null;
  return { count: limit, preferred: planned && boundBetter(planned) };
}

interface Searched {
  readonly found: readonly Candidate[];
  /** Its time was used up before anything was found. */
  readonly isCut: boolean;
}

function searchWhileTimeIsLeft(
  context: TripsContext,
  making: CandidateContext,
  rescue: Pick<RescueCase, 'traveller' | 'query' | 'now'>,
  wanted: Pick<OptionQuestion, 'isElsewhere' | 'sufficient'>,
): Searched {
  const { published, planner, instant } = context;
  const { traveller, query, now } = rescue;
  const isSpent = () => context.isSpent(SEARCH_SHARE);
  try {
    const question = { published, planner, instant, now, query, traveller, ...wanted, isSpent };
    const { scope, options } = searchOptions(question, making.findChance, making.priors);
    return { found: options.map((option) => toCandidate(making, scope, option, now)), isCut: false };
  } catch (error) {
    if (error instanceof PlanTimeout) return { found: [], isCut: true };
    throw error;
  }
}

/** The rest of the plan; null where it cannot be carried out any more. */
function findPlanned(making: CandidateContext, { judged, traveller, planned, approach, state, now }: RescueCase) {
  if (state.state === 'missed' || state.state === 'cancelled') return null;
  const { leg } = traveller;
  const rides = listRidesLeft(judged.legs, leg, traveller.kind === 'aboard' ? traveller.position : null);
  const leaves = judged.legs[leg]!.ride.begin.expected;
  const boards = approach && (Math.max(now, leaves - approach.seconds) as Instant);
  return joinCandidate(making, planned, rides, approach, () => boards ?? findFirstExit(judged, leg));
}

/** When the vehicle is left, which may continue as other trips. */
function findFirstExit({ legs }: Judgement, leg: number): Instant {
  const next = legs.findIndex(({ ride }, i) => i > leg && !ride.isStaying);
  return legs.at(next < 0 ? -1 : next - 1)!.ride.end.expected;
}

/**
 * What is left when the transfer at risk fails: as planned until there, and on with what leaves after the vehicle that
 * was missed. null if nothing is, or if the traveller is past that transfer.
 */
async function findFallback(context: TripsContext, making: CandidateContext, rescue: RescueCase) {
  const { timetable } = context.published;
  const { judged, traveller } = rescue;
  const atLeg = rescue.state.atLeg!;
  const { begin, run } = judged.legs[atLeg]!.ride;
  const { stop } = getBoarding(run);
  const from = findStation(timetable, stop);
  const isAtTransfer = traveller.kind === 'waiting' && atLeg === traveller.leg;
  if (!from || (atLeg <= traveller.leg && !isAtTransfer)) return null;
  const now = (begin.expected + 1) as Instant;
  const stranded: OnTheWay = { kind: 'waiting', leg: atLeg, stop, alighted: null, isLeftBehind: true };
  const request = { ...rescue, traveller: stranded, from, now };
  const failed = { ...request, ...(await openRescueQuery(context, request)) };
  const join = isAtTransfer ? joinAtTransfer : joinToPlan;
  // Nearly always the best one can be joined.
  for (const sufficient of [{ count: 1, preferred: null }, null]) {
    const { found } = searchWhileTimeIsLeft(context, making, failed, { isElsewhere: false, sufficient });
    if (found.length === 0) return null;
    for (const candidate of found) {
      const joined = join(making, rescue, candidate);
      if (joined) return joined;
    }
  }
  return null;
}

/** The rides of the plan up to the transfer at risk, then those of a candidate that starts there. */
function joinToPlan(
  making: CandidateContext,
  { judged, traveller, query, approach, state }: RescueCase,
  { rides, decideBy }: Candidate,
): Candidate | null {
  const position = traveller.kind === 'aboard' ? traveller.position : null;
  const before = listRidesLeft(judged.legs.slice(0, state.atLeg!), traveller.leg, position);
  return joinCandidate(making, query, [...before, ...rides], approach, ({ parts }) => {
    const next = parts.filter((part) => part.kind === 'ride')[before.length];
    return next?.begin.expected ?? decideBy;
  });
}

/** A candidate that starts at the transfer at risk, for a traveller who has no ride of the plan before it. */
function joinAtTransfer(making: CandidateContext, { query }: RescueCase, candidate: Candidate): Candidate | null {
  const { rides, chance, decideBy } = candidate;
  // A walk all the way needs no vehicle: the search from the traveller's place has found it.
  if (rides.length === 0) return null;
  const { published, instant } = making;
  const run = openRun(published, rides[0]!, instant);
  const { walkSpeedKmh } = usualWalker;
  const at = { isArriving: false, time: getBoarding(run).departure.expected, walkSpeedKmh };
  const way = chooseWay(query.from, getBoarding(run).stop, at);
  if (way === null) return null;
  const joined = joinCandidate(making, query, rides, { way, chance: certain }, () => decideBy);
  // The candidate's chance includes that of the walk to its first vehicle.
  return joined && { ...joined, chance };
}

function openPresenting(
  { published, references, walks, instant }: TripsContext,
  { from, to }: RescueCase,
): TripContext {
  const paths = rememberPaths(walks, 'foot');
  return { published, references, places: [from, to], paths, wheelchair: false, instant };
}

async function presentOption(
  context: TripContext,
  { openTimeline, rides, chance, decideBy }: Candidate,
  { judged, traveller, planned, now }: RescueCase,
): Promise<RescueOption> {
  const { published } = context;
  const timeline = openTimeline();
  const last = timeline.parts.at(-1)!;
  const way = last.kind === 'walk' ? last.walk : null;
  // A traveller who is at the destination has no metre left to walk.
  const isOnFoot = way !== null && !way.onDemand && (way.meters > 0 || way.role === 'direct');
  const lateSeconds = timeline.end.expected - findPlannedEnd(judged, planned);
  return {
    kind: nameKind(published, { rides, isOnFoot }, judged.legs, traveller),
    trip: await presentTrip(context, timeline),
    arrivalDeltaMinutes: Math.round(lateSeconds / 60),
    ...presentChance(chance),
    decideBy: presentTimestamp(limitDecision(published.timetable, timeline, decideBy, now)),
  };
}

/** The planned arrival, including the way from the last vehicle. */
function findPlannedEnd({ legs, timeline }: Judgement, { to }: RescueQuery['planned']): number {
  const at = { isArriving: true, time: timeline.end.scheduled, walkSpeedKmh: usualWalker.walkSpeedKmh };
  const way = chooseWay(to, getAlighting(legs.at(-1)!.ride.run).stop, at);
  return way ? findWayEnd(way, at) : at.time;
}
