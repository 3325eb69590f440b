import type { CallReport, TimeReport, TripReport } from '../../model/realtime.ts';
import { type AnswerContext, tell } from './answer-context.ts';

/**
 * One report for each dated trip. An answer tells of a trip twice when it calls twice at the stop, or when several
 * connections use it; what one of the reports lacks the other adds, and each that is taken up by another is a problem
 * of the code `repeated_trip`.
 */
export function mergeTrips(reports: readonly TripReport[], context: AnswerContext): readonly TripReport[] {
  const merged = new Map<string, TripReport>();
  for (const report of reports) {
    const { tripId, startDate } = report.trip;
    const key = tripId === null ? report.place : `${tripId} ${startDate}`;
    const known = merged.get(key);
    if (known) tell(context, 'repeated_trip', report.place, `told at ${known.place} already`);
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
  const isSameTime = (one: TimeReport | null, two: TimeReport | null) =>
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
