import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters, walkSeconds } from '../../../pipeline/model/walking.ts';
import type { Coord, RescueOption, RescueRequest, RescueResult } from '../../contract/definitions.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import { PlanTimeout } from '../planner/search.ts';
import { type FindTransferChance, openTransferChances } from '../predictions/transfer-chances.ts';
import { getCallStop, openTrip } from '../read/dated-trip.ts';
import { presentTimestamp } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { measureStretches, openPlace, type RequestedPlace, readPlace, type Walking } from '../trips/places.ts';
import { checkTime, type TripsContext } from '../trips/plan-trips.ts';
import { usualWalker } from '../trips/present-legs.ts';
import { presentTrip, type TripContext } from '../trips/present-trip.ts';
import { getAlighting, getBoarding } from '../trips/run.ts';
import { getExpectedEvent } from '../trips/timeline.ts';
import { rememberPaths } from '../trips/walk-paths.ts';
import {
  type Access,
  type Candidate,
  type CandidateContext,
  chooseOptions,
  findMeters,
  joinCandidate,
  listRidesLeft,
  toCandidate,
} from './candidates.ts';
import { certain, openPriors, presentChance, toChance } from './chances.ts';
import { type Judgement, judgeTrip } from './judge-trip.ts';
import { nameKind } from './name-kind.ts';
import { arriveOnFoot, isCaughtForCertain } from './on-foot.ts';
import { readLegs } from './read-legs.ts';
import { searchOptions } from './search-options.ts';
import { findTraveller, type Traveller } from './traveller.ts';

/** Rides of an option after the present vehicle, where no more are left of the plan. */
const MIN_RIDES = 3;
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
  const request = { judged, traveller, from, to, now, findChance };
  const query = await openQuery(context, request);
  const walk =
    traveller.kind === 'waiting' ? findWalk(context, request, traveller, query, body.position ?? null) : null;
  const state = presentState(judged, traveller, walk === null || walk.isInTime);
  return { generatedAt, ...state, options: await listOptions(context, body, { ...request, query, walk, state }) };
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
interface RescueSearch {
  readonly judged: Judgement;
  readonly traveller: OnTheWay;
  readonly from: RequestedPlace;
  readonly to: RequestedPlace;
  readonly now: Instant;
  readonly findChance: FindTransferChance;
}

/** The walk of a traveller who waits to the vehicle of the plan. */
interface Walk extends Access {
  readonly seconds: number;
  /** Whether he can be there before it leaves. */
  readonly isInTime: boolean;
}

function findWalk(
  { published, instant }: TripsContext,
  { judged, now, findChance }: RescueSearch,
  { leg, alighted }: Waiting,
  { from }: PlanQuery,
  position: Coord | null,
): Walk {
  const { ride, change } = judged.legs[leg]!;
  const { lat, lon } = published.timetable.tables.stops;
  const stop = getBoarding(ride.run).stop;
  const straight = () =>
    position && stop >= 0 ? straightWalkMeters(position.lat, position.lon, lat[stop]!, lon[stop]!) || 0 : 0;
  const meters = position ? (findMeters(from, stop) ?? straight()) : (change?.walk.meters ?? 0);
  const seconds = walkSeconds(meters, usualWalker.walkSpeedKmh);
  const ready = position ? now + seconds : Math.max(now, (alighted?.at ?? now) + seconds);
  const departure = getExpectedEvent(published, ride.run, 'departure', instant);
  const isInTime = ready <= departure.expected;
  const isCertain = isCaughtForCertain(ready, now, departure);
  const find = () => toChance(findChance(arriveOnFoot(ready), departure, 0), () => IN_TIME_PROBABILITY);
  return { meters, seconds, isInTime, chance: isCertain ? certain : find() };
}

/** Who has set out in time for a vehicle of which nothing is known. */
const IN_TIME_PROBABILITY = 0.9;

async function openQuery(
  { places, walks }: TripsContext,
  { from, to, now, judged, traveller }: Pick<RescueSearch, 'from' | 'to' | 'now' | 'judged' | 'traveller'>,
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
    booked: judged.legs.map(({ ride }) => ride.run.ride),
  };
}

// ---- Options -----------------------------------------------------------------------------------

interface RescueCase extends RescueSearch {
  readonly query: PlanQuery;
  readonly walk: Walk | null;
  readonly state: TripStateAt;
}

async function listOptions(context: TripsContext, body: RescueRequest, rescue: RescueCase): Promise<RescueOption[]> {
  const { published, instant } = context;
  const making = { published, instant, findChance: rescue.findChance, priors: openPriors() };
  const isElsewhere = body.position !== undefined;
  const search = searchWhileTimeIsLeft(context, making, rescue, isElsewhere);
  const planned = findPlanned(making, rescue);
  const fallback = planned && rescue.state.state === 'atRisk' ? await findFallback(context, making, rescue) : null;
  const chosen = chooseOptions(search.found, planned, fallback, body.limit);
  if (chosen.length === 0 && search.isCut) throw new PlanTimeout();
  const presenting = openPresenting(context, rescue);
  return Promise.all(chosen.map((candidate) => presentOption(presenting, candidate, rescue)));
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
  isElsewhere: boolean,
): Searched {
  const { published, planner, instant } = context;
  const { traveller, query, now } = rescue;
  const isSpent = () => context.isSpent(SEARCH_SHARE);
  try {
    const question = { published, planner, instant, now, query, traveller, isElsewhere, isSpent };
    const { scope, options } = searchOptions(question, making.findChance, making.priors);
    return { found: options.map((option) => toCandidate(making, scope, option, now)), isCut: false };
  } catch (error) {
    if (error instanceof PlanTimeout) return { found: [], isCut: true };
    throw error;
  }
}

/** The rest of the plan; null where it cannot be carried out any more. */
function findPlanned(making: CandidateContext, { judged, traveller, query, walk, state, now }: RescueCase) {
  if (state.state === 'missed' || state.state === 'cancelled') return null;
  const { leg } = traveller;
  const rides = listRidesLeft(judged.legs, leg, traveller.kind === 'aboard' ? traveller.position : null);
  const leaves = judged.legs[leg]!.ride.begin.expected;
  const boards = walk && (Math.max(now, leaves - walk.seconds) as Instant);
  return joinCandidate(making, query, rides, walk, () => boards ?? findFirstExit(judged, leg));
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
  const failed = { ...request, query: await openQuery(context, request) };
  const { found } = searchWhileTimeIsLeft(context, making, failed, false);
  const join = isAtTransfer ? joinAtTransfer : joinToPlan;
  for (const candidate of found) {
    const joined = join(making, rescue, candidate);
    if (joined) return joined;
  }
  return null;
}

/** The rides of the plan up to the transfer at risk, then those of a candidate that starts there. */
function joinToPlan(
  making: CandidateContext,
  { judged, traveller, query, walk, state }: RescueCase,
  { rides, decideBy }: Candidate,
): Candidate | null {
  const position = traveller.kind === 'aboard' ? traveller.position : null;
  const before = listRidesLeft(judged.legs.slice(0, state.atLeg!), traveller.leg, position);
  return joinCandidate(making, query, [...before, ...rides], walk, ({ parts }) => {
    const next = parts.filter((part) => part.kind === 'ride')[before.length];
    return next?.begin.expected ?? decideBy;
  });
}

/** A candidate that starts at the transfer at risk, for a traveller who has no ride of the plan before it. */
function joinAtTransfer(making: CandidateContext, { query }: RescueCase, candidate: Candidate): Candidate | null {
  const { rides, chance, decideBy } = candidate;
  // A walk all the way needs no vehicle: the search from the traveller's place has found it.
  if (rides.length === 0) return null;
  const meters = findMeters(query.from, getCallStop(openTrip(making.published, rides[0]!), rides[0]!.boardPosition));
  if (meters === null) return null;
  const joined = joinCandidate(making, query, rides, { meters, chance: certain }, () => decideBy);
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
  { judged, traveller }: RescueCase,
): Promise<RescueOption> {
  const timeline = openTimeline();
  const last = timeline.parts.at(-1)!;
  const isOnFoot = last.kind === 'walk' && last.walk.meters > 0;
  const lateSeconds = timeline.end.expected - judged.timeline.end.scheduled;
  return {
    kind: nameKind(context.published, { rides, isOnFoot }, judged.legs, traveller),
    trip: await presentTrip(context, timeline),
    arrivalDeltaMinutes: Math.round(lateSeconds / 60),
    ...presentChance(chance),
    decideBy: presentTimestamp(decideBy),
  };
}
