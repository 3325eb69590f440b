import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import { products } from '../model/product.ts';
import type { CallReport, TimeReport, TripReport } from '../model/realtime.ts';
import { type Instant, localDate, toEpochDay } from '../model/service-time.ts';
import { hashTrip } from '../snapshots/contract.ts';
import { callFlags, tripFlags } from '../snapshots/realtime-contract.ts';
import type { AnswerFacts } from './apply-trip.ts';
import { type AddedCall, type AddedTrip, createCallMemory, FORECAST, OBSERVED, UNKNOWN } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** What it takes to read a trip that the timetable does not hold. */
export interface AddedTripContext {
  readonly sourceId: string;
  readonly timetableSource: string | null;
  readonly planned: PlannedCalls;
  readonly matcher: Matcher;
  readonly answer: AnswerFacts;
}

/**
 * Reads a trip that is added, runs once more at another time, or takes the place of a scheduled one.
 * @param base the scheduled trip that it repeats or replaces, where there is one
 * @returns null when none of its calls has a time: nobody can show it
 */
export function readAddedTrip(report: TripReport, base: TripMatch | null, context: AddedTripContext): AddedTrip | null {
  const dated = base?.kind === 'dated' ? base : null;
  // A repetition calls where its trip calls; its report tells, as that of any trip, only what is news.
  const isRepetition = dated !== null && (report.relationship === 'duplicated' || report.calls.length === 0);
  const calls = isRepetition ? repeatCalls(report, dated, context) : readCalls(report, dated, context);
  const timed = calls.filter((call) => getPlan(call) > 0);
  if (timed.length === 0) return null;
  const { trip } = report;
  const { tables } = context.planned;
  const ownRoute = context.matcher.matchRoute(trip, matchContext(context));
  const route = ownRoute ?? (dated ? tables.patterns.route[tables.trips.pattern[dated.trip]!]! : -1);
  const tripId = report.newTripId ?? trip.tripId ?? report.place;
  const isReplacement = report.relationship === 'replacement' && dated !== null;
  return {
    key: isReplacement
      ? tables.trips.key[dated.trip]!
      : hashTrip(context.sourceId, `added:${tripId}:${trip.startTime ?? ''}`, -1),
    day: isReplacement ? dated.day : readDay(report, timed[0]!, context),
    tripId,
    flags: (isReplacement ? 0 : tripFlags.additional) | (report.isSpecial ? tripFlags.special : 0),
    route,
    routeId: trip.routeId,
    label: trip.lineLabel ?? (route >= 0 ? tables.routes.label.get(route) : ''),
    product: products.indexOf(trip.product ?? 'other'),
    operatorName: trip.operatorName,
    headsign: trip.headsign,
    originName: report.originName,
    basedOn: dated ? dated.trip : -1,
    recordedAt: report.recordedAt ?? context.answer.knownAt,
    seenAt: context.answer.knownAt,
    vehicleId: report.vehicleId,
    part: context.answer.part,
    calls: timed,
  };
}

/** Publishers leave out calls that are over; who looks at the journey still wants to see where it has been. */
export function keepPastCalls(trip: AddedTrip, before: AddedTrip | undefined): AddedTrip {
  if (!before) return trip;
  const past = before.calls
    .slice(0, Math.max(0, countLeftOut(before.calls, trip.calls)))
    .filter((call) => (call.departure || getPlan(call)) <= trip.seenAt);
  return past.length > 0 ? { ...trip, calls: [...past, ...trip.calls] } : trip;
}

/** How many calls stood before the one that is now the first; where nothing is planned, all the stops after it tell. */
function countLeftOut(before: readonly AddedCall[], now: readonly AddedCall[]): number {
  const first = now[0]!;
  if (first.scheduledDeparture > 0 || first.scheduledArrival > 0) {
    return before.findIndex((call) => isSameStop(call, first) && getPlan(call) === getPlan(first));
  }
  const count = before.length - now.length;
  return now.every((call, i) => isSameStop(before[count + i], call)) ? count : 0;
}

function isSameStop(one: AddedCall | undefined, other: AddedCall): boolean {
  return one?.stopId === other.stopId && one.stopName === other.stopName;
}

function matchContext({ timetableSource, answer }: AddedTripContext) {
  return { timetableSource, now: answer.knownAt };
}

function getPlan(call: AddedCall): number {
  return call.scheduledDeparture || call.scheduledArrival || call.departure || call.arrival;
}

/** The day it says, else the calendar day on which it begins. */
function readDay(report: TripReport, first: AddedCall, { planned }: AddedTripContext): number {
  const { zones } = planned.tables;
  return toEpochDay(report.trip.startDate ?? localDate(getPlan(first) as Instant, zones.name.get(0)));
}

/** Calls by the word of the report; of one that it names by its number alone, the trip it replaces knows stop and plan. */
function readCalls(report: TripReport, base: DatedMatch | null, context: AddedTripContext): AddedCall[] {
  const { planned, answer } = context;
  const { stops } = planned.tables;
  return report.calls.map((call, i): AddedCall => {
    const position = base?.positions[i] ?? -1;
    const planOf = (event: 'arrival' | 'departure') =>
      base && position >= 0 ? planned[event](base.trip, base.day, position) : null;
    const atBase = base && position >= 0 ? planned.stop(base.trip, position) : null;
    const stop = call.stop ? context.matcher.matchStop(call.stop, matchContext(context)) : atBase;
    return {
      ...createCallMemory(answer.part),
      ...toEvents(
        readEvent(call.arrival, planOf('arrival'), answer),
        readEvent(call.departure, planOf('departure'), answer),
      ),
      stop: stop ?? -1,
      stopName: call.stop?.name ?? (stop === null ? (call.stop?.id ?? '') : stops.name.get(stop)),
      stopId: stop === null ? (call.stop?.id ?? '') : stops.stopId.get(stop),
      scheduledArrival: call.arrival?.scheduledTime ?? 0,
      scheduledDeparture: call.departure?.scheduledTime ?? 0,
      flags: flagsOf(call),
      scheduledPlatform: call.scheduledPlatform,
      platform: call.platform,
      seenAt: answer.knownAt,
    };
  });
}

function flagsOf({ state }: CallReport): number {
  if (state === 'skipped') return callFlags.cancelled;
  if (state === 'noData') return callFlags.noData;
  return state === 'unplanned' ? callFlags.unplanned : 0;
}

interface ReadEvent {
  readonly time: number;
  readonly evidence: number;
}

/** @param plan what a delay counts from where the report itself names no plan; null for none */
function readEvent(report: TimeReport | null, plan: number | null, answer: AnswerFacts): ReadEvent {
  const planned = report?.scheduledTime ?? plan;
  const moved = planned !== null && typeof report?.delaySeconds === 'number' ? planned + report.delaySeconds : null;
  const time = report?.time ?? moved;
  if (time === null) return { time: 0, evidence: UNKNOWN };
  return { time, evidence: report!.isMeasured && time <= answer.knownAt ? OBSERVED : FORECAST };
}

function toEvents(arrival: ReadEvent, departure: ReadEvent) {
  return {
    arrival: arrival.time,
    departure: departure.time,
    arrivalEvidence: arrival.evidence,
    departureEvidence: departure.evidence,
  };
}

/** The scheduled trip once more: as far from its own times as the new start is from its own. */
function repeatCalls(report: TripReport, base: DatedMatch, { planned, answer }: AddedTripContext): AddedCall[] {
  const { stops } = planned.tables;
  const { trip, day, positions } = base;
  const shift = findShift(report, base, planned);
  const said = new Map(report.calls.map((call, i) => [positions[i]!, call]));
  let delay = report.delaySeconds;
  return Array.from({ length: planned.callCount(trip) }, (_, position): AddedCall => {
    const stop = planned.stop(trip, position);
    const call = said.get(position);
    const scheduledArrival = planned.arrival(trip, day, position) + shift;
    const scheduledDeparture = planned.departure(trip, day, position) + shift;
    const isSilent = call?.state === 'skipped' || call?.state === 'noData';
    if (call?.state === 'noData') delay = null;
    const read = (event: 'arrival' | 'departure', plan: number): ReadEvent => {
      if (isSilent) return { time: 0, evidence: UNKNOWN };
      const told = readEvent(call?.[event] ?? null, plan, answer);
      if (told.time > 0) {
        delay = answer.isPropagating ? told.time - plan : delay;
        return told;
      }
      return delay === null ? told : { time: plan + delay, evidence: FORECAST };
    };
    return {
      ...createCallMemory(answer.part),
      ...toEvents(read('arrival', scheduledArrival), read('departure', scheduledDeparture)),
      stop,
      stopName: stops.name.get(stop),
      stopId: stops.stopId.get(stop),
      scheduledArrival,
      scheduledDeparture,
      flags: call ? flagsOf(call) : 0,
      scheduledPlatform: call?.scheduledPlatform ?? null,
      platform: call?.platform ?? null,
      seenAt: answer.knownAt,
    };
  });
}

/** Seconds from the trip's own times to those of its repetition. */
function findShift({ trip: { startTime, startDate } }: TripReport, base: DatedMatch, planned: PlannedCalls): number {
  const { trip, day } = base;
  const newStart = planned.dayStart(trip, startDate === null ? day : toEpochDay(startDate));
  if (startTime === null) return newStart - planned.dayStart(trip, day);
  return newStart + startTime - planned.departure(trip, day, 0);
}
