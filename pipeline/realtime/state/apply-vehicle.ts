import { type CallEvent, OBSERVED } from '../../model/observation.ts';
import { toOccupancyNumber } from '../../model/occupancy.ts';
import type { TripName, TripRelationship, VehicleReport } from '../../model/realtime.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { callFlags } from '../../snapshots/realtime-contract.ts';
import type { VehicleMatch } from '../matching/match-result.ts';
import { type DatedRow, findAdded, findRepetition, isPlannedStart } from './apply-added.ts';
import { applyPassages } from './apply-passages.ts';
import { describeTrip, getTrip } from './apply-trip.ts';
import { emitSeen, isNoEvent } from './emitted-observations.ts';
import {
  type AddedTrip,
  createCallMemory,
  datedTripKey,
  isEventCancelled,
  type SourceMemory,
  setSeen,
  type VehicleMemory,
  type VehiclePlace,
} from './memory.ts';
import { MAX_DELAY_SECONDS } from './refuse-times.ts';
import { rememberResolved } from './resolved-trips.ts';
import { count, type UpdateContext, type UpdateRun } from './update-run.ts';

/**
 * Keeps a vehicle's newest position; standing at a stop means that it has arrived, moving on that it has departed.
 * Calls that it passed between two positions are timed by its way.
 */
export function applyVehicle(run: UpdateRun, report: VehicleReport): void {
  const { source, facts, tally, context } = run;
  const { place, match } = findPlace(source, report, context, facts.knownAt);
  if (report.trip && match.kind === 'dated' && place.trip >= 0) rememberResolved(run, report.trip, match);
  tally[kindOf(place)] += 1;
  // A clock that runs ahead would make a position look fresh for longer than it is.
  const observedAt = Math.min(report.recordedAt ?? facts.knownAt, facts.seenAt) as Instant;
  const before = source.vehicles.get(report.id) ?? null;
  if (before && before.observedAt > observedAt) {
    source.vehicles.set(report.id, { ...before, part: facts.part });
    return;
  }
  const vehicle: VehicleMemory = { report, observedAt, part: facts.part, place, followed: before?.followed ?? null };
  source.vehicles.set(report.id, vehicle);
  if (before && hasDeparted(before, vehicle)) applyObservation(run, before, 'departure', report);
  if (hasArrived(before, vehicle)) applyObservation(run, vehicle, 'arrival');
  // Last: a time at which the publisher saw the vehicle stand at a stop ranks before a derived one.
  source.vehicles.set(report.id, { ...vehicle, followed: applyPassages(run, vehicle) });
}

/** Tally counter of a vehicle. */
function kindOf({ trip, addedTrip, route }: VehiclePlace) {
  if (trip >= 0 || addedTrip !== null) return 'vehiclesMatched';
  return route >= 0 ? 'vehiclesOnRouteOnly' : 'vehiclesUnmatched';
}

/** Finds a vehicle's trip and route in the timetable and among the source's added trips. */
export function placeVehicle(
  source: SourceMemory,
  report: VehicleReport,
  context: UpdateContext,
  now: Instant,
): VehiclePlace {
  return findPlace(source, report, context, now).place;
}

function findPlace(
  source: SourceMemory,
  report: VehicleReport,
  context: UpdateContext,
  now: Instant,
): { readonly place: VehiclePlace; readonly match: VehicleMatch } {
  const match = context.matcher.matchVehicle(report, { timetableSource: context.timetableSource, now });
  const added = report.trip && findAddedOf(source, report.trip, report.relationship, match, context);
  if (match.kind === 'dated' && !added && isOnPlanned(report, match, context)) {
    const { trip, day, position, route } = match;
    return { place: { trip, day, position, route, addedTrip: null }, match };
  }
  const route = match.kind === 'unmatched' ? (added?.route ?? -1) : match.route;
  const addedTrip = added ? datedTripKey(added) : null;
  return { place: { trip: -1, day: 0 as EpochDay, position: -1, route, addedTrip }, match };
}

/** The added trip that a vehicle serves: by its reported relationship, or because the timetable has no such trip. */
function findAddedOf(
  source: SourceMemory,
  trip: TripName,
  relationship: TripRelationship,
  match: VehicleMatch,
  { planned }: UpdateContext,
): AddedTrip | null {
  const isReportedAdded = relationship === 'added' || relationship === 'duplicated';
  const added = match.kind === 'dated' && !isReportedAdded ? null : findAdded(source, trip);
  if (added || relationship !== 'duplicated') return added;
  return findRepetition(source, trip, match.kind === 'dated' ? match : null, planned);
}

/** A duplicate is not the scheduled trip, unless it starts at the same time. */
function isOnPlanned({ trip, relationship }: VehicleReport, match: DatedRow, { planned }: UpdateContext): boolean {
  return relationship !== 'duplicated' || (trip?.startTime != null && isPlannedStart(trip, match, planned));
}

/**
 * Matches those vehicles of an earlier answer again whose trips were not known.
 * @returns whether any was matched
 */
export function revisitVehicles(run: UpdateRun): boolean {
  const { source, facts, tally, context } = run;
  let isAnyFound = false;
  for (const [id, vehicle] of source.vehicles) {
    if (vehicle.part !== facts.part || kindOf(vehicle.place) === 'vehiclesMatched') continue;
    const place = placeVehicle(source, vehicle.report, context, facts.knownAt);
    if (kindOf(place) !== 'vehiclesMatched') continue;
    isAnyFound = true;
    tally[kindOf(vehicle.place)] -= 1;
    tally.vehiclesMatched += 1;
    const found = { ...vehicle, place };
    source.vehicles.set(id, found);
    if (hasArrived(null, found)) applyObservation(run, found, 'arrival');
    source.vehicles.set(id, { ...found, followed: applyPassages(run, found) });
  }
  return isAnyFound;
}

/** Drops the part's vehicles that its newest, complete answer no longer holds. */
export function dropUnmentionedVehicles({ source, update, facts }: UpdateRun): void {
  const mentioned = new Set(update.vehicles.map(({ id }) => id));
  for (const [id, { part }] of source.vehicles) {
    if (part === facts.part && !mentioned.has(id)) source.vehicles.delete(id);
  }
}

// ---- Observations from positions ---------------------------------------------------------------

function isStopped({ report }: VehicleMemory): boolean {
  return report.stopStatus === 'stoppedAt';
}

function isAtSameTrip({ place: a }: VehicleMemory, { place: b }: VehicleMemory): boolean {
  return a.trip >= 0 && a.trip === b.trip && a.day === b.day;
}

/** It was at a call and is at a later one now. */
function hasDeparted(before: VehicleMemory, now: VehicleMemory): boolean {
  return isStopped(before) && isAtSameTrip(before, now) && now.place.position > before.place.position;
}

/** It is at a call at which it was not before. */
function hasArrived(before: VehicleMemory | null, now: VehicleMemory): boolean {
  const stoodThere =
    before !== null && isStopped(before) && isAtSameTrip(before, now) && before.place.position === now.place.position;
  return isStopped(now) && now.place.trip >= 0 && !stoodThere;
}

/**
 * Takes a vehicle at a call as an observation: it arrived when it was first seen there and departed when it was last
 * seen there, unless its publisher has reported the observed time or a cancellation.
 * @param departed the first position after it has departed
 * @see decisions, section 5: `STOPPED_AT` is an observation
 */
function applyObservation(
  run: UpdateRun,
  { place, observedAt }: VehicleMemory,
  name: CallEvent,
  departed: VehicleReport | null = null,
): void {
  const { source, context, facts } = run;
  const { position } = place;
  if (position < 0) return;
  const memory = getTrip(source, place, context.planned);
  const trip = describeTrip(context.planned, memory);
  if (isNoEvent(trip.plan, position, name)) return;
  if (Math.abs(observedAt - trip.plan.at(position, name)) > MAX_DELAY_SECONDS) {
    count(run.tally.problems, 'implausible_time');
    return;
  }
  memory.seenAt = Math.max(memory.seenAt, facts.knownAt);
  memory.recordedAt = Math.max(memory.recordedAt, observedAt);
  const call = memory.calls[position] ?? { ...createCallMemory(facts.part), seenAt: facts.knownAt };
  if (isEventCancelled(call, name) || call[name].evidence === OBSERVED) return;
  memory.calls[position] = call;
  setSeen(call[name], observedAt);
  call.flags = (call.flags & ~callFlags.noData) | callFlags.fromPosition;
  const occupancy = toOccupancyNumber(departed?.occupancy);
  const seen = { position, event: name, time: observedAt, state: OBSERVED, uncertaintySeconds: null, occupancy };
  run.observations.push(...emitSeen(source, { ...trip, recordedAt: observedAt }, seen, facts.seenAt));
}
