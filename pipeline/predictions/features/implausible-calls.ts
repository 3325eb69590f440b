/**
 * Why a call is left out of learning, of running statistics and of figures.
 * @see prediction-evaluation, layout `pl_rail`, rule 1
 */
export const implausibleCodes = ['early_departure', 'before_previous_event'] as const;
export type ImplausibleCode = (typeof implausibleCodes)[number];

/** How many calls were left out, by code. */
export type ImplausibleCounts = Readonly<Record<ImplausibleCode, number>>;

/** A departure that is more than so many seconds early is a slip of the publisher. */
const MOST_EARLY = 600;
/** So many seconds may an event lie before the one ahead of it in its trip: publishers round. */
const MOST_BACK = 120;

/** Calls one after another, those of a run together in their order; NaN for an event that was not observed. */
interface ObservedCalls {
  /** Number of the run, by call. */
  readonly run: Int32Array;
  /** UTC seconds; NaN at the first call of a run. */
  arrivalTime(place: number): number;
  /** UTC seconds, and seconds of delay; NaN at the last call of a run, and where the departure was filled in. */
  departureTime(place: number): number;
  departureDelay(place: number): number;
}

/** A call that is left out: its place among all, and why. */
interface ImplausibleCall {
  readonly place: number;
  readonly code: ImplausibleCode;
}

/**
 * Judges a call by itself and by the last event before it in its trip that was kept.
 * @param previous UTC seconds of that event; NaN where there is none
 * @returns null for a call that is plausible
 */
export function judgeCall(
  previous: number,
  arrivalTime: number,
  departureTime: number,
  departureDelay: number,
): ImplausibleCode | null {
  if (departureDelay < -MOST_EARLY) return 'early_departure';
  const isArrivalBack = arrivalTime < previous - MOST_BACK;
  const isDepartureBack = departureTime < lastEvent(previous, arrivalTime, Number.NaN) - MOST_BACK;
  return isArrivalBack || isDepartureBack ? 'before_previous_event' : null;
}

/** The last event once a call was kept: its departure, else its arrival, else the one before. */
export function lastEvent(previous: number, arrivalTime: number, departureTime: number): number {
  if (!Number.isNaN(departureTime)) return departureTime;
  return Number.isNaN(arrivalTime) ? previous : arrivalTime;
}

/** Finds the calls that are to be left out, in their order. */
export function findImplausibleCalls(calls: ObservedCalls): ImplausibleCall[] {
  const { run } = calls;
  const found: ImplausibleCall[] = [];
  let previous = Number.NaN;
  for (let place = 0; place < run.length; place++) {
    if (place === 0 || run[place] !== run[place - 1]) previous = Number.NaN;
    const [arrival, departure] = [calls.arrivalTime(place), calls.departureTime(place)];
    const code = judgeCall(previous, arrival, departure, calls.departureDelay(place));
    if (code === null) previous = lastEvent(previous, arrival, departure);
    else found.push({ place, code });
  }
  return found;
}

export function countImplausible(calls: readonly ImplausibleCall[]): ImplausibleCounts {
  const count = (code: ImplausibleCode) => calls.reduce((sum, call) => sum + (call.code === code ? 1 : 0), 0);
  return { early_departure: count('early_departure'), before_previous_event: count('before_previous_event') };
}
