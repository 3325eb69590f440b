import { OBSERVATION_OPEN_SECONDS, type ResolvedTrip } from '../../model/observation.ts';
import type { TripName } from '../../model/realtime.ts';
import { type Instant, toEpochDay } from '../../model/service-time.ts';
import { runsOn } from '../../snapshots/timetable-lookups.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { isFoundById } from '../matching/match-result.ts';
import type { SourceMemory } from './memory.ts';
import { endOfPlan, type PlannedCalls } from './planned-calls.ts';
import type { UpdateRun } from './update-run.ts';

// A publisher whose trip ids are not those of the timetable names a trip by route and start, or by line and plan, where
// its message has room for that; elsewhere by its id alone. The resolved id is remembered for the whole source.

/** Limit for a publisher that renames its trips with every answer; the oldest ids are dropped first. */
const MAX_RESOLVED_IDS = 200_000;

/** Remembers the trip of a reported id that was matched by other data of the report, not by the id. */
export function rememberResolved(
  run: UpdateRun,
  { tripId, startDate, startTime }: TripName,
  match: Pick<DatedMatch, 'trip' | 'day' | 'how'>,
): void {
  const { source, context } = run;
  if (tripId === null || match.how === 'resolved_id' || isFoundById(match.how)) return;
  const { trip, day } = match;
  const key = context.planned.tables.trips.key[trip]!;
  const known = source.resolved.get(tripId) ?? [];
  const isSameName = (other: ResolvedTrip) =>
    other.startTime === startTime && dayOf(other) === dayOf({ startDate, day }) && other.startDate === startDate;
  const before = known.find(isSameName);
  if (before && before.key === key && before.day === day) return;
  const until = (endOfPlan(context.planned.plan(trip, day)) + OBSERVATION_OPEN_SECONDS) as Instant;
  const resolved = { tripId, startDate, startTime, key, day, until };
  source.resolved.set(tripId, [...known.filter((other) => other !== before), resolved]);
  if (source.resolved.size > MAX_RESOLVED_IDS) source.resolved.delete(source.resolved.keys().next().value!);
  run.resolved.push(resolved);
}

/**
 * Finds the trip of a reported id: on the given service date, else on the nearest one.
 * @returns null when the id is not resolved or ambiguous
 */
export function findResolved(
  { resolved }: SourceMemory,
  planned: PlannedCalls,
  { tripId, startDate, startTime }: TripName,
  now: Instant,
): { readonly trip: number; readonly day: ResolvedTrip['day'] } | null {
  const known = tripId === null ? undefined : resolved.get(tripId);
  if (!known) return null;
  const fitting = known.filter(
    (one) =>
      (startDate === null || dayOf(one) === toEpochDay(startDate)) &&
      (startTime === null || one.startTime === null || one.startTime === startTime),
  );
  const [nearest] = [...fitting].sort((a, b) => distanceFrom(a, now) - distanceFrom(b, now) || a.day - b.day);
  if (!nearest || fitting.some(({ day, key }) => day === nearest.day && key !== nearest.key)) return null;
  const trip = planned.findTrip(nearest.key, nearest.day);
  return trip === null ? null : { trip, day: nearest.day };
}

/** The service date by which a report names it. */
function dayOf({ startDate, day }: Pick<ResolvedTrip, 'startDate' | 'day'>): number {
  return startDate === null ? day : toEpochDay(startDate);
}

/** Seconds between `now` and the end of the trip. */
function distanceFrom({ until }: ResolvedTrip, now: Instant): number {
  return Math.abs(until - OBSERVATION_OPEN_SECONDS - now);
}

/** Replaces the resolved ids with those from before a restart. */
export function restoreResolved({ resolved }: SourceMemory, trips: Iterable<ResolvedTrip>): void {
  resolved.clear();
  for (const trip of trips) resolved.set(trip.tripId, [...(resolved.get(trip.tripId) ?? []), trip]);
}

/** Removes ids of finished trips. */
export function forgetResolved(source: SourceMemory, now: Instant): void {
  keepResolved(source, ({ until }) => until >= now);
}

/** Switches to another timetable: an id whose trip it does not hold, or not on that day, is dropped. */
export function moveResolved(source: SourceMemory, { tables, findTrip }: PlannedCalls): void {
  keepResolved(source, ({ key, day }) => {
    const trip = findTrip(key, day);
    return trip !== null && runsOn(tables, tables.trips.service[trip]!, day);
  });
}

function keepResolved({ resolved }: SourceMemory, isKept: (trip: ResolvedTrip) => boolean): void {
  for (const [tripId, trips] of resolved) {
    if (trips.every(isKept)) continue;
    const kept = trips.filter(isKept);
    if (kept.length > 0) resolved.set(tripId, kept);
    else resolved.delete(tripId);
  }
}
