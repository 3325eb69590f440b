import { createHash } from 'node:crypto';
import { products as allProducts } from '../../../pipeline/model/product.ts';
import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { Place, TripRequest, TripResult } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { TripChoice } from '../../contract/trip-outlook.ts';
import type { PlanCursor, PlanPage, PlanPlace, PlanQuery } from '../planner/itinerary.ts';
import type { Planner } from '../planner/open-planner.ts';
import { roundDown, roundUp } from '../planner/pareto.ts';
import { findItineraries } from '../planner/planner.ts';
import { type FindTransferChance, openTransferChances } from '../predictions/transfer-chances.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import { findStop } from '../read/stop-ids.ts';
import { getMembers, isPartOf, type Timetable } from '../read/timetable.ts';
import { openSharing, type Sharing } from '../sharing/open-sharing.ts';
import { addOnDemand } from './add-on-demand.ts';
import { closeStops, isLiftMissing, listOpenQueries } from './lift-outages.ts';
import { listOutlooks } from './list-outlooks.ts';
import { findDirectWays, openEnd } from './open-ends.ts';
import { measureStretches, type Places, type RequestedPlace, readPlace, type Walking } from './places.ts';
import { presentTrip, type TripContext } from './present-trip.ts';
import { addFeeders, findDirectRides, type OnDemandTimes, openOnDemandRequest } from './reach-on-demand.ts';
import { listModes, openRides, readModes } from './street-modes.ts';
import { computeTimeline, isBroken, type Plan, type Timeline } from './timeline.ts';
import { rememberPaths } from './walk-paths.ts';

type PageContent = [
  hash: string,
  direction: PlanCursor['direction'],
  beyond: PlanCursor['beyond'],
  time: PlanCursor['time'],
  requestedTime: PlanCursor['requestedTime'],
  hasWalk: PlanCursor['hasWalk'],
];

export function writePageRef(references: References, body: TripRequest, cursor: PlanCursor): string {
  const { direction, beyond, time, requestedTime, hasWalk } = cursor;
  const content: PageContent = [hashBody(body), direction, beyond, time, requestedTime, hasWalk];
  return references.sealPage(JSON.stringify(content));
}

/** @throws ApiProblem `invalid_body` for one that was altered, or that belongs to another body */
export function readPageRef(references: References, body: TripRequest, pageRef: string): PlanCursor {
  const content = references.openPage(pageRef);
  if (content === null)
    throw new ApiProblem(
      'invalid_body',
      '"/pageRef" is not a valid page reference. Request the first page again.',
      '/pageRef',
    );
  const [hash, direction, beyond, time, requestedTime, hasWalk] = JSON.parse(content) as PageContent;
  if (hash !== hashBody(body)) {
    throw new ApiProblem(
      'invalid_body',
      '"/pageRef" belongs to another trip request. Repeat the original request body with it.',
      '/pageRef',
    );
  }
  return { direction, beyond, time, requestedTime, hasWalk };
}

/** Raise with every change of `PageContent`: a page reference of another format is refused like one of another body. */
const FORMAT = 3;

/** Hash of the whole body except the search period. The order of its members does not matter. */
function hashBody(body: TripRequest): string {
  const modes = listModes(body);
  const question = [
    [body.from, ...(body.via ?? []), body.to].map(listPlace),
    [body.timeMode, body.limit, body.maxTransfers ?? null, body.minTransferMinutes ?? 0],
    [...new Set(body.products)].sort(),
    [body.walkSpeedKmh, body.maxWalkMeters, body.wheelchair, body.all ?? false],
    ...(body.avoid ? [listAvoided(body.avoid)] : []),
    ...(hasStays(body) ? [{ stays: body.viaMinimumStaySeconds }] : []),
    ...(modes ? [{ modes }] : []),
  ];
  return createHash('sha256')
    .update(`trips ${FORMAT} ${JSON.stringify(question)}`)
    .digest('base64url')
    .slice(0, 16);
}

function listAvoided({ lines, operators, stopIds, products }: NonNullable<TripRequest['avoid']>): unknown[] {
  return [lines, operators, stopIds, products].map((names) => [...new Set(names)].sort());
}

function hasStays({ viaMinimumStaySeconds = [] }: TripRequest): boolean {
  return viaMinimumStaySeconds.some((seconds) => seconds > 0);
}

/** @throws ApiProblem `invalid_body` for more stays than places */
function readStays(body: TripRequest): Pick<PlanQuery, 'viaStaySeconds'> {
  const { via = [], viaMinimumStaySeconds = [] } = body;
  if (viaMinimumStaySeconds.length > via.length) {
    const detail = '"/viaMinimumStaySeconds" has more values than "/via" has places. Send one for each place at most.';
    throw new ApiProblem('invalid_body', detail, '/viaMinimumStaySeconds');
  }
  return hasStays(body) ? { viaStaySeconds: viaMinimumStaySeconds } : {};
}

function listPlace(place: Place): unknown[] {
  return 'stopId' in place ? [place.stopId] : [place.coord.lat, place.coord.lon, place.name ?? null];
}

/** Current stock of shared bicycles. */
interface SharingStock {
  /** `null` without a sharing system. */
  readonly sharing: Sharing | null;
  readonly instant: Instant;
}

const noStock: SharingStock = { sharing: null, instant: 0 as Instant };

/** A request with all names resolved. */
interface Question {
  readonly query: PlanQuery;
  /** The same query with on-demand access and egress; `null` if there is none. */
  readonly onDemandQuery: PlanQuery | null;
  /** In travel order: `from`, every `via`, `to`. */
  readonly places: readonly RequestedPlace[];
}

const DEFAULT_MAX_TRANSFERS = 8;

/**
 * @param time begin of the search
 * @param times selects on-demand rides: those that can be booked now, around the time of the page
 * @throws ApiProblem `unknown_stop`, `mode_unavailable` and `invalid_body` with the JSON Pointer of the member
 */
export async function readQuestion(
  places: Places,
  body: TripRequest,
  time: Instant,
  walks: Walking['walks'],
  stock: SharingStock = noStock,
  times: OnDemandTimes = { now: time, around: time },
): Promise<Question> {
  const requested = readPlaces(places.timetable, body);
  const walking: Walking = { profile: body.wheelchair ? 'wheelchair' : 'foot', maxMeters: body.maxWalkMeters, walks };
  const modes = readModes(body, openRides(walks), stock.sharing);
  const travelled = { walking, walkSpeedKmh: body.walkSpeedKmh, modes, instant: stock.instant };
  const [opened, stretchMeters, directWays] = await Promise.all([
    Promise.all(requested.map((place, i) => openEnd(places, place, i, requested.length, travelled))),
    measureStretches(requested, walking),
    findDirectWays(requested, travelled),
  ]);
  // Origin and destination are the same stop: no trip is needed.
  const isThere = isOneStop(places.timetable, requested);
  const query: PlanQuery = {
    from: opened[0]!,
    to: isThere ? NOWHERE : opened.at(-1)!,
    via: opened.slice(1, -1),
    ...readStays(body),
    stretchMeters: isThere ? [null] : stretchMeters,
    time,
    timeMode: body.timeMode,
    limit: body.limit,
    maxTransfers: body.maxTransfers ?? DEFAULT_MAX_TRANSFERS,
    minTransferSeconds: (body.minTransferMinutes ?? 0) * 60,
    products: readProducts(body),
    ...readAvoidance(places.timetable, body),
    walkSpeedKmh: body.walkSpeedKmh,
    maxWalkMeters: body.maxWalkMeters,
    wheelchair: body.wheelchair,
    ...(modes.bikeOnBoard ? { bikeOnBoard: true } : {}),
    ...(modes.direct && !modes.direct.onFoot ? { withoutDirectWalk: true } : {}),
    all: body.all ?? false,
  };
  const onDemand = openOnDemandRequest(places, query, walks, times);
  const directRides = isThere ? [] : await findDirectRides(onDemand, requested);
  return {
    places: requested,
    query: {
      ...query,
      ...(directWays.length > 0 && !isThere ? { directWays } : {}),
      ...(directRides.length > 0 ? { directRides } : {}),
    },
    onDemandQuery: isThere ? null : await addFeeders(onDemand, query, requested),
  };
}

const NOWHERE: PlanPlace = { members: [], reach: [] };

/** Whether all places are one stop, or a station and its own platform. */
function isOneStop({ tables }: Timetable, requested: readonly RequestedPlace[]): boolean {
  const [from, to] = [requested[0]!.stop, requested.at(-1)!.stop];
  if (requested.length > 2 || from < 0 || to < 0) return false;
  return isPartOf(tables, from, to) || isPartOf(tables, to, from);
}

function readPlaces(timetable: Timetable, { from, via = [], to }: TripRequest): RequestedPlace[] {
  return [
    readPlace(timetable, from, '/from'),
    ...via.map((place, i) => readPlace(timetable, place, `/via/${i}`)),
    readPlace(timetable, to, '/to'),
  ];
}

/** Of the products of the request, or of all, those that it does not avoid. */
function readProducts({ products = [], avoid = {} }: TripRequest): number | null {
  const avoided = avoid.products ?? [];
  if (products.length + avoided.length === 0) return null;
  const wanted = (products.length > 0 ? products : allProducts).filter((product) => !avoided.includes(product));
  return wanted.reduce((bits, product) => bits | (1 << allProducts.indexOf(product)), 0);
}

/** @throws ApiProblem `unknown_stop` */
function readAvoidance(timetable: Timetable, { avoid }: TripRequest): Pick<PlanQuery, 'avoid'> {
  if (avoid === undefined) return {};
  const { lines = [], operators = [], stopIds = [] } = avoid;
  const stops = stopIds.flatMap((stopId, i) => {
    const stop = findStop(timetable, stopId);
    if (stop !== null) return [...getMembers(timetable.tables, stop)];
    throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', `/avoid/stopIds/${i}`);
  });
  return { avoid: { lines: new Set(lines), operators: new Set(operators), stops } };
}

/** @throws ApiProblem `timetable_out_of_range` */
export function checkTime({ begin, end, manifest }: Timetable, time: Instant, parameter: string | undefined): void {
  if (time >= begin && time <= end) return;
  const period = `The loaded timetable covers ${manifest.beginDate} to ${manifest.endDate}`;
  throw new ApiProblem('timetable_out_of_range', `${period}. Choose a time within this period.`, parameter);
}

/** Maximum of such trips beyond the limit of an answer. */
const MAX_RUNNING = 2;

/**
 * A query for a past time may be of a traveller on the way: trips that were possible by the timetable, have begun and not
 * ended, but are broken by realtime, so that no search finds them.
 * @param listPlanned the itineraries of the timetable alone, in the order of the answer
 * @returns the first two, with realtime
 */
export function findRunningTrips(
  published: Published,
  instant: Instant,
  query: PlanQuery,
  listPlanned: () => readonly Plan[],
  findChance: FindTransferChance = openTransferChances(published, instant),
): Timeline[] {
  if (!published.realtime || query.timeMode !== 'departure' || query.time >= instant) return [];
  return listPlanned()
    .map((plan) => computeTimeline(published, plan, instant, findChance))
    .filter((trip) => trip.begin.scheduled <= instant && trip.end.expected > instant && isBroken(trip))
    .slice(0, MAX_RUNNING);
}

/** Inserts them in the order of an answer by departure. */
export function mergeTrips(trips: readonly Timeline[], running: readonly Timeline[]): Timeline[] {
  return [...trips, ...running].sort(
    (a, b) =>
      roundDown(a.begin.expected) - roundDown(b.begin.expected) ||
      roundUp(a.end.expected) - roundUp(b.end.expected) ||
      a.transfers - b.transfers,
  );
}

/** Data for planning trips: one pair of snapshots, and the indexes of its timetable. */
export interface TripsContext {
  readonly published: Published;
  readonly planner: Planner;
  /** Of the same timetable. */
  readonly places: Places;
  readonly references: References;
  /** Now: decides which forecasts are fresh, and is the default time of a request. */
  readonly instant: Instant;
  /** null where there is no street graph. */
  readonly walks: WalkRouter | null;
  /** Whether the time for this answer is used up, or a share of it. */
  readonly isSpent: (share?: number) => boolean;
}

/**
 * The trips from one place to another that are beaten by no other in departure, arrival (both in whole minutes) and
 * transfers, with realtime; for a request by departure ordered by departure, arrival, transfers, else by arrival,
 * departure, transfers. The first page for a past time holds up to two more than its limit: trips under way that
 * realtime has broken.
 * @param body from `readBody`, defaults filled in
 * @throws ApiProblem `unknown_stop` and `invalid_body` (a page reference of another body) with the JSON Pointer of the
 * member, `timetable_out_of_range`; PlanTimeout when its time is used up
 */
export async function planTrips(context: TripsContext, body: TripRequest): Promise<TripResult> {
  const { result } = await findTrips(context, body);
  return result;
}

/** `planTrips`, with the outlook of each transfer. */
export async function planTripChoice(context: TripsContext, body: TripRequest): Promise<TripChoice> {
  const { result, timelines } = await findTrips(context, body);
  return { ...result, outlooks: timelines.map(listOutlooks) };
}

async function findTrips(context: TripsContext, body: TripRequest) {
  const { published, places, references, walks, instant } = context;
  const cursor = body.pageRef === undefined ? null : readPageRef(references, body, body.pageRef);
  const stock = { sharing: openSharing(published.realtime), instant };
  const time = cursor?.requestedTime ?? readTime(context, body);
  const times = { now: instant, around: cursor?.time ?? time };
  const question = await readQuestion(places, body, time, walks, stock, times);
  const { timelines, page } = searchTrips(context, question, cursor);
  const presenting: TripContext = {
    published,
    references,
    places: question.places,
    paths: rememberPaths(walks, body.wheelchair ? 'wheelchair' : 'foot'),
    wheelchair: body.wheelchair,
    instant,
    withBike: body.bikeOnBoard ?? false,
  };
  const result: TripResult = {
    trips: await Promise.all(timelines.map((timeline) => presentTrip(presenting, timeline))),
    ...(page.earlier ? { earlierRef: writePageRef(references, body, page.earlier) } : {}),
    ...(page.later ? { laterRef: writePageRef(references, body, page.later) } : {}),
  };
  return { result, timelines };
}

function readTime({ published, instant }: TripsContext, { time }: TripRequest): Instant {
  const requested = time === undefined ? instant : parseTimestamp(time)!;
  checkTime(published.timetable, requested, time === undefined ? undefined : '/time');
  return requested;
}

/** A page without trips that are impossible in a wheelchair because a lift is out of service. */
function findOpenPage<Page extends { readonly timelines: readonly Timeline[] }>(
  published: Published,
  query: PlanQuery,
  time: Instant,
  findPage: (query: PlanQuery) => Page,
): Page {
  const queries = listOpenQueries(published, query, time);
  const isOpen = (timeline: Timeline) => !query.wheelchair || !isLiftMissing(published, timeline);
  let found = findPage(queries[0]!);
  for (const next of queries.slice(1)) if (!found.timelines.every(isOpen)) found = findPage(next);
  return { ...found, timelines: found.timelines.filter(isOpen) };
}

/** A page with the trips that begin or end with an on-demand ride added, if there are any. */
function findPageOf(
  { published, planner, instant, isSpent }: TripsContext,
  { query, onDemandQuery }: Pick<Question, 'query' | 'onDemandQuery'>,
  cursor: PlanCursor | null,
): PlanPage {
  const search = { planner, published, instant, cursor, isSpent };
  const scheduled = findItineraries({ ...search, query });
  if (onDemandQuery === null) return scheduled;
  const further = { ...search, query: closeStops(onDemandQuery, query.closedStops ?? []) };
  const away = cursor?.direction ?? (query.timeMode === 'departure' ? 'later' : 'earlier');
  let onDemand = findItineraries(further);
  let page = addOnDemand(query, scheduled, onDemand, cursor);
  // A page of on-demand trips that covers less time would hide scheduled ones.
  for (let pages = 1; pages < MAX_FURTHER_PAGES; pages++) {
    const next = onDemand[away];
    if (next === null || page.itineraries.length >= scheduled.itineraries.length) break;
    const following = findItineraries({ ...further, cursor: next });
    const toward = away === 'later' ? 'earlier' : 'later';
    const itineraries = [...onDemand.itineraries, ...following.itineraries];
    onDemand = { ...following, [toward]: onDemand[toward], itineraries };
    page = addOnDemand(query, scheduled, onDemand, cursor);
  }
  return page;
}

/** Pages of trips with on-demand rides that are searched for one page of trips. */
const MAX_FURTHER_PAGES = 5;

function searchTrips(
  context: TripsContext,
  { query, onDemandQuery }: Question,
  cursor: PlanCursor | null,
): { timelines: readonly Timeline[]; page: PlanPage } {
  const { published, planner, instant, isSpent } = context;
  const findChance = openTransferChances(published, instant);
  const findPage = (open: PlanQuery) => {
    const page = findPageOf(context, { query: open, onDemandQuery }, cursor);
    const timelines = page.itineraries.map((itinerary) => computeTimeline(published, itinerary, instant, findChance));
    return { page, timelines };
  };
  const { page, timelines } = findOpenPage(published, query, cursor?.time ?? query.time, findPage);
  if (cursor) return { timelines, page };
  const listPlanned = () => {
    const planned = { timetable: published.timetable, realtime: null };
    // Trips that begin later are not under way.
    const until = instant;
    return findItineraries({ planner, published: planned, instant, query, cursor: null, until, isSpent }).itineraries;
  };
  const running = findRunningTrips(published, instant, query, listPlanned, findChance);
  return { timelines: running.length === 0 ? timelines : mergeTrips(timelines, running), page };
}
