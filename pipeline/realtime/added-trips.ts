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
  const calls = dated && report.calls.length === 0 ? repeatCalls(report, dated, context) : readCalls(report, context);
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
    seenAt: context.answer.seenAt,
    vehicleId: report.vehicleId,
    part: context.answer.part,
    calls: timed,
  };
}

/** Publishers leave out calls that are over; who looks at the journey still wants to see where it has been. */
export function keepPastCalls(trip: AddedTrip, before: AddedTrip | undefined): AddedTrip {
  const first = trip.calls[0]!;
  const past =
    before?.calls.findIndex((call) => call.stopId === first.stopId && getPlan(call) === getPlan(first)) ?? -1;
  return past > 0 ? { ...trip, calls: [...before!.calls.slice(0, past), ...trip.calls] } : trip;
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

function readCalls(report: TripReport, context: AddedTripContext): AddedCall[] {
  const { stops } = context.planned.tables;
  return report.calls.map((call): AddedCall => {
    const stop = call.stop ? context.matcher.matchStop(call.stop, matchContext(context)) : null;
    const arrival = readEvent(call.arrival, context.answer);
    const departure = readEvent(call.departure, context.answer);
    return {
      ...createCallMemory(context.answer.part),
      stop: stop ?? -1,
      stopName: call.stop?.name ?? (stop === null ? (call.stop?.id ?? '') : stops.name.get(stop)),
      stopId: stop === null ? (call.stop?.id ?? '') : stops.stopId.get(stop),
      scheduledArrival: call.arrival?.scheduledTime ?? 0,
      scheduledDeparture: call.departure?.scheduledTime ?? 0,
      arrival: arrival.time,
      departure: departure.time,
      arrivalEvidence: arrival.evidence,
      departureEvidence: departure.evidence,
      flags: flagsOf(call),
      scheduledPlatform: call.scheduledPlatform,
      platform: call.platform,
      seenAt: context.answer.seenAt,
    };
  });
}

function flagsOf({ state }: CallReport): number {
  if (state === 'skipped') return callFlags.cancelled;
  return state === 'unplanned' ? callFlags.unplanned : 0;
}

function readEvent(report: TimeReport | null, answer: AnswerFacts): { time: number; evidence: number } {
  const planned = report?.scheduledTime ?? null;
  const moved = planned !== null && typeof report?.delaySeconds === 'number' ? planned + report.delaySeconds : null;
  const time = report?.time ?? moved;
  if (time === null || time === undefined) return { time: 0, evidence: UNKNOWN };
  return { time, evidence: report!.isMeasured && time <= answer.knownAt ? OBSERVED : FORECAST };
}

/** The scheduled trip once more: as far from its own times as the new start is from its own. */
function repeatCalls(report: TripReport, base: DatedMatch, { planned, answer }: AddedTripContext): AddedCall[] {
  const { tables } = planned;
  const { trip, day } = base;
  const { startTime, startDate } = report.trip;
  const newDay = startDate === null ? day : toEpochDay(startDate);
  const start = startTime === null ? null : planned.dayStart(trip, newDay) + startTime;
  const shift = start === null ? 0 : start - planned.departure(trip, day, 0);
  return Array.from({ length: planned.callCount(trip) }, (_, position): AddedCall => {
    const stop = planned.stop(trip, position);
    return {
      ...createCallMemory(answer.part),
      stop,
      stopName: tables.stops.name.get(stop),
      stopId: tables.stops.stopId.get(stop),
      scheduledArrival: planned.arrival(trip, day, position) + shift,
      scheduledDeparture: planned.departure(trip, day, position) + shift,
      scheduledPlatform: null,
      seenAt: answer.seenAt,
    };
  });
}
