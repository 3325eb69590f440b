/**
 * Reason for which a call is excluded from learning, running statistics and metrics.
 * @see prediction-evaluation, layout `pl_rail`, rule 1
 */
export const implausibleCodes = ['early_departure', 'before_previous_event'] as const;
export type ImplausibleCode = (typeof implausibleCodes)[number];

/** Number of excluded calls, by code. */
export type ImplausibleCounts = Readonly<Record<ImplausibleCode, number>>;

/** Seconds; a departure that is earlier than this before the plan is an error of the publisher. */
const MAX_EARLY_SECONDS = 600;
/** Seconds that an event may lie before the previous event of its trip: publishers round. */
const MAX_BACK_SECONDS = 120;

/** Calls grouped by dated trip, in order of travel; NaN for an event that was not observed. */
interface ObservedCalls {
  /** Number of the dated trip, by call. */
  readonly datedTrip: Int32Array;
  /** UTC seconds; NaN at the first call of a trip. */
  arrivalTime(place: number): number;
  /** UTC seconds, and seconds of delay; NaN at the last call of a trip, and where the departure was filled in. */
  departureTime(place: number): number;
  departureDelay(place: number): number;
}

/** An excluded call: its index among all, and the reason. */
interface ImplausibleCall {
  readonly place: number;
  readonly code: ImplausibleCode;
}

/**
 * Checks a call by itself and against the last event of its trip that was kept.
 * @param previous UTC seconds of that event; NaN if unknown
 * @returns null for a plausible call
 */
export function checkCall(
  previous: number,
  arrivalTime: number,
  departureTime: number,
  departureDelay: number,
): ImplausibleCode | null {
  if (departureDelay < -MAX_EARLY_SECONDS) return 'early_departure';
  const isArrivalBack = arrivalTime < previous - MAX_BACK_SECONDS;
  const isDepartureBack = departureTime < lastEvent(previous, arrivalTime, Number.NaN) - MAX_BACK_SECONDS;
  return isArrivalBack || isDepartureBack ? 'before_previous_event' : null;
}

/** The last event after a call was kept: its departure, else its arrival, else the previous event. */
export function lastEvent(previous: number, arrivalTime: number, departureTime: number): number {
  if (!Number.isNaN(departureTime)) return departureTime;
  return Number.isNaN(arrivalTime) ? previous : arrivalTime;
}

/** Finds the calls to exclude, in order. */
export function findImplausibleCalls(calls: ObservedCalls): ImplausibleCall[] {
  const { datedTrip } = calls;
  const found: ImplausibleCall[] = [];
  let previous = Number.NaN;
  for (let place = 0; place < datedTrip.length; place++) {
    if (place === 0 || datedTrip[place] !== datedTrip[place - 1]) previous = Number.NaN;
    const [arrival, departure] = [calls.arrivalTime(place), calls.departureTime(place)];
    const code = checkCall(previous, arrival, departure, calls.departureDelay(place));
    if (code === null) previous = lastEvent(previous, arrival, departure);
    else found.push({ place, code });
  }
  return found;
}

export function countImplausible(calls: readonly ImplausibleCall[]): ImplausibleCounts {
  const count = (code: ImplausibleCode) => calls.reduce((sum, call) => sum + (call.code === code ? 1 : 0), 0);
  return { early_departure: count('early_departure'), before_previous_event: count('before_previous_event') };
}
