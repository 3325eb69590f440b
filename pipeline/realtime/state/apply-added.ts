import { products } from '../../model/product.ts';
import type { CallReport, TripName, TripReport } from '../../model/realtime.ts';
import { type EpochDay, formatServiceTime, type Instant, localDate, toEpochDay } from '../../model/service-time.ts';
import { tripFlags } from '../../snapshots/realtime-contract.ts';
import { hashTrip } from '../../snapshots/timetable-lookups.ts';
import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import {
  callInstant,
  continueCalls,
  endOfAdded,
  expectedPlanOf,
  planOfAdded,
  type ReportedAddedCall,
  readCalls,
  repeatCalls,
  reportedCallInstant,
} from './added-calls.ts';
import { type AppliedTrip, applyReport, cancelAllCalls } from './apply-report.ts';
import { getTrip, listReported } from './apply-trip.ts';
import { describeReported, settleProperties } from './call-properties.ts';
import { findPolyline } from './described-entities.ts';
import { emitStopEvents, type ReportedEvents } from './emitted-observations.ts';
import { type AddedCall, type AddedTrip, type DatedTripRef, datedTripKey, type SourceMemory } from './memory.ts';
import type { ModifiedTrip } from './modification-memory.ts';
import { listModifiedCalls, placeModified } from './modified-calls.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { BelievedReports } from './refuse-times.ts';
import { addLeftOut, seedCalls } from './replaced-calls.ts';
import { count, countRefused, matchContext, mention, type UpdateRun } from './update-run.ts';

/** An added trip whose last call is longer ago than this has ended: a report with its id is of another trip. */
const ADDED_TRIP_OVER_AFTER_SECONDS = 3600;

/**
 * Applies a report of an added, duplicated or replacement trip. A trip without any call time cannot be shown and is
 * counted as unmatched.
 * @param match the scheduled trip that it duplicates or replaces, if any
 * @param modified by which the scheduled trip is replaced by itself, with other calls; counted by the caller
 */
export function applyAdded(
  run: UpdateRun,
  given: TripReport,
  match: TripMatch,
  modified: ModifiedTrip | null = null,
): void {
  const { source, tally } = run;
  const base = match.kind === 'dated' ? match : null;
  const report = nameRepetition(given, base, run.context.planned);
  const reported = placeReported(run, report, base, modified).map((placed) => settlePlaced(run, placed, base));
  const name = nameAdded(run, report, base, reported);
  const before = name === null ? undefined : source.added.get(datedTripKey(name));
  const { placed, dropped } = completeCalls(run, { report, base, reported, before, isWhole: modified !== null });
  const believed = applyCalls(run, placed, report.delaySeconds);
  countRefused(tally.problems, believed.refused);
  const timed = placed
    .map(({ call }, i) => ({ call, report: believed.reports.get(i) ?? null }))
    .filter(({ call }) => callInstant(call) > 0);
  if (name === null || timed.every(({ call }) => call.isLeftOut)) {
    count(tally.unmatched, `${report.relationship}_without_calls`);
    return;
  }
  count(tally.problems, 'call_without_time', placed.length - timed.length);
  if (!modified) count(tally.matched, report.relationship);
  for (const { call } of timed) call.headsign ??= report.properties?.headsign ?? null;
  const trip = {
    ...describeAdded(run, report, base, modified),
    ...name,
    calls: timed.map(({ call }) => call),
    dropped,
  };
  if (!before) run.addedNames.add(datedTripKey(name));
  source.added.set(datedTripKey(name), trip);
  mention(run, name, report.place);
  if (isReplacement(report, base)) markReplaced(run, base);
  emitAdded(run, trip, listReported(report, mapReports(timed)));
}

function placeReported(
  run: UpdateRun,
  report: TripReport,
  base: DatedMatch | null,
  modified: ModifiedTrip | null,
): ReportedAddedCall[] {
  if (base && modified?.changes) {
    return placeModified(run, report, base, listModifiedCalls(run, base, modified.changes));
  }
  const isWhole = base !== null && (report.relationship === 'duplicated' || report.calls.length === 0);
  return isWhole ? repeatCalls(report, base, run) : readCalls(report, base, run);
}

/** A call of the replaced trip is compared with it; of others everything is as reported. */
function settlePlaced(run: UpdateRun, { call, report }: ReportedAddedCall, base: DatedMatch | null): ReportedAddedCall {
  if (!report) return { call, report };
  const isOfBase = base !== null && call.number < run.context.planned.callCount(base.trip);
  const planned = isOfBase ? describeReported(run, base.trip, call.number) : UNKNOWN_CALL;
  return { call, report: settleProperties(run, report, planned) };
}

const UNKNOWN_CALL = { stop: -1, canBoard: true, canAlight: true };

interface ReportedTrip {
  readonly report: TripReport;
  readonly base: DatedMatch | null;
  readonly reported: readonly ReportedAddedCall[];
  /** As known from earlier answers. */
  readonly before: AddedTrip | undefined;
  /** The report lists all calls of the trip. */
  readonly isWhole: boolean;
}

/** Adds calls known from earlier answers, and those of the replaced trip. */
function completeCalls(
  run: UpdateRun,
  { report, base, reported, before, isWhole }: ReportedTrip,
): ReturnType<typeof continueCalls> {
  if (!isReplacement(report, base)) return continueCalls(reported, before, run.facts, { reserved: 0, isWhole });
  const reserved = run.context.planned.callCount(base.trip);
  const seeded = before ? reported : seedCalls(run, base, reported);
  const { placed, dropped } = continueCalls(seeded, before, run.facts, { reserved, isWhole });
  return { placed: addLeftOut(run, base, placed, isWhole), dropped };
}

function applyCalls(run: UpdateRun, placed: readonly ReportedAddedCall[], tripDelay: number | null): BelievedReports {
  const calls = placed.map(({ call }) => call);
  return applyReport(appliedTo(run, calls), mapReports(placed), tripDelay);
}

function appliedTo({ facts, touched, context }: UpdateRun, calls: AddedCall[]): AppliedTrip {
  const { maxEarlySeconds } = context;
  return { calls, plan: expectedPlanOf(calls), answer: facts, touched, maxEarlySeconds };
}

/** Reports by index in the list. */
function mapReports(placed: readonly ReportedAddedCall[]): ReadonlyMap<number, CallReport> {
  return new Map(placed.flatMap(({ report }, i) => (report ? [[i, report] as const] : [])));
}

function isReplacement({ relationship }: TripReport, base: DatedMatch | null): base is DatedMatch {
  return relationship === 'replacement' && base !== null;
}

/** @returns null for a trip with neither a start date nor a call time to derive it from */
function nameAdded(
  run: UpdateRun,
  report: TripReport,
  base: DatedMatch | null,
  reported: readonly ReportedAddedCall[],
): DatedTripRef | null {
  const { tables } = run.context.planned;
  if (isReplacement(report, base)) return { key: tables.trips.key[base.trip]!, day: base.day };
  const key = hashAdded(run.source, report);
  if (report.trip.startDate !== null) return { key, day: toEpochDay(report.trip.startDate) };
  const first = reported.map(reportedCallInstant).find((instant) => instant > 0);
  if (first === undefined) return null;
  const today = toEpochDay(localDate(first as Instant, tables.zones.name.get(0)));
  return { key, day: hasBegunBefore(run.source, { key, day: today }, first) ? ((today - 1) as EpochDay) : today };
}

/** A trip that began before midnight keeps its service date when its first calls are left out. */
function hasBegunBefore({ added }: SourceMemory, { key, day }: DatedTripRef, first: number): boolean {
  const yesterdays = added.get(datedTripKey({ key, day: (day - 1) as EpochDay }));
  const isOver = yesterdays !== undefined && endOfAdded(yesterdays.calls) + ADDED_TRIP_OVER_AFTER_SECONDS < first;
  return yesterdays !== undefined && !isOver && !added.has(datedTripKey({ key, day }));
}

function readTripId({ newTripId, trip, place }: TripReport): string {
  return newTripId ?? trip.tripId ?? place;
}

/** Dated trips of a frequency and duplicates may share an id; their start times distinguish them. */
function hashAdded({ id }: SourceMemory, report: TripReport): bigint {
  const isByStart = report.relationship === 'unscheduled' || report.relationship === 'duplicated';
  const start = isByStart ? report.trip.startTime : null;
  return hashTrip(id, `added:${readTripId(report)}`, start ?? -1);
}

function describeAdded(
  { context, facts, source }: UpdateRun,
  report: TripReport,
  base: DatedMatch | null,
  modified: ModifiedTrip | null,
): Omit<AddedTrip, 'key' | 'day' | 'calls' | 'dropped'> {
  const { tables } = context.planned;
  const named = context.matcher.matchRoute(report.trip, matchContext({ context, facts }));
  const route = named ?? (base ? tables.patterns.route[tables.trips.pattern[base.trip]!]! : -1);
  return {
    tripId: readTripId(report),
    name: report.trip,
    label: report.trip.lineLabel ?? (route >= 0 ? tables.routes.label.get(route) : ''),
    product: products.indexOf(report.trip.product ?? 'other'),
    flags: (isReplacement(report, base) ? 0 : tripFlags.additional) | (report.isSpecial ? tripFlags.special : 0),
    route,
    basedOn: base ? tables.trips.key[base.trip]! : null,
    originName: report.originName,
    modification: modified?.signature ?? null,
    polyline: findPolyline(source, report.properties?.shapeId ?? null) ?? modified?.polyline ?? null,
    recordedAt: report.recordedAt ?? facts.knownAt,
    seenAt: facts.knownAt,
  };
}

function markReplaced(run: UpdateRun, base: DatedMatch): void {
  const replaced = getTrip(run.source, base, run.context.planned);
  replaced.flags = tripFlags.replaced;
  replaced.recordedAt = run.facts.knownAt;
  replaced.seenAt = run.facts.knownAt;
}

// ---- Lookup ------------------------------------------------------------------------------------

/** Finds an added trip by id, and by service date and start time where given; of several the newest. */
export function findAdded({ added }: SourceMemory, { tripId, startDate, startTime }: TripName): AddedTrip | null {
  if (tripId === null) return null;
  const day = startDate === null ? null : toEpochDay(startDate);
  let found: AddedTrip | null = null;
  for (const trip of added.values()) {
    const isOther =
      trip.tripId !== tripId ||
      (day !== null && trip.day !== day) ||
      (startTime !== null && trip.name.startTime !== null && trip.name.startTime !== startTime);
    if (!isOther && (found === null || trip.day >= found.day)) found = trip;
  }
  return found;
}

// ---- Duplicates --------------------------------------------------------------------------------

/** A dated trip of the timetable. */
export interface DatedRow {
  readonly trip: number;
  readonly day: EpochDay;
}

/** A duplicate without the id that its publisher should give is named by route and start time. */
function nameRepetition(report: TripReport, base: DatedRow | null, planned: PlannedCalls): TripReport {
  if (report.relationship !== 'duplicated' || report.newTripId !== null) return report;
  return { ...report, newTripId: nameByStart(report.trip, base, planned) };
}

function nameByStart({ routeId, tripId, startTime }: TripName, base: DatedRow | null, planned: PlannedCalls) {
  const { trips, patterns, routes } = planned.tables;
  const route = routeId ?? (base && routes.routeId.get(patterns.route[trips.pattern[base.trip]!]!)) ?? tripId;
  return startTime === null ? null : `${route} ${formatServiceTime(startTime)}`;
}

/** Whether the start time and date are the scheduled ones. */
export function isPlannedStart(
  { startTime, startDate }: TripName,
  { trip, day }: DatedRow,
  planned: PlannedCalls,
): boolean {
  const begin = planned.departure(trip, day, 0) - planned.dayStart(trip, day);
  return startTime === begin && (startDate === null || toEpochDay(startDate) === day);
}

/** A duplicate without an id that starts at the scheduled time is the scheduled trip itself. */
export function isPlannedItself({ context }: UpdateRun, { relationship, newTripId, trip }: TripReport, base: DatedRow) {
  return relationship === 'duplicated' && newTripId === null && isPlannedStart(trip, base, context.planned);
}

/**
 * Finds the duplicate that is named by its scheduled trip or route and by its start time.
 * @returns null without a match, or with several and no start time
 */
export function findRepetition(
  source: SourceMemory,
  trip: TripName,
  base: DatedRow | null,
  planned: PlannedCalls,
): AddedTrip | null {
  const tripId = nameByStart(trip, base, planned);
  const named = tripId === null ? null : findAdded(source, { ...trip, tripId });
  if (named || base === null) return named;
  const key = planned.tables.trips.key[base.trip]!;
  const repetitions = [...source.added.values()].filter(
    ({ key: own, basedOn, day, name: { startTime } }) =>
      basedOn === key &&
      own !== key &&
      (trip.startDate === null || day === toEpochDay(trip.startDate)) &&
      (trip.startTime === null || startTime === trip.startTime),
  );
  return repetitions.length === 1 ? repetitions[0]! : null;
}

/** Cancels or deletes a trip that was added before. */
export function cancelAdded(run: UpdateRun, report: TripReport, trip: AddedTrip): void {
  const { facts } = run;
  count(run.tally.matched, `${report.relationship}_added`);
  if (report.relationship === 'deleted') {
    run.source.added.delete(datedTripKey(trip));
    return;
  }
  const calls = [...trip.calls];
  cancelAllCalls(appliedTo(run, calls));
  mention(run, trip, report.place);
  const cancelled = { ...trip, recordedAt: report.recordedAt ?? facts.knownAt, seenAt: facts.knownAt, calls };
  run.source.added.set(datedTripKey(trip), cancelled);
  emitAdded(run, cancelled, listReported(report, new Map()));
}

// ---- Observations ---------------------------------------------------------------------------------

function emitAdded({ source, facts, observations }: UpdateRun, trip: AddedTrip, isReported: ReportedEvents): void {
  const { key, day, recordedAt, calls, tripId, name, label } = trip;
  const state = {
    key,
    day,
    recordedAt,
    calls,
    plan: planOfAdded(calls),
    position: (index: number) => calls[index]!.number,
    stopId: (index: number) => calls[index]!.stopId,
    describe: () => ({ tripId, routeId: name.routeId, lineLabel: label }),
  };
  observations.push(...emitStopEvents(source, state, isReported, facts.seenAt));
}
