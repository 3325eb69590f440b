import type { CallEvent } from '../../model/observation.ts';
import type { CallReport, ReportedTime, StopName, TripName, TripReport } from '../../model/realtime.ts';
import { type Instant, toEpochDay } from '../../model/service-time.ts';
import { callFlags } from '../../snapshots/realtime-contract.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import { withdrawCall } from './apply-report.ts';
import { type AddedCall, type AddedTrip, type AnswerFacts, createCallMemory } from './memory.ts';
import type { PlannedCalls, TripPlan } from './planned-calls.ts';
import { matchContext, type UpdateRun } from './update-run.ts';

/** A call of an added trip with its report in the current answer; `null` when the answer leaves the call out. */
export interface ReportedAddedCall {
  readonly call: AddedCall;
  readonly report: CallReport | null;
}

/**
 * Reads the calls of a report as calls of an added trip.
 * @param base the replaced trip: gives the stop of a call that is named by number only, and the times that a delay is
 *   added to when the report has no plan
 */
export function readCalls({ calls }: TripReport, base: DatedMatch | null, run: UpdateRun): ReportedAddedCall[] {
  const { planned } = run.context;
  // The calls of the replaced trip keep their positions as numbers; others come after them.
  const firstOther = base ? planned.callCount(base.trip) : 0;
  return calls.map((given, i) => {
    const position = base?.positions[i] ?? -1;
    if (!base || position < 0) return { call: readCall(given, firstOther + i, run), report: given };
    const plan = planned.plan(base.trip, base.day);
    const addPlan = (time: ReportedTime | null, event: CallEvent) => addDelay(time, plan.at(position, event));
    const report = {
      ...given,
      arrival: addPlan(given.arrival, 'arrival'),
      departure: addPlan(given.departure, 'departure'),
    };
    const call = readCall(report, position, run);
    const stop = planned.stop(base.trip, position);
    return { call: given.stop ? call : { ...call, ...nameStop(stop, planned) }, report };
  });
}

/** Adds a delay to the replaced trip's plan when the report gives neither a time nor a plan. */
export function addDelay(report: ReportedTime | null, plan: number): ReportedTime | null {
  if (!report || report.time !== null || report.scheduledTime !== null || report.delaySeconds === null) return report;
  return { ...report, time: (plan + report.delaySeconds) as Instant };
}

function readCall(report: CallReport, number: number, { context, facts }: UpdateRun): AddedCall {
  return {
    ...createCallMemory(facts.part),
    ...placeStop(report.stop, context.matcher, matchContext({ context, facts }), context.planned),
    number,
    sequence: report.stopSequence,
    flags: report.state === 'unplanned' ? callFlags.unplanned : 0,
    seenAt: facts.knownAt,
    scheduledArrival: planOfEvent(report, 'arrival'),
    scheduledDeparture: planOfEvent(report, 'departure'),
    scheduledPlatform: report.scheduledPlatform,
    shiftSeconds: 0,
    isLeftOut: false,
  };
}

/** The reported time of a skipped call counts as its scheduled time when the report has none. */
function planOfEvent(report: CallReport, event: CallEvent): number {
  const time = report[event];
  return time?.scheduledTime ?? (report.state === 'skipped' ? time?.time : null) ?? 0;
}

/** Finds the stop of an unplanned call in the timetable; row -1 and the publisher's name and id when it has none. */
export function placeStop(
  place: StopName | null,
  matcher: Matcher,
  context: Parameters<Matcher['matchStop']>[1],
  { tables: { stops } }: PlannedCalls,
): Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'> {
  const stop = place && matcher.matchStop(place, context);
  return {
    place,
    stop: stop ?? -1,
    stopName: place?.name ?? (stop === null ? (place?.id ?? '') : stops.name.get(stop)),
    stopId: stop === null ? (place?.id ?? '') : stops.stopId.get(stop),
  };
}

/** Repeats the scheduled trip's calls, shifted by the difference between the two start times. */
export function repeatCalls(
  { calls, trip }: TripReport,
  base: DatedMatch,
  { context, facts }: UpdateRun,
): ReportedAddedCall[] {
  const { planned } = context;
  const plan = planned.plan(base.trip, base.day);
  const shift = findShift(trip, base, planned);
  const reports = new Map(calls.map((call, i) => [base.positions[i]!, call]));
  return Array.from({ length: plan.callCount }, (_, position) => ({
    call: {
      ...createCallMemory(facts.part),
      ...nameStop(planned.stop(base.trip, position), planned),
      number: position,
      sequence: null,
      seenAt: facts.knownAt,
      scheduledArrival: plan.at(position, 'arrival') + shift,
      scheduledDeparture: plan.at(position, 'departure') + shift,
      scheduledPlatform: null,
      shiftSeconds: 0,
      isLeftOut: false,
    },
    report: reports.get(position) ?? null,
  }));
}

/** Seconds from the scheduled trip's times to those of its duplicate. */
function findShift({ startTime, startDate }: TripName, { trip, day }: DatedMatch, planned: PlannedCalls): number {
  const newStart = planned.dayStart(trip, startDate === null ? day : toEpochDay(startDate));
  if (startTime === null) return newStart - planned.dayStart(trip, day);
  return newStart + startTime - planned.departure(trip, day, 0);
}

/** Names a timetable stop the way a publisher does. */
export function nameStop(
  stop: number,
  { tables: { stops } }: PlannedCalls,
): Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'> {
  const [stopId, stopName] = [stops.stopId.get(stop), stops.name.get(stop)];
  return { place: { id: stopId, idSpace: 'gtfs', name: stopName, lat: null, lon: null }, stop, stopName, stopId };
}

// ---- Times -------------------------------------------------------------------------------------

/** The publisher's scheduled times of an added trip. */
export function planOfAdded(calls: readonly AddedCall[]): TripPlan {
  return {
    callCount: calls.length,
    continues: false,
    isContinuation: false,
    at(position, event) {
      const call = calls[position]!;
      return event === 'arrival' ? call.scheduledArrival : call.scheduledDeparture;
    },
  };
}

/** When the calls take place if nothing is reported of them. */
export function expectedPlanOf(calls: readonly AddedCall[]): TripPlan {
  const plan = planOfAdded(calls);
  return {
    ...plan,
    at(position, event) {
      const scheduled = plan.at(position, event);
      return scheduled === 0 ? 0 : scheduled + calls[position]!.shiftSeconds;
    },
  };
}

/** Instant of a call: scheduled, else reported; 0 when neither is known. */
export function callInstant({ scheduledArrival, scheduledDeparture, arrival, departure }: AddedCall): number {
  return scheduledDeparture || scheduledArrival || departure.time || arrival.time;
}

/** As `callInstant`, for a call whose report has not been applied yet. */
export function reportedCallInstant({ call, report }: ReportedAddedCall): number {
  return callInstant(call) || (report?.departure?.time ?? report?.arrival?.time ?? 0);
}

/** Instant of the last known time of an added trip. */
export function endOfAdded(calls: readonly AddedCall[]): number {
  return Math.max(
    ...calls.map(({ scheduledArrival, scheduledDeparture, arrival, departure }) =>
      Math.max(scheduledArrival, scheduledDeparture, arrival.time, departure.time),
    ),
  );
}

// ---- Continuing the previous state -------------------------------------------------------------

/**
 * Carries the trip's previous state over: calls that are reported again keep their state; calls that are left out stay
 * when they are past or another part reported them. All others are dropped.
 * @param reserved numbers below it are positions of the replaced trip
 * @param isWhole `placed` are all calls of the trip: none stays that it leaves out
 */
export function continueCalls(
  placed: readonly ReportedAddedCall[],
  before: AddedTrip | undefined,
  facts: AnswerFacts,
  { reserved, isWhole }: { readonly reserved: number; readonly isWhole: boolean },
): { readonly placed: readonly ReportedAddedCall[]; readonly dropped: readonly AddedCall[] } {
  if (!before) return { placed, dropped: [] };
  const known = [...before.calls, ...before.dropped]
    .filter(({ isLeftOut }) => !isLeftOut)
    .sort((a, b) => callInstant(a) - callInstant(b));
  const continued = keepKnownState(placed, known, reserved);
  const taken = new Set(continued.map(({ call }) => call.number));
  const left = known.filter(({ number }) => !taken.has(number));
  for (const call of left) if (call.part === facts.part) withdrawCall(call, callInstant(call), facts);
  const beginning = Math.min(facts.knownAt, ...placed.slice(0, 1).map(reportedCallInstant));
  const isKept = (call: AddedCall) =>
    !isWhole && before.calls.includes(call) && (call.part !== facts.part || callInstant(call) <= beginning);
  const kept = left.filter(isKept).map((call) => ({ call, report: null }));
  return {
    placed:
      kept.length === 0
        ? continued
        : [...kept, ...continued].sort((a, b) => reportedCallInstant(a) - reportedCallInstant(b)),
    dropped: left.filter((call) => !isKept(call)),
  };
}

/** Calls that are reported again keep their state and number; new calls get new numbers. */
function keepKnownState(
  placed: readonly ReportedAddedCall[],
  known: readonly AddedCall[],
  reserved: number,
): ReportedAddedCall[] {
  let next = 0;
  let free = Math.max(reserved - 1, ...known.map(({ number }) => number)) + 1;
  return placed.map(({ call, report }) => {
    const found = known.findIndex((one, i) => i >= next && isSameCall(one, call));
    if (found < 0) return { call: call.number < reserved ? call : { ...call, number: free++ }, report };
    next = found + 1;
    const { number, arrival, departure, platform, headsign, occupancy, seenAt, part, isCarried, flags } = known[found]!;
    const state = { flags: call.flags | (flags & ~callFlags.unplanned), platform, headsign, occupancy };
    return { call: { ...call, number, arrival, departure, seenAt, part, isCarried, ...state }, report };
  });
}

/** By stop_sequence where both have one, else by scheduled times; without either, by stop in travel order. */
function isSameCall(known: AddedCall, call: AddedCall): boolean {
  if (known.stopId !== call.stopId) return false;
  if (known.sequence !== null && call.sequence !== null) return known.sequence === call.sequence;
  const isSame = (one: number, other: number) => one === 0 || other === 0 || one === other;
  return (
    isSame(known.scheduledArrival, call.scheduledArrival) && isSame(known.scheduledDeparture, call.scheduledDeparture)
  );
}
