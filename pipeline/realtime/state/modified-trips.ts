import { callEvents, OBSERVED } from '../../model/observation.ts';
import { toOccupancy } from '../../model/occupancy.ts';
import type { CallReport, ModificationReport, TripName, TripReport } from '../../model/realtime.ts';
import type { Instant, ServiceTime } from '../../model/service-time.ts';
import { callFlags, tripFlags } from '../../snapshots/realtime-contract.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { endOfAdded } from './added-calls.ts';
import { applyAdded } from './apply-added.ts';
import { applyReport } from './apply-report.ts';
import { describeStop, findPolyline } from './described-entities.ts';
import {
  type AddedTrip,
  type AnswerFacts,
  type CallEventState,
  type CallMemory,
  createCallMemory,
  datedTripKey,
  isCancelled,
  isEventCancelled,
  liftCancellation,
  type SourceMemory,
} from './memory.ts';
import type { ModificationIndex, ModifiedTrip } from './modification-memory.ts';
import { placeChanges } from './modified-calls.ts';
import { endOfPlan } from './planned-calls.ts';
import { withState } from './replaced-calls.ts';
import { count, matchContext, mention, type UpdateRun } from './update-run.ts';

// A trip that its publisher modifies is a replacement of itself: the added trip of the same key holds the calls that it
// serves, and those that it leaves out as cancelled ones. Reports of the trip, whichever answer brings them, are applied
// to these calls; a modification that comes later takes over what is known of the trip already.

/** More dated trips than the detours of a country; further ones are counted as `too_many_modified_trips`. */
const MAX_MODIFIED_TRIPS = 50_000;

/** Returns the index, made again when a modification or the timetable has changed. */
function getModified(run: UpdateRun): ModificationIndex {
  const { source, context } = run;
  const { tables } = context.planned;
  if (source.modified?.tables === tables) return source.modified;
  const trips = new Map<string, ModifiedTrip>();
  const problems = new Map<string, Record<string, number>>();
  for (const [part, { entities }] of source.parts) {
    const counted: Record<string, number> = {};
    for (const report of entities.modifications.values()) indexModification(run, part, report, trips, counted);
    problems.set(part, counted);
  }
  source.modified = { tables, trips, problems };
  return source.modified;
}

function indexModification(
  run: UpdateRun,
  part: string,
  report: ModificationReport,
  trips: Map<string, ModifiedTrip>,
  problems: Record<string, number>,
): void {
  const startTimes = report.startTimes.length === 0 ? [null] : report.startTimes;
  for (const { tripId, shapeId } of report.trips) {
    const matches = startTimes.flatMap((startTime) => matchDates(run, report, tripId, startTime, problems));
    for (const { match, name } of matches) {
      const key = run.context.planned.tables.trips.key[match.trip]!;
      const id = datedTripKey({ key, day: match.day });
      if (trips.has(id)) count(problems, 'trip_modified_twice');
      else if (trips.size >= MAX_MODIFIED_TRIPS) count(problems, 'too_many_modified_trips');
      else
        trips.set(
          id,
          describeModified(run, { key, day: match.day, match, name, part, place: report.place }, report, shapeId),
        );
    }
  }
}

/** The dated trips of an id; one that runs on none of the dates is counted by the reason why. */
function matchDates(
  run: UpdateRun,
  { serviceDates, place }: ModificationReport,
  tripId: string,
  startTime: ServiceTime | null,
  problems: Record<string, number>,
): { readonly match: DatedMatch; readonly name: TripName }[] {
  const reasons = new Set<string>();
  const matches = serviceDates.flatMap((startDate) => {
    const name = nameTrip({ tripId, startDate, startTime });
    const match = run.context.matcher.matchTrip(reportOf(name, place), matchContext(run));
    if (match.kind === 'dated') return [{ match, name }];
    if (match.kind === 'unmatched') reasons.add(match.reason);
    return [];
  });
  const [reason] = reasons;
  if (matches.length === 0 && reason) count(problems, `modified_${reason}`);
  return matches;
}

function describeModified(
  { context, source }: UpdateRun,
  trip: Omit<ModifiedTrip, 'changes' | 'polyline' | 'signature'>,
  report: ModificationReport,
  shapeId: string | null,
): ModifiedTrip {
  const changes = placeChanges(report.changes, trip.match.trip, context.planned)?.map((change) => ({
    ...change,
    stops: change.stops.map((one) => ({ ...one, stop: describeStop(source, one.stop) })),
  }));
  const polyline = findPolyline(source, shapeId);
  return { ...trip, changes: changes ?? null, polyline, signature: JSON.stringify([trip.place, changes, polyline]) };
}

function nameTrip(name: Pick<TripName, 'tripId' | 'startDate' | 'startTime'>): TripName {
  return {
    ...name,
    routeId: null,
    directionId: null,
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
  };
}

function reportOf(trip: TripName, place: string, calls: readonly CallReport[] = []): TripReport {
  return {
    place,
    trip,
    relationship: 'replacement',
    newTripId: null,
    recordedAt: null,
    delaySeconds: null,
    calls,
    vehicleId: null,
    originName: null,
    isSpecial: false,
  };
}

// ---- Reports of modified trips -----------------------------------------------------------------

/** Finds the modification of a trip of the timetable. */
export function findModified(run: UpdateRun, { trip, day }: Pick<DatedMatch, 'trip' | 'day'>): ModifiedTrip | null {
  const key = run.context.planned.tables.trips.key[trip]!;
  return getModified(run).trips.get(datedTripKey({ key, day })) ?? null;
}

/** Whether a report is to be applied to the calls of a modified trip, if its trip is one. */
export function isModifiable({ relationship }: TripReport): boolean {
  return relationship === 'scheduled' || relationship === 'unscheduled';
}

/** Applies a report of a modified trip. One whose modification does not fit its trip confirms nothing. */
export function applyModified(run: UpdateRun, report: TripReport, match: DatedMatch, modified: ModifiedTrip): void {
  if (modified.changes === null) {
    count(run.tally.unmatched, 'modification_not_in_trip');
    return;
  }
  count(run.tally.matched, 'modified_trip');
  applyAdded(run, { ...report, relationship: 'replacement' }, match, modified);
}

/** Applies the modifications of the part to the trips that its answer does not report. */
export function applyModifications(run: UpdateRun): void {
  if (!hasModifications(run.source)) return;
  const { trips, problems } = getModified(run);
  for (const [code, times] of Object.entries(problems.get(run.facts.part) ?? {}))
    count(run.tally.problems, code, times);
  for (const [name, modified] of trips) {
    if (modified.part !== run.facts.part || run.mentioned.has(name)) continue;
    if (modified.changes === null) count(run.tally.problems, 'modification_not_in_trip');
    else applyModification(run, name, modified);
  }
}

function hasModifications({ parts }: SourceMemory): boolean {
  for (const { entities } of parts.values()) if (entities.modifications.size > 0) return true;
  return false;
}

function applyModification(run: UpdateRun, name: string, modified: ModifiedTrip): void {
  const { source, context, facts, tally } = run;
  const planned = source.trips.get(name);
  const added = source.added.get(name);
  if (endOfPlan(context.planned.plan(modified.match.trip, modified.day)) + MODIFIED_AFTER_END_SECONDS < facts.knownAt) {
    return;
  }
  if (planned && (planned.flags & (tripFlags.cancelled | tripFlags.deleted)) !== 0) return;
  if (added && added.modification === null) {
    count(tally.problems, 'modified_and_replaced');
    return;
  }
  if (added?.modification === modified.signature) {
    added.seenAt = facts.knownAt;
    mention(run, modified, modified.place);
    return;
  }
  const callCount = context.planned.callCount(modified.match.trip);
  const known = added
    ? added.calls.flatMap((call) => (call.isLeftOut || call.number >= callCount ? [] : { call, position: call.number }))
    : (planned?.calls ?? []).flatMap((call, position) => (call ? { call, position } : []));
  applyKnown(run, modified, known);
}

/** A detour that takes far longer than scheduled has ended by then. */
const MODIFIED_AFTER_END_SECONDS = 2 * 3600;

/** Applies what the source has reported of the trip, as if it were reported again. */
function applyKnown(
  run: UpdateRun,
  modified: ModifiedTrip,
  known: readonly { readonly call: CallMemory; readonly position: number }[],
): void {
  const calls = known.map(({ call }) => repeatReport(call));
  const positions = Int32Array.from(known, ({ position }) => position);
  const facts = factsOf(
    run,
    known.map(({ call }) => call),
  );
  const match = { ...modified.match, positions, callProblems: 0 };
  applyAdded({ ...run, facts }, reportOf(modified.name, modified.place, calls), match, modified);
}

/** The newest answer that reported one of the calls; without any, the present one. */
function factsOf({ facts }: UpdateRun, calls: readonly CallMemory[]): AnswerFacts {
  const [newest] = [...calls].sort((a, b) => b.seenAt - a.seenAt);
  return newest ? { ...facts, part: newest.part, knownAt: newest.seenAt as Instant } : facts;
}

/** The report that a call's state came from. */
function repeatReport(call: CallMemory): CallReport {
  const toTime = ({ time, evidence, isReported }: CallEventState) =>
    isReported
      ? { scheduledTime: null, time: time as Instant, delaySeconds: null, isMeasured: evidence === OBSERVED }
      : null;
  const isNoData = (call.flags & callFlags.noData) !== 0;
  const cancelled = callEvents.find((event) => isEventCancelled(call, event)) ?? null;
  const departureOccupancy = toOccupancy(call.occupancy);
  return {
    stopSequence: null,
    stop: null,
    arrival: toTime(call.arrival),
    departure: toTime(call.departure),
    state: isCancelled(call) ? 'skipped' : isNoData ? 'noData' : 'normal',
    cancelledEvent: isCancelled(call) ? null : cancelled,
    scheduledPlatform: null,
    platform: call.platform,
    assignedStopId: null,
    properties: {
      headsign: call.headsign,
      pickup: (call.flags & callFlags.boardingClosed) !== 0 ? false : null,
      dropOff: (call.flags & callFlags.alightingClosed) !== 0 ? false : null,
    },
    ...(departureOccupancy && { departureOccupancy }),
  };
}

// ---- The end of a modification -----------------------------------------------------------------

/** Lets the trips run as planned whose modification is no longer published. */
export function endModifications(run: UpdateRun): void {
  for (const [name, added] of run.source.added) {
    if (added.modification === null || endOfAdded(added.calls) <= run.facts.knownAt) continue;
    if (!getModified(run).trips.get(name)?.changes) restorePlanned(run, name, added);
  }
}

/** What was reported of the calls in common is known of the trip as planned. */
function restorePlanned(run: UpdateRun, name: string, { calls }: AddedTrip): void {
  const { source, facts, context } = run;
  source.added.delete(name);
  const memory = source.trips.get(name);
  if (!memory) return;
  memory.flags &= ~tripFlags.replaced;
  const plan = context.planned.plan(memory.trip, memory.day);
  const ofPlan = calls.filter(({ number }) => number < plan.callCount);
  for (const call of ofPlan) {
    const known = memory.calls[call.number] ?? createCallMemory(call.part);
    const isServedAgain = call.isLeftOut && call.scheduledDeparture > facts.knownAt;
    memory.calls[call.number] = isServedAgain ? known : { ...withState(known, call), flags: call.flags };
    if (isServedAgain) liftCancellation(known);
  }
  const served = ofPlan.filter(({ isLeftOut }) => !isLeftOut);
  const reports = new Map(served.map((call) => [call.number, repeatReport(call)]));
  const { touched } = run;
  const applied = { calls: memory.calls, plan, answer: factsOf(run, served), touched, ...context };
  applyReport(applied, reports, null);
}
