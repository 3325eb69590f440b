import type { AlertCause, AlertEffect, SeverityLevel } from '../../formats/gtfs-rt/feed-enums.ts';
import type {
  Alert,
  EntitySelector,
  FeedEntity,
  FeedMessage,
  StopTimeEvent,
  StopTimeUpdate,
  TranslatedString,
  TripDescriptor,
  TripUpdate,
  VehiclePosition,
} from '../../formats/gtfs-rt/feed-message.ts';
import type { NoticeKind } from '../../model/notice-kind.ts';
import type { TripName } from '../../model/realtime.ts';
import { formatServiceTime, type Instant, type ServiceDate, type ServiceTime } from '../../model/service-time.ts';
import type { SimulatedAlert, SimulatedCall, SimulatedState, SimulatedTrip } from '../simulator/simulated-state.ts';

export type GtfsRtKind = 'tripUpdates' | 'vehiclePositions' | 'alerts';

export interface GtfsRtAnswerOptions {
  /** The header's timestamp where it is not now: a publisher whose clock is wrong. */
  readonly publishedAt?: Instant;
}

/**
 * What a publisher of GTFS-Realtime would answer in the made-up country. Trips without data are left out; times that
 * have passed have uncertainty 0, so that they count as observed; forecasts grow less certain the further they reach.
 * Entities have ids that are the same in the next answer.
 */
export function buildGtfsRtAnswer(
  state: SimulatedState,
  kind: GtfsRtKind,
  { publishedAt = state.now }: GtfsRtAnswerOptions = {},
): FeedMessage {
  return {
    header: { gtfsRealtimeVersion: '2.0', incrementality: 'FULL_DATASET', timestamp: publishedAt },
    entity: entityBuilders[kind](state),
  };
}

const entityBuilders: Readonly<Record<GtfsRtKind, (state: SimulatedState) => FeedEntity[]>> = {
  tripUpdates: ({ trips, now }) =>
    trips
      .filter(({ isSilent }) => !isSilent)
      .map((trip) => ({ id: entityId(trip), tripUpdate: buildTripUpdate(trip, now) })),
  vehiclePositions: ({ trips, now }) =>
    trips.flatMap((trip) => {
      const vehicle = trip.isSilent ? null : buildVehiclePosition(trip, now);
      return vehicle ? [{ id: `vehicle ${entityId(trip)}`, vehicle }] : [];
    }),
  alerts: ({ alerts }) => alerts.map((alert) => ({ id: alert.id, alert: buildAlert(alert) })),
};

/** The start time tells the runs of a frequency apart. */
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
  // A stop that is skipped has no times; where a trip is new, nobody knows the plan but the publisher.
  const event = (time: Instant, scheduledTime: Instant): StopTimeEvent => ({
    ...buildEvent(time, now),
    ...(trip.state === 'added' ? { scheduledTime } : { delay: time - scheduledTime }),
  });
  return {
    stopSequence: call.stopSequence,
    stopId: call.stop.stopId,
    ...(call.isSkipped && { scheduleRelationship: 'SKIPPED' }),
    ...(!call.isSkipped && !isFirst && { arrival: event(call.arrival, call.scheduledArrival) }),
    ...(!call.isSkipped && !isLast && { departure: event(call.departure, call.scheduledDeparture) }),
    ...(call.assignedStopId !== null && { stopTimeProperties: { assignedStopId: call.assignedStopId } }),
  };
}

function buildEvent(time: Instant, now: Instant): Required<Pick<StopTimeEvent, 'time' | 'uncertainty'>> {
  const aheadSeconds = time - now;
  return { time, uncertainty: aheadSeconds <= 0 ? 0 : 30 + Math.round(aheadSeconds / 20) };
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
    currentStatus: vehicle.isStopped ? 'STOPPED_AT' : 'IN_TRANSIT_TO',
    timestamp: now,
  };
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

/** The members of a selector are met together, so a line at several stops is several selectors. */
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
