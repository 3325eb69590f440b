import { products } from '../../model/product.ts';
import type { CallReport, TripName, TripReport } from '../../model/realtime.ts';
import { type EpochDay, formatServiceTime, type Instant, localDate, toEpochDay } from '../../model/service-time.ts';
import { hashTrip } from '../../timetable/snapshot/contract.ts';
import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import { tripFlags } from '../snapshot/realtime-contract.ts';
import {
  continueCalls,
  endOfAdded,
  momentEmitted,
  momentOf,
  type PlacedCall,
  planOf,
  readCalls,
  repeatCalls,
} from './added-calls.ts';
import { applyReport, cancelRun } from './apply-report.ts';
import { getTrip, listReported } from './apply-trip.ts';
import { emitStopEvents, type ReportedEvents } from './emitted-sightings.ts';
import { type AddedTrip, type DatedName, nameDated, type SourceMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { count, matchContext, mention, type UpdateRun } from './update-run.ts';

/** A run whose last call is this long ago goes on no more: what is told now is another one. */
const ADDED_TRIP_OVER_AFTER_SECONDS = 3600;

/**
 * Takes up a trip that is added, runs once more at another time, or takes the place of a scheduled one. One of which no
 * call has a time cannot be shown, and is counted as unmatched.
 * @param match the scheduled trip that it repeats or replaces, where there is one
 */
export function applyAdded(run: UpdateRun, given: TripReport, match: TripMatch): void {
  const { source, facts, tally } = run;
  const base = match.kind === 'dated' ? match : null;
  const report = nameRepetition(given, base, run.context.planned);
  const isWhole = base !== null && (report.relationship === 'duplicated' || report.calls.length === 0);
  const told = isWhole ? repeatCalls(report, base, run) : readCalls(report, base, run);
  const name = nameAdded(run, report, base, told);
  const before = name === null ? undefined : source.added.get(nameDated(name));
  const { placed, dropped } = continueCalls(told, before, facts);
  count(tally.problems, 'implausible_time', layAdded(run, placed, report.delaySeconds));
  const timed = placed.filter(({ call }) => momentOf(call) > 0);
  if (name === null || timed.length === 0) {
    count(tally.unmatched, `${report.relationship}_without_calls`);
    return;
  }
  count(tally.problems, 'call_without_time', placed.length - timed.length);
  count(tally.matched, report.relationship);
  const trip = { ...describeAdded(run, report, base), ...name, calls: timed.map(({ call }) => call), dropped };
  if (!before) run.addedNames.add(nameDated(name));
  source.added.set(nameDated(name), trip);
  mention(run, name, report.place);
  if (isReplacement(report, base)) markReplaced(run, base);
  emitAdded(run, trip, listReported(report, mapReports(timed)));
}

/** @returns times that were left out because they cannot be */
function layAdded({ facts, touched }: UpdateRun, placed: readonly PlacedCall[], tripDelay: number | null): number {
  const calls = placed.map(({ call }) => call);
  return applyReport({ calls, plan: planOf(calls), answer: facts, touched }, mapReports(placed), tripDelay);
}

/** By place in the list. */
function mapReports(placed: readonly PlacedCall[]): ReadonlyMap<number, CallReport> {
  return new Map(placed.flatMap(({ report }, i) => (report ? [[i, report] as const] : [])));
}

function isReplacement({ relationship }: TripReport, base: DatedMatch | null): base is DatedMatch {
  return relationship === 'replacement' && base !== null;
}

/** @returns null for a trip that has no day of its own, nor a time to tell it by */
function nameAdded(
  run: UpdateRun,
  report: TripReport,
  base: DatedMatch | null,
  told: readonly PlacedCall[],
): DatedName | null {
  const { tables } = run.context.planned;
  if (isReplacement(report, base)) return { key: tables.trips.key[base.trip]!, day: base.day };
  const key = hashAdded(run.source, report);
  if (report.trip.startDate !== null) return { key, day: toEpochDay(report.trip.startDate) };
  const first = told.map(momentEmitted).find((moment) => moment > 0);
  if (first === undefined) return null;
  const today = toEpochDay(localDate(first as Instant, tables.zones.name.get(0)));
  return { key, day: hasBegunBefore(run.source, { key, day: today }, first) ? ((today - 1) as EpochDay) : today };
}

/** A trip that began before midnight does not become another one when its first calls are left out. */
function hasBegunBefore({ added }: SourceMemory, { key, day }: DatedName, first: number): boolean {
  const yesterdays = added.get(nameDated({ key, day: (day - 1) as EpochDay }));
  const isOver = yesterdays !== undefined && endOfAdded(yesterdays.calls) + ADDED_TRIP_OVER_AFTER_SECONDS < first;
  return yesterdays !== undefined && !isOver && !added.has(nameDated({ key, day }));
}

function readTripId({ newTripId, trip, place }: TripReport): string {
  return newTripId ?? trip.tripId ?? place;
}

/** Runs of a frequency, and repetitions of a trip, may share an id: their starts tell them apart. */
function hashAdded({ id }: SourceMemory, report: TripReport): bigint {
  const isRun = report.relationship === 'unscheduled' || report.relationship === 'duplicated';
  const start = isRun ? report.trip.startTime : null;
  return hashTrip(id, `added:${readTripId(report)}`, start ?? -1);
}

function describeAdded(
  { context, facts }: UpdateRun,
  report: TripReport,
  base: DatedMatch | null,
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

// ---- Found again -------------------------------------------------------------------------------

/** The added trip that a name means: by its id, then by day and start where they are told; of several the newest. */
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

// ---- Repetitions -------------------------------------------------------------------------------

/** A dated trip of the timetable. */
export interface DatedRow {
  readonly trip: number;
  readonly day: EpochDay;
}

/** A repetition that its publisher gives no id, though it should: it is named by route and start. */
function nameRepetition(report: TripReport, base: DatedRow | null, planned: PlannedCalls): TripReport {
  if (report.relationship !== 'duplicated' || report.newTripId !== null) return report;
  return { ...report, newTripId: nameByStart(report.trip, base, planned) };
}

function nameByStart({ routeId, tripId, startTime }: TripName, base: DatedRow | null, planned: PlannedCalls) {
  const { trips, patterns, routes } = planned.tables;
  const route = routeId ?? (base && routes.routeId.get(patterns.route[trips.pattern[base.trip]!]!)) ?? tripId;
  return startTime === null ? null : `${route} ${formatServiceTime(startTime)}`;
}

/** Whether a trip begins when the timetable says, on its day. */
export function isPlannedStart(
  { startTime, startDate }: TripName,
  { trip, day }: DatedRow,
  planned: PlannedCalls,
): boolean {
  const begin = planned.departure(trip, day, 0) - planned.dayStart(trip, day);
  return startTime === begin && (startDate === null || toEpochDay(startDate) === day);
}

/** A repetition without an id that begins when its trip does is that trip. */
export function isPlannedItself({ context }: UpdateRun, { relationship, newTripId, trip }: TripReport, base: DatedRow) {
  return relationship === 'duplicated' && newTripId === null && isPlannedStart(trip, base, context.planned);
}

/**
 * The repetition that is meant by the trip that it repeats, or by its route, and by its start.
 * @returns null where there is none, or where no start says which of several it is
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

/** A trip that was added does not run after all. */
export function cancelAdded(run: UpdateRun, report: TripReport, trip: AddedTrip): void {
  const { facts } = run;
  count(run.tally.matched, `${report.relationship}_added`);
  if (report.relationship === 'deleted') {
    run.source.added.delete(nameDated(trip));
    return;
  }
  const calls = [...trip.calls];
  cancelRun({ calls, plan: planOf(calls), answer: facts, touched: run.touched });
  mention(run, trip, report.place);
  const cancelled = { ...trip, recordedAt: report.recordedAt ?? facts.knownAt, seenAt: facts.knownAt, calls };
  run.source.added.set(nameDated(trip), cancelled);
  emitAdded(run, cancelled, listReported(report, new Map()));
}

// ---- Sightings ---------------------------------------------------------------------------------

function emitAdded({ source, facts, sightings }: UpdateRun, trip: AddedTrip, isReported: ReportedEvents): void {
  const { key, day, recordedAt, calls, tripId, name, label } = trip;
  const told = {
    key,
    day,
    recordedAt,
    calls,
    plan: planOf(calls),
    position: (index: number) => calls[index]!.number,
    stopId: (index: number) => calls[index]!.stopId,
    describe: () => ({ tripId, routeId: name.routeId, lineLabel: label }),
  };
  sightings.push(...emitStopEvents(source, told, isReported, facts.seenAt));
}
