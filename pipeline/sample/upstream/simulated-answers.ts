import type { MetroStation } from '../../model/metro-stations.ts';
import type { NoticeKind, TripName } from '../../model/realtime.ts';
import { formatServiceTime, type Instant, type ServiceDate, type ServiceTime } from '../../model/service-time.ts';
import type {
  Alert,
  AlertCause,
  AlertEffect,
  EntitySelector,
  FeedEntity,
  FeedMessage,
  SeverityLevel,
  StopTimeEvent,
  StopTimeUpdate,
  TranslatedString,
  TripDescriptor,
  TripUpdate,
  VehiclePosition,
} from '../../sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../sources/gtfs-rt/feed-schema.ts';
import { type SamplePublisher, samplePublishers } from '../feed/publishers.ts';
import type { Simulator } from '../simulator/create-simulator.ts';
import { simulateOccupancy } from '../simulator/occupancy.ts';
import type {
  SimulatedAlert,
  SimulatedCall,
  SimulatedState,
  SimulatedTrip,
  SimulatedVehicle,
} from '../simulator/simulated-state.ts';
import {
  type AnswerSource,
  httpDate,
  textAnswer,
  type UpstreamAnswer,
  type UpstreamRequest,
  type UpstreamTimes,
} from './answer-source.ts';
import { buildMgateAnswer, buildMgateRefusal } from './hafas.ts';
import { readMgateRequest } from './hafas-request.ts';
import { buildStopEventAnswer, readStopEventRequest } from './trias.ts';
import { buildMonitorAnswer, buildNewsAnswer, buildTrafficInfoAnswer } from './wiener-linien.ts';

export type GtfsRtKind = 'tripUpdates' | 'vehiclePositions' | 'alerts';

interface GtfsRtAnswerOptions {
  /** Publisher whose lines are reported; absent: all. */
  readonly publisher?: SamplePublisher;
  /** Header timestamp of a publisher with a wrong clock; default: now. */
  readonly publishedAt?: Instant;
}

/**
 * An answer of a GTFS-Realtime publisher in the made-up country. Trips without data are left out; measured past times
 * have uncertainty 0 and so count as observed; the uncertainty of forecasts grows with their horizon. Entities keep
 * their ids from answer to answer.
 */
export function buildGtfsRtAnswer(
  state: SimulatedState,
  kind: GtfsRtKind,
  { publisher, publishedAt = state.now }: GtfsRtAnswerOptions = {},
): FeedMessage {
  return {
    header: { gtfsRealtimeVersion: '2.0', incrementality: 'FULL_DATASET', timestamp: publishedAt },
    entity: entityBuilders[kind](publisher === undefined ? state : selectPublisher(state, publisher)),
  };
}

function selectPublisher({ trips, alerts, ...state }: SimulatedState, publisher: SamplePublisher): SimulatedState {
  const isTheirs = (one: { readonly publisher: SamplePublisher }) => one.publisher === publisher;
  return { ...state, trips: trips.filter(isTheirs), alerts: alerts.filter(isTheirs) };
}

const entityBuilders: Readonly<Record<GtfsRtKind, (state: SimulatedState) => FeedEntity[]>> = {
  tripUpdates: ({ trips, now }) =>
    trips
      .filter(({ isDataLost }) => !isDataLost)
      .map((trip) => ({ id: entityId(trip), tripUpdate: buildTripUpdate(trip, now) })),
  vehiclePositions: ({ trips, now }) =>
    trips.flatMap((trip) => {
      const vehicle = trip.isDataLost ? null : buildVehiclePosition(trip, now);
      return vehicle ? [{ id: `vehicle ${entityId(trip)}`, vehicle }] : [];
    }),
  alerts: ({ alerts }) => alerts.map((alert) => ({ id: alert.id, alert: buildAlert(alert) })),
};

/** The start time distinguishes the trips of a frequency. */
function entityId({ tripId, startDate, startTime }: SimulatedTrip): string {
  return `${tripId} ${startDate} ${formatServiceTime(startTime)}`;
}

// ---- Trips -------------------------------------------------------------------------------------

function buildTripUpdate(trip: SimulatedTrip, now: Instant): TripUpdate {
  const isCancelled = trip.state === 'cancelled';
  return {
    trip: buildDescriptor(trip),
    ...(trip.vehicle && { vehicle: { id: trip.vehicle.id, label: trip.vehicle.id } }),
    ...(trip.state === 'added' && { tripProperties: { tripHeadsign: trip.headsign } }),
    stopTimeUpdate: isCancelled ? [] : trip.calls.map((call, position) => buildStopTime(trip, call, position, now)),
    timestamp: now,
  };
}

function buildDescriptor(trip: SimulatedTrip): TripDescriptor {
  const relationships = { scheduled: 'SCHEDULED', cancelled: 'CANCELED', added: 'NEW' } as const;
  return {
    tripId: trip.tripId,
    routeId: trip.routeId,
    directionId: trip.directionId,
    startDate: compactDate(trip.startDate),
    startTime: formatServiceTime(trip.startTime),
    scheduleRelationship: relationships[trip.state],
  };
}

function buildStopTime(trip: SimulatedTrip, call: SimulatedCall, position: number, now: Instant): StopTimeUpdate {
  const isFirst = position === 0;
  const isLast = position === trip.calls.length - 1;
  // A skipped stop has no times; the plan of an added trip is known from this feed alone.
  const event = (time: Instant, scheduledTime: Instant): StopTimeEvent => ({
    ...buildEvent(time, now, trip.isMeasured),
    ...(trip.state === 'added' ? { scheduledTime } : { delay: time - scheduledTime }),
  });
  return {
    stopSequence: call.stopSequence,
    stopId: call.stop.stopId,
    ...(call.isSkipped && { scheduleRelationship: 'SKIPPED' }),
    ...(!call.isSkipped && !isFirst && { arrival: event(call.arrival, call.scheduledArrival) }),
    ...(!call.isSkipped && !isLast && { departure: event(call.departure, call.scheduledDeparture) }),
    ...(hasOccupancy.calls(trip) &&
      !call.isSkipped &&
      !isLast && { departureOccupancyStatus: simulateOccupancy(trip, position) }),
    ...(call.assignedStopId !== null && { stopTimeProperties: { assignedStopId: call.assignedStopId } }),
  };
}

/** As real publishers differ: that of Styria reports occupancies of calls, that of Vienna those of vehicles. */
const hasOccupancy = {
  calls: ({ publisher }: SimulatedTrip) => publisher === 'stmk',
  vehicles: ({ publisher }: SimulatedTrip) => publisher === 'wien',
} as const;

function buildEvent(
  time: Instant,
  now: Instant,
  isMeasured: boolean,
): Required<Pick<StopTimeEvent, 'time' | 'uncertainty'>> {
  const aheadSeconds = Math.max(0, time - now);
  return { time, uncertainty: aheadSeconds === 0 && isMeasured ? 0 : 30 + Math.round(aheadSeconds / 20) };
}

// ---- Vehicles ----------------------------------------------------------------------------------

function buildVehiclePosition(trip: SimulatedTrip, now: Instant): VehiclePosition | null {
  const { vehicle } = trip;
  if (!vehicle) return null;
  const call = trip.calls[vehicle.position]!;
  return {
    trip: buildDescriptor(trip),
    vehicle: { id: vehicle.id, label: vehicle.id },
    position: { latitude: vehicle.lat, longitude: vehicle.lon, bearing: vehicle.headingDeg },
    currentStopSequence: call.stopSequence,
    stopId: call.stop.stopId,
    // Only measured vehicles report that they are at a stop.
    currentStatus: vehicle.isStopped && trip.isMeasured ? 'STOPPED_AT' : 'IN_TRANSIT_TO',
    timestamp: now,
    ...(hasOccupancy.vehicles(trip) && { occupancyStatus: describeOccupancy(trip, vehicle) }),
  };
}

/** On the way to a call, a vehicle is as full as when it departed from the previous one. */
function describeOccupancy(trip: SimulatedTrip, { position, isStopped }: SimulatedVehicle) {
  return simulateOccupancy(trip, isStopped ? position : Math.max(0, position - 1));
}

// ---- Alerts ------------------------------------------------------------------------------------

const reasons: Readonly<Record<NoticeKind, { readonly cause: AlertCause; readonly effect: AlertEffect }>> = {
  replacementService: { cause: 'MAINTENANCE', effect: 'MODIFIED_SERVICE' },
  construction: { cause: 'CONSTRUCTION', effect: 'DETOUR' },
  cancellation: { cause: 'TECHNICAL_PROBLEM', effect: 'NO_SERVICE' },
  information: { cause: 'OTHER_CAUSE', effect: 'MODIFIED_SERVICE' },
  emergency: { cause: 'POLICE_ACTIVITY', effect: 'DETOUR' },
  allClear: { cause: 'OTHER_CAUSE', effect: 'NO_EFFECT' },
  loadingTime: { cause: 'OTHER_CAUSE', effect: 'OTHER_EFFECT' },
  announcement: { cause: 'OTHER_CAUSE', effect: 'NO_EFFECT' },
  other: { cause: 'UNKNOWN_CAUSE', effect: 'UNKNOWN_EFFECT' },
};

function buildAlert(alert: SimulatedAlert): Alert {
  const { cause, effect } = reasons[alert.kind];
  const [link] = alert.links;
  return {
    activePeriod: alert.activeWindows.map(({ from, to }) => ({
      ...(from !== null && { start: from }),
      ...(to !== null && { end: to }),
    })),
    informedEntity: listSelectors(alert),
    cause,
    effect: alert.isAccess ? 'ACCESSIBILITY_ISSUE' : effect,
    ...(alert.kind === 'replacementService' && { effectDetail: inGerman('Schienenersatzverkehr') }),
    ...(link && { url: inGerman(link.url) }),
    headerText: inGerman(alert.title),
    ...(alert.text !== '' && { descriptionText: inGerman(alert.text) }),
    severityLevel: severityOf(alert.priority),
  };
}

/** All members of a selector must match, so a line at several stops needs several selectors. */
function listSelectors({ lines, stops, trips }: SimulatedAlert): EntitySelector[] {
  if (trips.length > 0) return trips.map((trip) => ({ trip: describe(trip) }));
  const places = stops.flatMap(({ id }) => (id === null ? [] : [{ stopId: id }]));
  const routes = lines.map(({ agencyId, routeId }) => ({
    ...(agencyId !== null && { agencyId }),
    ...(routeId !== null && { routeId }),
  }));
  if (routes.length === 0 || places.length === 0) return [...routes, ...places];
  return routes.flatMap((route) => places.map((place) => ({ ...route, ...place })));
}

function describe({ tripId, routeId, startDate, startTime }: TripName): TripDescriptor {
  return {
    ...(tripId !== null && { tripId }),
    ...(routeId !== null && { routeId }),
    ...(startDate !== null && { startDate: compactDate(startDate) }),
    ...(startTime !== null && { startTime: formatServiceTime(startTime as ServiceTime) }),
  };
}

function severityOf(priority: number): SeverityLevel {
  if (priority <= 20) return 'SEVERE';
  return priority <= 40 ? 'WARNING' : 'INFO';
}

function inGerman(text: string): TranslatedString {
  return { translation: [{ text, language: 'de' }] };
}

function compactDate(date: ServiceDate): string {
  return date.replaceAll('-', '');
}

/** One path of the fake upstream. */
interface UpstreamRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * Interval at which the answer changes, as publishers update their files; in between it is identical.
   */
  readonly stepSeconds: number;
  answer(request: UpstreamRequest, state: SimulatedState, times: SimulatedTimes): UpstreamAnswer;
}

interface SimulatedTimes extends UpstreamTimes {
  /** Real platform numbers, which the city uses in its traffic information. */
  readonly metroStations: readonly MetroStation[];
}

/** The paths of all four protocols. */
export const upstreamRoutes: readonly UpstreamRoute[] = [
  ...[undefined, ...samplePublishers].flatMap((publisher) => [
    gtfsRtRoute('trip-updates.pb', 'tripUpdates', publisher),
    gtfsRtRoute('vehicle-positions.pb', 'vehiclePositions', publisher),
    gtfsRtRoute('alerts.pb', 'alerts', publisher),
  ]),
  {
    ...jsonGet('/ogd_realtime/monitor'),
    answer: ({ query }, state, { serverTime }) => {
      const divas = query.getAll('diva').map(Number).filter(Number.isSafeInteger);
      return json(buildMonitorAnswer(state, divas, { serverTime }));
    },
  },
  {
    ...jsonGet('/ogd_realtime/trafficInfoList'),
    answer: (_, state, { metroStations }) => json(buildTrafficInfoAnswer(state, metroStations)),
  },
  { ...jsonGet('/ogd_realtime/newsList'), answer: (_, state) => json(buildNewsAnswer(state)) },
  stopEventRoute('/trias'),
  stopEventRoute('/ojp'),
  {
    method: 'POST',
    path: '/hafas/mgate',
    stepSeconds: 1,
    answer: ({ body }, state) => {
      const request = readMgateRequest(body);
      return json(
        request ? buildMgateAnswer(state, request) : buildMgateRefusal('PARSE', 'the fake does not know that'),
      );
    },
  },
];

/** @param publisher reports only its lines, under a separate folder; undefined: all lines */
function gtfsRtRoute(file: string, kind: GtfsRtKind, publisher: SamplePublisher | undefined): UpstreamRoute {
  return {
    method: 'GET',
    path: publisher === undefined ? `/gtfs-rt/${file}` : `/gtfs-rt/${publisher}/${file}`,
    stepSeconds: 15,
    answer: (_, state) => ({
      status: 200,
      headers: { 'content-type': 'application/x-protobuf', 'last-modified': httpDate(state.now) },
      body: encodeFeedMessage(buildGtfsRtAnswer(state, kind, publisher === undefined ? {} : { publisher })),
    }),
  };
}

function jsonGet(path: string): Pick<UpstreamRoute, 'method' | 'path' | 'stepSeconds'> {
  return { method: 'GET', path, stepSeconds: 1 };
}

/** TRIAS, OJP 1.0 and OJP 2.0, distinguished by the request. */
function stopEventRoute(path: string): UpstreamRoute {
  return {
    method: 'POST',
    path,
    stepSeconds: 1,
    answer: ({ body }, state) => {
      const request = readStopEventRequest(body);
      if (!request) return textAnswer(400, 'text/plain; charset=utf-8', 'Not a request for stop events.\n');
      return textAnswer(200, 'text/xml; charset=utf-8', buildStopEventAnswer(state, request));
    },
  };
}

function json(value: object): UpstreamAnswer {
  return textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(value));
}

const STATES_KEPT = 3;

/** Answers of the made-up country in every protocol. @param metroStations of the lookup, as in the real city */
export function simulatedAnswers(simulator: Simulator, metroStations: readonly MetroStation[] = []): AnswerSource {
  // Caching is safe: a state never changes, and one instant is requested several times.
  const states = new Map<Instant, SimulatedState>();
  const stateAt = (at: Instant): SimulatedState => {
    const state = states.get(at) ?? simulator.stateAt(at);
    states.set(at, state);
    if (states.size > STATES_KEPT) states.delete(states.keys().next().value!);
    return state;
  };
  return (request, { at, serverTime }) => {
    const route = upstreamRoutes.find(({ path }) => path === request.path);
    if (!route) return null;
    if (route.method !== request.method) {
      return { status: 405, headers: { allow: route.method }, body: new Uint8Array(0) };
    }
    const written = (at - (at % route.stepSeconds)) as Instant;
    return route.answer(request, stateAt(written), { at: written, serverTime, metroStations });
  };
}
