import { CARRIED, FORECAST, OBSERVED, UNKNOWN } from '../model/observation.ts';

/**
 * The events of a dated trip in travel order: the arrival at its first call, the departure there, the arrival at the
 * next one, and so on. The event of call `k` is `2 * k` for its arrival and `2 * k + 1` for its departure.
 */
export interface TripEvents {
  callCount: number;
  /** The vehicle continues as another trip, or came from one: then the begin and the end of the trip are fixed. */
  continues: boolean;
  isContinuation: boolean;
  /** As planned; 0 where the publisher gives no plan. */
  scheduled: Uint32Array;
  /** As reported, carried or predicted; 0 if unknown. */
  time: Uint32Array;
  /** Position in `prognoses`. */
  prognosis: Uint8Array;
  /** 1 where the event does not take place. */
  isCancelled: Uint8Array;
  /**
   * Set by `settleTimes`: 1 where a report was refused because the times would fall along the trip, 2 where a time was
   * withdrawn that followed from such a report.
   */
  isRefused: Uint8Array;
}

/** Room for one trip; see `resetTripEvents`. */
export function createTripEvents(): TripEvents {
  return { callCount: 0, continues: false, isContinuation: false, ...allocate(64) };
}

function allocate(events: number) {
  return {
    scheduled: new Uint32Array(events),
    time: new Uint32Array(events),
    prognosis: new Uint8Array(events),
    isCancelled: new Uint8Array(events),
    isRefused: new Uint8Array(events),
  };
}

/** Makes the events of another trip: without plan and reports. */
export function resetTripEvents(
  events: TripEvents,
  callCount: number,
  { continues, isContinuation }: Pick<TripEvents, 'continues' | 'isContinuation'>,
): void {
  const count = 2 * callCount;
  Object.assign(events, { callCount, continues, isContinuation });
  if (count > events.time.length) Object.assign(events, allocate(2 * count));
  events.scheduled.fill(0, 0, count);
  events.time.fill(0, 0, count);
  events.prognosis.fill(UNKNOWN, 0, count);
  events.isCancelled.fill(0, 0, count);
  events.isRefused.fill(0, 0, count);
}

/** Reports that contradict better ones by at most this much are moved to the nearest possible time. */
const MAX_CLAMPED_SECONDS = 120;

/**
 * Turns the plan and the reports of a dated trip into the times of all of its calls. Every surface shows the result.
 *
 * - Where a trip ends early, the departure from its last stop is cancelled as well, and the arrival there takes place;
 *   where it begins late, the reverse.
 * - Times never fall along the trip. Of reports that contradict each other, those stay that are observed, then the
 *   majority. The others are moved by up to `MAX_CLAMPED_SECONDS`, or refused.
 * - An event without a report keeps the time that is carried to it, or its planned time, between the reports before
 *   and after it. A planned time that is moved counts as carried.
 *
 * Settling the result again changes nothing. A cancelled event has no time.
 * @param carryDelays sets the times that follow from the reports which were not refused
 */
export function settleTimes(events: TripEvents, carryDelays: () => void = () => {}): void {
  cancelUnserved(events);
  // An observation that is refused no longer proves that its call was served.
  if (refuseFalling(events)) cancelUnserved(events);
  carryDelays();
  fillTimes(events);
}

/** Whether a source reports a time of this very event. */
function isReported({ time, prognosis }: TripEvents, event: number): boolean {
  return time[event]! > 0 && (prognosis[event] === FORECAST || prognosis[event] === OBSERVED);
}

// ---- Ends of the trip --------------------------------------------------------------------------

function cancelUnserved(events: TripEvents): void {
  const { callCount, isCancelled, prognosis, time } = events;
  const count = 2 * callCount;
  let isAnyCancelled = false;
  for (let event = 0; event < count; event++) if (isCancelled[event] === 1) isAnyCancelled = true;
  if (!isAnyCancelled) return;
  for (let call = 1; call < callCount - 1; call++) {
    const [arrival, departure] = [2 * call, 2 * call + 1];
    if (isCancelled[arrival] === isCancelled[departure]) continue;
    if (isCancelled[departure] === 1 && isReported(events, arrival)) cancelUnlessReported(events, departure + 1, count);
    if (isCancelled[arrival] === 1 && isReported(events, departure)) cancelUnlessReported(events, 0, arrival);
  }
  const isServed = (event: number) => isCancelled[event] === 0;
  let lastArrival = count - 2;
  while (!events.continues && lastArrival > 0 && !isServed(lastArrival)) lastArrival -= 2;
  let firstDeparture = 1;
  while (!events.isContinuation && firstDeparture < count - 1 && !isServed(firstDeparture)) firstDeparture += 2;
  for (let event = 1; event < count - 1; event++) {
    const isUnserved = event % 2 === 1 ? event > lastArrival : event < firstDeparture;
    if (isUnserved && prognosis[event] !== OBSERVED) isCancelled[event] = 1;
  }
  // Nobody arrives at the first call or leaves from the last one: these events follow the other one of their call.
  isCancelled[0] = isCancelled[1]!;
  isCancelled[count - 1] = isCancelled[count - 2]!;
  for (let event = 0; event < count; event++) {
    if (isCancelled[event] === 0) continue;
    time[event] = 0;
    prognosis[event] = UNKNOWN;
  }
}

/** A report of a later call means that the trip continues after all; of an earlier one, that it began before. */
function cancelUnlessReported(events: TripEvents, from: number, to: number): void {
  for (let event = from; event < to; event++) if (isReported(events, event)) return;
  events.isCancelled.fill(1, from, to);
}

// ---- Contradictions ----------------------------------------------------------------------------

/** @returns whether a report was refused */
function refuseFalling(events: TripEvents): boolean {
  const { callCount, time } = events;
  let before = 0;
  let isFalling = false;
  for (let event = 0; event < 2 * callCount; event++) {
    if (!isReported(events, event)) continue;
    if (time[event]! < before) isFalling = true;
    before = Math.max(before, time[event]!);
  }
  return isFalling && keepBest(events);
}

/** One observation outweighs all forecasts of a trip. */
const OBSERVED_WEIGHT = 1 << 16;

/** Keeps the rising reports of the greatest weight, and moves or refuses the others. @returns whether one was refused */
function keepBest(events: TripEvents): boolean {
  const { callCount, time } = events;
  const reported: number[] = [];
  for (let event = 0; event < 2 * callCount; event++) if (isReported(events, event)) reported.push(event);
  const kept = findRising(events, reported);
  let isAnyRefused = false;
  let next = 0;
  for (const event of reported) {
    if (kept[next] === event) {
      next += 1;
      continue;
    }
    const earliest = next === 0 ? 0 : time[kept[next - 1]!]!;
    const latest = next === kept.length ? Number.POSITIVE_INFINITY : time[kept[next]!]!;
    const possible = Math.min(Math.max(time[event]!, earliest), latest);
    if (Math.abs(possible - time[event]!) <= MAX_CLAMPED_SECONDS) time[event] = possible;
    else {
      refuse(events, event);
      isAnyRefused = true;
    }
  }
  return isAnyRefused;
}

/** The heaviest rising subsequence of the reported events; of equal ones the one that keeps the earlier events. */
function findRising({ time, prognosis }: TripEvents, reported: readonly number[]): readonly number[] {
  const weight: number[] = [];
  const previous: number[] = [];
  let end = -1;
  reported.forEach((event, i) => {
    let best = -1;
    for (let j = 0; j < i; j++) {
      if (time[reported[j]!]! <= time[event]! && (best < 0 || weight[j]! > weight[best]!)) best = j;
    }
    previous.push(best);
    weight.push((best < 0 ? 0 : weight[best]!) + (prognosis[event] === OBSERVED ? OBSERVED_WEIGHT : 1));
    if (end < 0 || weight[i]! > weight[end]!) end = i;
  });
  const kept: number[] = [];
  for (let i = end; i >= 0; i = previous[i]!) kept.unshift(reported[i]!);
  return kept;
}

/** Refuses a report, and withdraws what was carried from it. */
function refuse(events: TripEvents, event: number): void {
  const { callCount, time, prognosis, isRefused } = events;
  time[event] = 0;
  prognosis[event] = UNKNOWN;
  isRefused[event] = 1;
  for (let later = event + 1; later < 2 * callCount && !isReported(events, later); later++) {
    if (isRefused[later] !== 0 || prognosis[later] !== CARRIED) continue;
    time[later] = 0;
    prognosis[later] = UNKNOWN;
    isRefused[later] = 2;
  }
}

// ---- Events without a report -------------------------------------------------------------------

function fillTimes(events: TripEvents): void {
  const { callCount, scheduled, time, prognosis, isCancelled } = events;
  const latest = findLatest(events);
  let before = 0;
  for (let event = 0; event < 2 * callCount; event++) {
    if (isCancelled[event] === 1) continue;
    const expected = time[event]! || scheduled[event]!;
    if (expected === 0) continue;
    const settled = Math.min(Math.max(expected, before), latest[event]!);
    before = settled;
    if (prognosis[event] === UNKNOWN && settled === scheduled[event]) continue;
    time[event] = settled;
    if (prognosis[event] === UNKNOWN) prognosis[event] = CARRIED;
  }
}

/** By event: the earliest of the reports from there on, which no time may exceed. */
function findLatest(events: TripEvents): Float64Array {
  const { callCount, time } = events;
  const latest = new Float64Array(2 * callCount);
  let least = Number.POSITIVE_INFINITY;
  for (let event = 2 * callCount - 1; event >= 0; event--) {
    if (isReported(events, event)) least = Math.min(least, time[event]!);
    latest[event] = least;
  }
  return latest;
}
