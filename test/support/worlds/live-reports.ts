import { linesAtStops } from '../../../pipeline/model/alert-entities.ts';
import type {
  AlertReport,
  CallReport,
  ReportedTime,
  StopName,
  TripName,
  TripReport,
  VehicleReport,
} from '../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { instant } from './board-world.ts';

// Reports of a source in short form: what a test omits is absent in the report.

/** A stop of the timetable by its id, or a stop by its name only. */
export function stopOf(id: string | null, name: string | null = null): StopName {
  return { id, idSpace: 'gtfs', name, lat: null, lon: null };
}

export function tripOf(tripId: string | null, over: Partial<TripName> = {}): TripName {
  return {
    tripId,
    routeId: null,
    directionId: null,
    startDate: null,
    startTime: null,
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
    ...over,
  };
}

/** A time in a report: RFC 3339, or seconds since 1970. */
type ReportInstant = string | number;
const toInstant = (at: ReportInstant) => (typeof at === 'string' ? instant(at) : (at as Instant));

/** @param planned null if the publisher does not report the schedule */
export function timeOf(
  time: ReportInstant | null,
  planned: ReportInstant | null = null,
  isMeasured = false,
): ReportedTime {
  return {
    scheduledTime: planned === null ? null : toInstant(planned),
    time: time === null ? null : toInstant(time),
    delaySeconds: null,
    isMeasured,
  };
}

export function callOf(stop: StopName, over: Partial<CallReport> = {}): CallReport {
  return {
    stopSequence: null,
    stop,
    arrival: null,
    departure: null,
    state: 'normal',
    scheduledPlatform: null,
    platform: null,
    cancelledEvent: null,
    assignedStopId: null,
    ...over,
  };
}

export function reportOf(trip: TripName, over: Partial<TripReport> = {}): TripReport {
  return {
    place: 'entity 1',
    trip,
    relationship: 'scheduled',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls: [],
    vehicleId: null,
    originName: null,
    isSpecial: false,
    ...over,
  };
}

export function vehicleOf(id: string, over: Partial<VehicleReport> = {}): VehicleReport {
  return {
    place: `vehicle ${id}`,
    id,
    label: null,
    trip: null,
    lat: 48,
    lon: 16,
    headingDeg: null,
    recordedAt: null,
    stop: null,
    stopSequence: null,
    stopStatus: null,
    relationship: 'scheduled',
    ...over,
  };
}

/** By default the lists restrict an alert to these lines at these stops, and to these trips. */
export function alertOf(id: string, over: Partial<AlertReport> = {}): AlertReport {
  const named = { lines: over.lines ?? [], stops: over.stops ?? [], trips: over.trips ?? [] };
  return {
    place: `alert ${id}`,
    id,
    kind: 'information',
    category: null,
    priority: 50,
    title: `Title ${id}`,
    text: `Text ${id}`,
    operatorName: null,
    isAccess: false,
    activeWindows: [],
    ...named,
    entities: linesAtStops(named),
    links: [],
    pin: null,
    ...over,
  };
}
