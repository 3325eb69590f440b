import { isClockOff } from '../../model/clock-tolerance.ts';
import {
  type CallReport,
  emptyUpdate,
  type ReportedTime,
  type SourceUpdate,
  type TripReport,
} from '../../model/realtime.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import { toAlertReports } from './alert-reports.ts';
import { addProblem, noFixes, openContext, type PublisherFixes, type TriasContext } from './answer-context.ts';
import type { RawAnswer } from './raw-answer.ts';
import { toTripReport } from './trip-reports.ts';

/**
 * Merges the reports of each dated trip into one. An answer contains a trip twice if it calls twice at the stop or is
 * part of several connections. The reports complete each other; each one merged into another is counted as
 * `repeated_trip`.
 */
function mergeTrips(reports: readonly TripReport[], context: TriasContext): readonly TripReport[] {
  const merged = new Map<string, TripReport>();
  for (const report of reports) {
    const { tripId, startDate } = report.trip;
    const key = tripId === null ? report.place : `${tripId} ${startDate}`;
    const known = merged.get(key);
    if (known) addProblem(context, 'repeated_trip', report.place, `already reported at ${known.place}`);
    merged.set(key, known ? mergeTrip(known, report) : report);
  }
  return [...merged.values()];
}

function mergeTrip(known: TripReport, other: TripReport): TripReport {
  const isNew = (call: CallReport) => !known.calls.some((candidate) => isSameCall(candidate, call));
  const added = other.calls.filter(isNew);
  const calls = known.calls.map((call) => {
    const same = other.calls.find((candidate) => isSameCall(candidate, call));
    return same ? mergeCall(call, same) : call;
  });
  return {
    ...known,
    relationship: other.relationship === 'cancelled' ? 'cancelled' : known.relationship,
    calls: added.length === 0 ? calls : [...calls, ...added].sort((a, b) => timeOf(a) - timeOf(b)),
  };
}

/** A trip that calls twice at a stop does so at different times. */
function isSameCall(a: CallReport, b: CallReport): boolean {
  const isSameTime = (one: ReportedTime | null, two: ReportedTime | null) =>
    one !== null && two !== null && one.scheduledTime === two.scheduledTime;
  return a.stop?.id === b.stop?.id && (isSameTime(a.arrival, b.arrival) || isSameTime(a.departure, b.departure));
}

function mergeCall(known: CallReport, other: CallReport): CallReport {
  return {
    ...known,
    arrival: known.arrival ?? other.arrival,
    departure: known.departure ?? other.departure,
    state: known.state === 'normal' ? other.state : known.state,
    scheduledPlatform: known.scheduledPlatform ?? other.scheduledPlatform,
    platform: known.platform ?? other.platform,
  };
}

/** Calls without any time come first. */
function timeOf({ arrival, departure }: CallReport): number {
  return departure?.scheduledTime ?? arrival?.scheduledTime ?? departure?.time ?? arrival?.time ?? 0;
}

export interface NormaliseOptions {
  /** Id for problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
  readonly fixes?: PublisherFixes;
  /** False: situations are ignored, but still count as records. */
  readonly includeSituations?: boolean;
}

/** Events are requested from now on: if the newest is older than this, the upstream is frozen. */
const MAX_EVENT_AGE_SECONDS = 3600;

/**
 * Normalises an answer. Trips come from stop events, legs and trip infos alike; locations have no realtime and only
 * count as records.
 */
export function normaliseAnswer(answer: RawAnswer, options: NormaliseOptions): SourceUpdate {
  const { source, fetchedAt, fixes = noFixes, includeSituations = true } = options;
  const publishedAt = answer.responseTime === null ? null : parseTimestamp(answer.responseTime);
  const context = openContext(answer, { source, knownAt: publishedAt ?? fetchedAt, fixes });
  if (answer.responseTime !== null && publishedAt === null) {
    addProblem(context, 'bad_time', 'answer', answer.responseTime.slice(0, 60));
  }
  const reports = answer.trips.flatMap((trip) => toTripReport(trip, context) ?? []);
  const trips = mergeTrips(reports, context);
  const alerts = includeSituations ? toAlertReports(answer.situations, answer.trips, context) : [];
  const isFrozen = isClockOff(publishedAt, fetchedAt) || hasStopped(trips, fetchedAt);
  if (isFrozen)
    addProblem(context, 'frozen_answer', 'answer', `answered at ${answer.responseTime}, its times are not of now`);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen,
    trips,
    alerts,
    recordCount: answer.recordCount,
    problems: context.problems,
  };
}

function hasStopped(trips: readonly TripReport[], fetchedAt: Instant): boolean {
  const times = trips
    .flatMap(({ calls }) => calls.flatMap(({ arrival, departure }) => [arrival, departure]))
    .flatMap((report) => report?.time ?? report?.scheduledTime ?? []);
  return times.length > 0 && times.every((time) => time < fetchedAt - MAX_EVENT_AGE_SECONDS);
}
