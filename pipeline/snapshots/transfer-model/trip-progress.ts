import type { DelayQuantiles } from '../../model/delay-distribution.ts';
import type { TransferSide } from './transfer-facts.ts';

/** Times of the calls of a trip; UTC seconds, NaN where an event was not observed. */
export interface TripTimes {
  scheduledArrival(call: number): number;
  scheduledDeparture(call: number): number;
  arrival(call: number): number;
  departure(call: number): number;
}

/** The event of a transfer: an arrival or a departure of a trip. */
interface ChangeEvent {
  /** First call of the trip, and call of the transfer. */
  readonly first: number;
  readonly call: number;
  readonly isDeparture: boolean;
}

/** The last event of a trip that was known at an instant. */
export interface KnownEvent {
  readonly call: number;
  readonly isDeparture: boolean;
  readonly delaySeconds: number;
  readonly ageSeconds: number;
}

/** What is known of a trip at an instant, up to the event of the transfer. */
interface TripProgress {
  readonly last: KnownEvent | null;
  /** Since the planned time of the event after the last one: it is at least that late. */
  readonly overdueSeconds: number;
}

/**
 * Finds the last event of a trip, in order of travel, that had happened at an instant, and how long the next one is
 * overdue. The arrival at the first call is not an event.
 * @param at UTC seconds
 */
export function findProgress(times: TripTimes, event: ChangeEvent, at: number): TripProgress {
  const last = findLastEvent(times, event, at);
  return { last, overdueSeconds: Math.max(0, at - findNextPlanned(times, event, last)) };
}

function findLastEvent(times: TripTimes, { first, call, isDeparture }: ChangeEvent, at: number): KnownEvent | null {
  for (let one = call; one >= first; one--) {
    // An unknown time is NaN and passes neither comparison.
    const left = one < call || isDeparture ? times.departure(one) : Number.NaN;
    if (left <= at) return describe(one, true, left, times.scheduledDeparture(one), at);
    const arrived = one > first ? times.arrival(one) : Number.NaN;
    if (arrived <= at) return describe(one, false, arrived, times.scheduledArrival(one), at);
  }
  return null;
}

function describe(call: number, isDeparture: boolean, time: number, planned: number, at: number): KnownEvent {
  return { call, isDeparture, delaySeconds: time - planned, ageSeconds: at - time };
}

/** Planned time of the event after the last known one; infinite where the event of the transfer itself is known. */
function findNextPlanned(times: TripTimes, event: ChangeEvent, last: KnownEvent | null): number {
  if (!last) return times.scheduledDeparture(event.first);
  if (last.isDeparture) {
    return last.call < event.call ? times.scheduledArrival(last.call + 1) : Number.POSITIVE_INFINITY;
  }
  return last.call < event.call || event.isDeparture ? times.scheduledDeparture(last.call) : Number.POSITIVE_INFINITY;
}

/** Before a vehicle sets out, a smaller delay may only repeat the plan. */
const MIN_REPORTED_SECONDS = 60;

/**
 * Adds what is known of a vehicle that was not observed yet. A delay that is reported for it, published or carried from
 * its previous trip, counts like the last observed delay of another vehicle: the model has learnt how those develop. It
 * also limits how long the vehicle counts as overdue, since some sources only forecast. Without a report, the delays of
 * past days count.
 * @param reportedSeconds null without a report
 */
export function complementUnobserved(
  side: TransferSide,
  reportedSeconds: number | null,
  past: DelayQuantiles | null,
): TransferSide {
  const hasSetOut = side.overdueSeconds > 0;
  if (reportedSeconds === null || (!hasSetOut && Math.abs(reportedSeconds) < MIN_REPORTED_SECONDS)) {
    return { ...side, past };
  }
  return {
    ...side,
    observed: { delaySeconds: reportedSeconds, ageSeconds: 0 },
    overdueSeconds: Math.min(side.overdueSeconds, Math.max(0, reportedSeconds)),
  };
}

/**
 * One side of a transfer. At the stop of the transfer its delay is not a forecast any more.
 * @param call of the transfer
 * @param findForecast of the delay there, as published; null without one
 */
export function toTransferSide(
  { last, overdueSeconds }: TripProgress,
  call: number,
  findForecast: () => DelayQuantiles | null,
): TransferSide {
  if (!last) return { forecast: null, observed: null, overdueSeconds };
  const { delaySeconds, ageSeconds } = last;
  const there: DelayQuantiles = { low: delaySeconds, median: delaySeconds, high: delaySeconds };
  return {
    forecast: last.call === call ? there : findForecast(),
    observed: { delaySeconds, ageSeconds },
    overdueSeconds,
  };
}
