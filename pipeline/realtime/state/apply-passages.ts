import { isAhead } from '../../model/clock-tolerance.ts';
import { type CallEvent, callEvents, OBSERVED, UNKNOWN } from '../../model/observation.ts';
import { toOccupancyNumber } from '../../model/occupancy.ts';
import type { VehicleReport } from '../../model/realtime.ts';
import { callFlags } from '../../snapshots/realtime-contract.ts';
import { createFollower, followVehicle } from '../passages/follow-vehicle.ts';
import type { DerivedTime } from '../passages/time-passages.ts';
import { findSpeeds } from '../passages/trip-paths.ts';
import { describeTrip, getTrip } from './apply-trip.ts';
import { type DatedTripState, emitSeen, isNoEvent } from './emitted-observations.ts';
import {
  createCallMemory,
  type FollowedVehicle,
  isEventCancelled,
  setSeen,
  type TripMemory,
  type VehicleMemory,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { MAX_DELAY_SECONDS } from './refuse-times.ts';
import { count, type UpdateRun } from './update-run.ts';

/**
 * Follows a vehicle along its trip, and applies the calls that it has passed by now.
 * @returns how it is followed from here on; null while it serves no trip of the timetable
 */
export function applyPassages(run: UpdateRun, vehicle: VehicleMemory): FollowedVehicle | null {
  const { context, facts, tally } = run;
  const { report, place, observedAt } = vehicle;
  if (place.trip < 0) return null;
  // The clock of the vehicle is wrong, so when it passed what is not known.
  if (report.recordedAt !== null && isAhead(report.recordedAt, facts.seenAt)) {
    count(tally.problems, 'position_in_future');
    return vehicle.followed;
  }
  const followed = continueFollowing(context.planned, vehicle);
  if (followed === null) {
    count(tally.problems, 'trip_without_path');
    return null;
  }
  const { passages, outcome } = followVehicle(followed.follower, {
    time: observedAt,
    lat: report.lat,
    lon: report.lon,
    call: place.position,
    isStopped: report.stopStatus === 'stoppedAt',
  });
  if (outcome === 'off_path') count(tally.problems, 'position_off_path');
  if (outcome === 'jumped') count(tally.problems, 'position_jumped');
  if (outcome === 'standing') count(tally.problems, 'vehicle_standing');
  if (passages.length === 0) return followed;
  const memory = getTrip(run.source, place, context.planned);
  if (isServedByAnother(run, memory, report)) {
    count(tally.problems, 'passage_of_other_vehicle', passages.length);
    return followed;
  }
  memory.passedBy = report.id;
  for (const passage of passages) {
    for (const event of callEvents) {
      const derived = passage[event];
      if (derived) applyDerived(run, memory, { position: passage.position, event, derived, report });
    }
  }
  return followed;
}

/** As before while it serves the same dated trip. */
function continueFollowing(planned: PlannedCalls, { place, followed }: VehicleMemory): FollowedVehicle | null {
  const { trips, patterns, routes } = planned.tables;
  const { trip, day } = place;
  if (followed && followed.key === trips.key[trip] && followed.day === day) return followed;
  const path = planned.paths.find(trip);
  if (path === null) return null;
  const plan = planned.plan(trip, day);
  const scheduled = Float64Array.from({ length: plan.callCount }, (_, i) =>
    plan.at(i, i === 0 ? 'departure' : 'arrival'),
  );
  const product = routes.product[patterns.route[trips.pattern[trip]!]!]!;
  const speeds = findSpeeds(product, path, scheduled.at(-1)! - scheduled[0]!);
  return { key: trips.key[trip]!, day, trip, follower: createFollower({ path, speeds, scheduled }) };
}

/** Seconds after which another vehicle may have taken over the trip. */
const TAKEN_OVER_SECONDS = 300;

/** Another vehicle, which passed calls of the trip before, still serves it: which of the two does is not known. */
function isServedByAnother({ source }: UpdateRun, { passedBy, key, day }: TripMemory, { id }: VehicleReport): boolean {
  if (passedBy === null || passedBy === id) return false;
  const [other, own] = [source.vehicles.get(passedBy), source.vehicles.get(id)];
  if (!other?.followed || other.followed.key !== key || other.followed.day !== day) return false;
  return own !== undefined && own.observedAt - other.observedAt < TAKEN_OVER_SECONDS;
}

interface DerivedEvent {
  readonly position: number;
  readonly event: CallEvent;
  readonly derived: DerivedTime;
  /** The first position after the departure. */
  readonly report: VehicleReport;
}

/** A derived time counts as observed up to a limit of its uncertainty; above it, it is kept in the lake only. */
function applyDerived(run: UpdateRun, memory: TripMemory, { position, event, derived, report }: DerivedEvent): void {
  const { source, context, facts, tally } = run;
  const { time, uncertaintySeconds } = derived;
  const trip = describeTrip(context.planned, memory);
  if (isNoEvent(trip.plan, position, event)) return;
  const refusal = findRefusal(trip, position, event, derived, context.maxEarlySeconds);
  if (refusal) {
    count(tally.problems, refusal);
    return;
  }
  const call = memory.calls[position] ?? { ...createCallMemory(facts.part), seenAt: facts.knownAt };
  if (isEventCancelled(call, event) || call[event].evidence === OBSERVED) return;
  const isCertain = uncertaintySeconds <= context.maxUncertaintySeconds;
  if (isCertain) {
    memory.calls[position] = call;
    memory.seenAt = Math.max(memory.seenAt, facts.knownAt);
    memory.recordedAt = Math.max(memory.recordedAt, time);
    setSeen(call[event], time);
    call.flags = (call.flags & ~callFlags.noData) | callFlags.fromPosition;
  } else count(tally.problems, 'passage_too_uncertain');
  const occupancy = event === 'departure' ? toOccupancyNumber(report.occupancy) : 0;
  const seen = { position, event, time, state: isCertain ? OBSERVED : UNKNOWN, uncertaintySeconds, occupancy };
  run.observations.push(...emitSeen(source, { ...trip, recordedAt: facts.knownAt }, seen, facts.seenAt));
}

/** A vehicle that is earlier than this rather carries the wrong trip. */
const MAX_EARLY_SECONDS = 300;
/** Times of one vehicle do not fall along its trip, as far as their errors allow. */
const ORDER_SECONDS = 60;

function findRefusal(
  { plan, calls }: DatedTripState,
  position: number,
  event: CallEvent,
  { time, uncertaintySeconds }: DerivedTime,
  maxEarlySeconds: number,
): string | null {
  const scheduled = plan.at(position, event);
  if (Math.abs(time - scheduled) > MAX_DELAY_SECONDS) return 'implausible_time';
  if (scheduled - time > Math.min(MAX_EARLY_SECONDS, maxEarlySeconds)) return 'implausibly_early';
  const slack = ORDER_SECONDS + uncertaintySeconds;
  const isOutOfOrder = calls.some((call, other) => {
    if (!call || other === position) return false;
    return callEvents.some((name) => {
      if (call[name].evidence !== OBSERVED) return false;
      return other < position ? call[name].time > time + slack : call[name].time < time - slack;
    });
  });
  return isOutOfOrder ? 'passage_out_of_order' : null;
}
