import { type CallEvent, callEvents } from '../../model/observation.ts';
import type { CallReport, ReportedTime } from '../../model/realtime.ts';
import { type AnswerFacts, type CallMemory, isObserved } from './memory.ts';
import type { TripPlan } from './planned-calls.ts';

/** A time further from its plan than this is a publisher's error. */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** For calls without a plan: no publisher adds a trip with times further ahead than this. */
const MAX_AHEAD_SECONDS = 48 * 3600;

/** A dated trip whose reports are judged. */
export interface JudgedTrip {
  /** By position, before the reports are applied; undefined when nothing was ever reported. */
  readonly calls: readonly (CallMemory | undefined)[];
  readonly plan: TripPlan;
  readonly answer: AnswerFacts;
  /** A time further before its plan is refused, unless the vehicle is known to have come that far. */
  readonly maxEarlySeconds: number;
}

/** How many times of a report were refused, by code. */
export interface RefusedTimes {
  /** Further from the plan than any delay. */
  readonly implausible_time: number;
  /** Long before the plan, of a vehicle that is not known to have come that far. */
  readonly implausibly_early: number;
}

export interface BelievedReports {
  /** By position, in travel order. An event whose time was refused counts as not reported. */
  readonly reports: ReadonlyMap<number, CallReport>;
  /** Seconds; of the whole trip. */
  readonly tripDelay: number | null;
  readonly refused: RefusedTimes;
}

/**
 * Refuses the times of a report that cannot be true.
 * @param reports the report's calls by position
 * @param tripDelay seconds; of the whole trip
 */
export function refuseTimes(
  trip: JudgedTrip,
  reports: ReadonlyMap<number, CallReport>,
  tripDelay: number | null,
): BelievedReports {
  const believed = new Map<number, CallReport>();
  const refused = { implausible_time: 0, implausibly_early: 0 };
  /** The last believed time of the calls before, and whether the vehicle was observed at the present one. */
  let before: number | null = null;
  for (const [position, report] of [...reports].sort(([a], [b]) => a - b)) {
    let call = report;
    let isThere = wasObserved(trip, position);
    let last: number | null = null;
    for (const name of callEvents) {
      const time = readReportedTime(trip, position, name, report[name]);
      if (time === null || report.state === 'skipped' || report.state === 'noData') continue;
      const code = findRefusal(
        trip,
        position,
        name,
        time,
        isThere || (before !== null && before <= trip.answer.knownAt),
      );
      if (code) {
        refused[code] += 1;
        call = { ...call, [name]: null };
        continue;
      }
      last = time;
      isThere ||= report[name]!.isMeasured && time <= trip.answer.knownAt;
    }
    before = last ?? before;
    believed.set(position, call);
  }
  if (tripDelay === null || -tripDelay <= trip.maxEarlySeconds || wasObserved(trip, 0)) {
    return { reports: believed, tripDelay, refused };
  }
  return {
    reports: believed,
    tripDelay: null,
    refused: { ...refused, implausibly_early: refused.implausibly_early + 1 },
  };
}

/** @returns null for an event that is reported without a time */
export function readReportedTime(
  { plan }: Pick<JudgedTrip, 'plan'>,
  position: number,
  name: CallEvent,
  report: ReportedTime | null,
): number | null {
  if (report === null) return null;
  const scheduled = plan.at(position, name);
  const moved = scheduled > 0 && report.delaySeconds !== null ? scheduled + report.delaySeconds : null;
  return report.time ?? moved;
}

/** @param hasCome the vehicle is known to have come as far as the call */
function findRefusal(
  { plan, answer, maxEarlySeconds }: JudgedTrip,
  position: number,
  name: CallEvent,
  time: number,
  hasCome: boolean,
): keyof RefusedTimes | null {
  const scheduled = plan.at(position, name);
  const isPlanned = scheduled > 0;
  const away = Math.abs(time - (isPlanned ? scheduled : answer.knownAt));
  if (away > (isPlanned ? MAX_DELAY_SECONDS : MAX_AHEAD_SECONDS)) return 'implausible_time';
  return isPlanned && scheduled - time > maxEarlySeconds && !hasCome ? 'implausibly_early' : null;
}

/** Whether the vehicle was observed at a call or later. */
function wasObserved({ calls }: JudgedTrip, position: number): boolean {
  for (let later = position; later < calls.length; later++) {
    const call = calls[later];
    if (call && isObserved(call)) return true;
  }
  return false;
}
