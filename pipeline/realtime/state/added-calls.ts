import type { CallReport, StopName, TimeReport, TripName, TripReport } from '../../model/realtime.ts';
import { type Instant, toEpochDay } from '../../model/service-time.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import { callFlags } from '../snapshot/realtime-contract.ts';
import { withdrawCall } from './apply-report.ts';
import { type AddedCall, type AddedTrip, type AnswerFacts, type CallEvent, createCallMemory } from './memory.ts';
import type { PlannedCalls, RunPlan } from './planned-calls.ts';
import { matchContext, type UpdateRun } from './update-run.ts';

/** A call of an added trip, and what the answer at hand says of it. */
export interface PlacedCall {
  readonly call: AddedCall;
  readonly report: CallReport | null;
}

/**
 * The calls of a report, each a call of its own.
 * @param base the trip that it replaces: knows the stop of a call that is named by its number alone, and what a delay
 *   counts from where the report plans nothing
 */
export function readCalls({ calls }: TripReport, base: DatedMatch | null, run: UpdateRun): PlacedCall[] {
  const { planned } = run.context;
  return calls.map((told, number) => {
    const position = base?.positions[number] ?? -1;
    if (!base || position < 0) return { call: readCall(told, number, run), report: told };
    const plan = planned.plan(base.trip, base.day);
    const count = (time: TimeReport | null, event: CallEvent) => countFrom(time, plan.at(position, event));
    const report = { ...told, arrival: count(told.arrival, 'arrival'), departure: count(told.departure, 'departure') };
    const call = readCall(report, number, run);
    const stop = planned.stop(base.trip, position);
    return { call: told.stop ? call : { ...call, ...nameStop(stop, planned) }, report };
  });
}

/** A delay as a time, where the publisher gives no plan of its own. */
function countFrom(report: TimeReport | null, plan: number): TimeReport | null {
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
  };
}

/** Of a call that is left out, the time that it would have had is as good as a plan. */
function planOfEvent(report: CallReport, event: CallEvent): number {
  const told = report[event];
  return told?.scheduledTime ?? (report.state === 'skipped' ? told?.time : null) ?? 0;
}

/** The stop of a call that the timetable does not plan, as far as the timetable knows it. */
export function placeStop(
  place: StopName | null,
  matcher: Matcher,
  about: Parameters<Matcher['matchStop']>[1],
  { tables: { stops } }: PlannedCalls,
): Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'> {
  const stop = place && matcher.matchStop(place, about);
  return {
    place,
    stop: stop ?? -1,
    stopName: place?.name ?? (stop === null ? (place?.id ?? '') : stops.name.get(stop)),
    stopId: stop === null ? (place?.id ?? '') : stops.stopId.get(stop),
  };
}

/** The scheduled trip once more: as far from its own times as the new start is from its own. */
export function repeatCalls(
  { calls, trip }: TripReport,
  base: DatedMatch,
  { context, facts }: UpdateRun,
): PlacedCall[] {
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
    },
    report: reports.get(position) ?? null,
  }));
}

/** Seconds from the trip's own times to those of its repetition. */
function findShift({ startTime, startDate }: TripName, { trip, day }: DatedMatch, planned: PlannedCalls): number {
  const newStart = planned.dayStart(trip, startDate === null ? day : toEpochDay(startDate));
  if (startTime === null) return newStart - planned.dayStart(trip, day);
  return newStart + startTime - planned.departure(trip, day, 0);
}

/** A stop of the timetable as a publisher would name it. */
function nameStop(
  stop: number,
  { tables: { stops } }: PlannedCalls,
): Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'> {
  const [stopId, stopName] = [stops.stopId.get(stop), stops.name.get(stop)];
  return { place: { id: stopId, idSpace: 'gtfs', name: stopName, lat: null, lon: null }, stop, stopName, stopId };
}

// ---- When they are -----------------------------------------------------------------------------

/** What its publisher plans for an added trip. */
export function planOf(calls: readonly AddedCall[]): RunPlan {
  return {
    callCount: calls.length,
    at(position, event) {
      const call = calls[position]!;
      return event === 'arrival' ? call.scheduledArrival : call.scheduledDeparture;
    },
  };
}

/** When a call is or was, as planned or else as told; 0 where nobody said. */
export function momentOf({ scheduledArrival, scheduledDeparture, arrival, departure }: AddedCall): number {
  return scheduledDeparture || scheduledArrival || departure.time || arrival.time;
}

/** As `momentOf`, before the report is laid over what was known. */
export function momentEmitted({ call, report }: PlacedCall): number {
  return momentOf(call) || (report?.departure?.time ?? report?.arrival?.time ?? 0);
}

/** The last moment of an added trip. */
export function endOfAdded(calls: readonly AddedCall[]): number {
  return Math.max(
    ...calls.map(({ scheduledArrival, scheduledDeparture, arrival, departure }) =>
      Math.max(scheduledArrival, scheduledDeparture, arrival.time, departure.time),
    ),
  );
}

// ---- Over what was said before -----------------------------------------------------------------

/**
 * Goes on from what the source said of the trip before: calls that are told again keep what was known of them, and
 * those that are not stay where they are over, or where another part told of them. All others are dropped.
 */
export function continueCalls(
  placed: readonly PlacedCall[],
  before: AddedTrip | undefined,
  facts: AnswerFacts,
): { readonly placed: readonly PlacedCall[]; readonly dropped: readonly AddedCall[] } {
  if (!before) return { placed, dropped: [] };
  const known = [...before.calls, ...before.dropped].sort((a, b) => momentOf(a) - momentOf(b));
  const continued = takeOver(placed, known);
  const taken = new Set(continued.map(({ call }) => call.number));
  const left = known.filter(({ number }) => !taken.has(number));
  for (const call of left) if (call.part === facts.part) withdrawCall(call, momentOf(call), facts);
  const beginning = Math.min(facts.knownAt, ...placed.slice(0, 1).map(momentEmitted));
  const isKept = (call: AddedCall) =>
    before.calls.includes(call) && (call.part !== facts.part || momentOf(call) <= beginning);
  const kept = left.filter(isKept).map((call) => ({ call, report: null }));
  return {
    placed: kept.length === 0 ? continued : [...kept, ...continued].sort((a, b) => momentEmitted(a) - momentEmitted(b)),
    dropped: left.filter((call) => !isKept(call)),
  };
}

/** The calls that are told take over what was known of them; new ones get numbers of their own. */
function takeOver(placed: readonly PlacedCall[], known: readonly AddedCall[]): PlacedCall[] {
  let next = 0;
  let free = Math.max(...known.map(({ number }) => number)) + 1;
  return placed.map(({ call, report }) => {
    const found = known.findIndex((one, i) => i >= next && isSameCall(one, call));
    if (found < 0) return { call: { ...call, number: free++ }, report };
    next = found + 1;
    const { number, arrival, departure, platform, seenAt, part, flags } = known[found]!;
    const state = call.flags | (flags & ~callFlags.unplanned);
    return { call: { ...call, number, arrival, departure, platform, seenAt, part, flags: state }, report };
  });
}

/** By the publisher's number where it has one, else by its plan; a trip without either comes to its stops in order. */
function isSameCall(known: AddedCall, call: AddedCall): boolean {
  if (known.stopId !== call.stopId) return false;
  if (known.sequence !== null && call.sequence !== null) return known.sequence === call.sequence;
  const isSame = (one: number, other: number) => one === 0 || other === 0 || one === other;
  return (
    isSame(known.scheduledArrival, call.scheduledArrival) && isSame(known.scheduledDeparture, call.scheduledDeparture)
  );
}
