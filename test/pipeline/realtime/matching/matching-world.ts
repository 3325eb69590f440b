import { linesAtStops } from '../../../../pipeline/model/alert-entities.ts';
import type {
  AlertReport,
  CallReport,
  IdSpace,
  StopName,
  TripName,
  TripReport,
  VehicleReport,
} from '../../../../pipeline/model/realtime.ts';
import { type EpochDay, fromEpochDay } from '../../../../pipeline/model/service-time.ts';
import type { MatchContext, TripMatch } from '../../../../pipeline/realtime/matching/match-result.ts';
import { type Matcher, openMatcher } from '../../../../pipeline/realtime/matching/open-matcher.ts';
import type { StopLookups } from '../../../../pipeline/realtime/matching/stop-links.ts';
import type { TimetableTables } from '../../../../pipeline/snapshots/timetable-contract.ts';
import { instant, openWorld } from '../../../support/worlds/board-world.ts';
import { type FeedInput, mergeNothing } from '../../../support/worlds/ingest.ts';

/** A timetable, its matcher, and results as text. */
export interface MatchingWorld {
  readonly tables: TimetableTables;
  readonly matcher: Matcher;
  /** `t1 2026-03-02 trip_id 0 1 2`: trip, day, method, positions; else the reason. */
  describe(match: TripMatch): string;
  /** `stopId` of a row, or `-`. */
  stopId(row: number | null): string;
}

export async function openMatching(
  feeds: string | Readonly<Record<string, FeedInput>>,
  lookups: Partial<StopLookups> = {},
  merging = mergeNothing,
): Promise<MatchingWorld> {
  // Similar trips must be distinguished: `duplicates.test.ts` has those that are merged.
  const { timetable } = await openWorld(feeds, { settings: { merging } });
  const { tables } = timetable;
  return {
    tables,
    matcher: openMatcher({ tables }, { stopLinks: [], metroStations: [], ...lookups }),
    describe(match) {
      if (match.kind === 'added') return 'added';
      if (match.kind === 'unmatched') return match.reason;
      const name = nameTrip(tables, match.trip, match.day);
      const problems = match.callProblems > 0 ? ` (${match.callProblems} lost)` : '';
      return [name, match.how, ...match.positions].join(' ') + problems;
    },
    stopId: (row) => (row === null || row < 0 ? '-' : tables.stops.stopId.get(row)),
  };
}

/** `t1 2026-03-02`, a run as `often@06:20 2026-03-02`. */
export function nameTrip({ trips }: TimetableTables, trip: number, day: EpochDay | number): string {
  const start = trips.frequencyStart[trip]!;
  const clock = new Date(Math.max(0, start) * 1000).toISOString().slice(11, 16);
  return `${trips.tripId.get(trip)}${start < 0 ? '' : `@${clock}`} ${fromEpochDay(day)}`;
}

export function context(now: string, timetableSource: string | null = null): MatchContext {
  return { now: instant(now), timetableSource };
}

// ---- Reports -----------------------------------------------------------------------------------

const nobody: TripName = {
  tripId: null,
  routeId: null,
  directionId: null,
  startDate: null,
  startTime: null,
  lineLabel: null,
  product: null,
  operatorName: null,
  headsign: null,
};

export function tripName(reported: Partial<TripName>): TripName {
  return { ...nobody, ...reported };
}

export function stopName(id: string | null, idSpace: IdSpace = 'gtfs', reported: Partial<StopName> = {}): StopName {
  return { id, idSpace, name: null, lat: null, lon: null, ...reported };
}

export interface ReportedCall {
  /** GTFS stop id, or any stop. */
  readonly stop?: string | StopName;
  readonly sequence?: number;
  /** Scheduled departure, RFC 3339. */
  readonly at?: string;
  /** Scheduled arrival. */
  readonly arrivalAt?: string;
  /** Estimated departure. */
  readonly estimated?: string;
  readonly state?: CallReport['state'];
}

export function callReport({ stop, sequence, at, arrivalAt, estimated, state }: ReportedCall): CallReport {
  return {
    stopSequence: sequence ?? null,
    stop: typeof stop === 'string' ? stopName(stop) : (stop ?? null),
    arrival: timeReport(arrivalAt, undefined),
    departure: timeReport(at, estimated),
    state: state ?? 'normal',
    scheduledPlatform: null,
    platform: null,
    cancelledEvent: null,
    assignedStopId: null,
  };
}

function timeReport(planned: string | undefined, estimated: string | undefined): CallReport['departure'] {
  if (planned === undefined && estimated === undefined) return null;
  return {
    scheduledTime: planned === undefined ? null : instant(planned),
    time: estimated === undefined ? null : instant(estimated),
    delaySeconds: null,
    isMeasured: false,
  };
}

export function tripReport(
  trip: Partial<TripName>,
  calls: readonly ReportedCall[] = [],
  reported: Partial<TripReport> = {},
): TripReport {
  return {
    place: 'entity 1',
    trip: tripName(trip),
    relationship: 'scheduled',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls: calls.map(callReport),
    vehicleId: null,
    originName: null,
    isSpecial: false,
    ...reported,
  };
}

export function vehicleReport(trip: Partial<TripName> | null, reported: Partial<VehicleReport> = {}): VehicleReport {
  return {
    place: 'entity 1',
    id: 'v1',
    label: null,
    trip: trip && tripName(trip),
    lat: 48.2,
    lon: 16.4,
    headingDeg: null,
    recordedAt: null,
    stop: null,
    stopSequence: null,
    stopStatus: null,
    relationship: 'scheduled',
    ...reported,
  };
}

export function alertReport(reported: Partial<AlertReport>): AlertReport {
  const named = { lines: reported.lines ?? [], stops: reported.stops ?? [], trips: reported.trips ?? [] };
  return {
    place: 'entity 1',
    id: 'a1',
    kind: 'information',
    category: null,
    priority: 50,
    title: 'Gesperrt',
    text: '',
    operatorName: null,
    isAccess: false,
    activeWindows: [],
    ...named,
    entities: linesAtStops(named),
    links: [],
    pin: null,
    ...reported,
  };
}
