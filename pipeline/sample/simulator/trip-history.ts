import type { SampleBoardingPlace } from '../feed/stops-table.ts';
import type { Breakdown, FindBreakdown } from './breakdowns.ts';
import type { Closure } from './closures.ts';
import type { Conditions } from './conditions.ts';
import type { PlannedTrip } from './planned-trip.ts';
import { bell, between, heavyTail, type Random, seededRandom, wholeBetween } from './seeded-random.ts';

/** Actual times of a trip, from its first call to its last. Seconds are of the service day. */
export interface TripHistory {
  /** One per call, non-decreasing along the trip; at a skipped call, the time of passing. */
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
  readonly skips: readonly SkippedStretch[];
  readonly platformChanges: readonly PlatformChange[];
}

interface SkippedStretch {
  readonly firstCall: number;
  readonly lastCall: number;
  /** When it is reported; never after the event. */
  readonly knownAt: number;
}

export interface PlatformChange {
  readonly call: number;
  readonly to: SampleBoardingPlace;
  readonly knownAt: number;
}

export interface Circumstances {
  readonly conditions: Conditions;
  /** Of this line. */
  readonly closures: readonly Closure[];
  /** Closures that cause queues on streets, of all lines; empty for lines on separate tracks. */
  readonly queues: readonly Closure[];
  readonly findBreakdown: FindBreakdown;
  /** The previous trip of the line and direction, which must not be overtaken. */
  readonly ahead: TripHistory | null;
  readonly seed: number;
}

/** Upper limit of delays, beyond which an operator would cancel the trip. */
const GIVEN_UP_AFTER_SECONDS = 3 * 3600;
/** Between a vehicle's departure and the next arrival at the same platform. */
const GAP_SECONDS = 25;
/** Wait of a punctual vehicle for its departure; a late one departs as soon as possible. */
const READY_SECONDS = 60;
/** Times of longer legs scatter with the square root of their length: losses and gains at signals partly cancel out. */
const SCATTER_SECONDS = 600;
/** Upper limit of early arrivals. */
const MAX_EARLY_SECONDS = 120;

/** Simulates a trip from call to call; equal arguments give an equal history. */
export function simulateTrip(datedTrip: PlannedTrip, circumstances: Circumstances): TripHistory {
  const random = seededRandom(circumstances.seed, `drive ${datedTrip.key}`);
  const pace = bell(random);
  const breakdown = circumstances.findBreakdown(datedTrip);
  const calls = datedTrip.times.length;
  const arrivals = new Array<number>(calls).fill(0);
  const departures = new Array<number>(calls).fill(0);
  const skips: SkippedStretch[] = [];
  let skippedTo = -1;
  for (let i = 0; i < calls; i++) {
    const departedAt = i === 0 ? null : departures[i - 1]!;
    const leg = { datedTrip, call: i, departedAt, pace, breakdown, circumstances, random };
    let arrival = i === 0 ? datedTrip.startSeconds + firstDelay(leg) : holdBack(leg, leg.departedAt! + legSeconds(leg));
    const closure = i <= skippedTo ? null : findClosure(leg, arrival);
    if (closure) {
      skippedTo = lastSkipped(datedTrip, closure, i);
      skips.push({ firstCall: i, lastCall: skippedTo, knownAt: closure.knownFromSeconds });
      arrival += closure.detourSeconds;
    }
    arrivals[i] = settleArrival(leg, arrival);
    departures[i] = settleDeparture(leg, arrivals[i]!, i <= skippedTo);
  }
  arrivals[0] = Math.max(datedTrip.startSeconds, departures[0]! - READY_SECONDS);
  return {
    arrivals,
    departures,
    skips: skips.length > 0 ? skips : shortenTrip(arrivals, random),
    platformChanges: changePlatforms(datedTrip, arrivals, random),
  };
}

/** State of a vehicle as it departs towards a call. */
interface Leg {
  readonly datedTrip: PlannedTrip;
  readonly call: number;
  /** Null for the first call. */
  readonly departedAt: number | null;
  /** Of this trip: above 0 for a slow one. */
  readonly pace: number;
  readonly breakdown: Breakdown | null;
  readonly circumstances: Circumstances;
  readonly random: Random;
}

// ---- Times -------------------------------------------------------------------------------------

function firstDelay({ datedTrip, circumstances, random }: Leg): number {
  const { profile, timetable } = datedTrip.line;
  const stress = circumstances.conditions.stressAt(timetable.line.id, datedTrip.startSeconds);
  const isInherited = random() < profile.inheritedShare * (0.5 + stress);
  const own = Math.max(0, (0.4 + 0.6 * bell(random)) * profile.lateStartSeconds);
  return isInherited ? own + heavyTail(random, profile.inheritedSeconds) : own;
}

function legSeconds(leg: Leg): number {
  const { datedTrip, call, breakdown, circumstances, random } = leg;
  const { profile, timetable } = datedTrip.line;
  const departedAt = leg.departedAt!;
  const lateSeconds =
    departedAt - plannedDeparture(datedTrip, call - 1) - unplannedStandingSeconds(datedTrip, call - 1);
  const stress = circumstances.conditions.stressAt(timetable.line.id, departedAt);
  const planned = drivingSeconds(datedTrip, call);
  const scattered = profile.scatter * bell(random) * Math.min(planned, Math.sqrt(planned * SCATTER_SECONDS));
  const drawn = planned * (1 + profile.slowdown * stress + profile.pace * leg.pace) + scattered;
  const slack = planned * profile.padding;
  const wonBack = Math.min(Math.max(-slack, lateSeconds), slack);
  const hasMishap = random() < profile.mishapShare * (0.4 + stress);
  const mishap = hasMishap ? heavyTail(random, profile.mishapSeconds) : 0;
  const queued = random() * queueSeconds(leg, departedAt);
  const stood = breakdown?.call === call ? breakdown.seconds : 0;
  return Math.max(planned * 0.8, drawn - wonBack) + mishap + queued + stood;
}

/**
 * City timetables have no dwell: the time for doors is recovered on the next leg. So a punctual vehicle arrives as
 * planned and departs slightly later, and both are reported in the same minute.
 */
function drivingSeconds(datedTrip: PlannedTrip, call: number): number {
  const planned = datedTrip.times[call]!.arrivalSeconds - datedTrip.times[call - 1]!.departureSeconds;
  return planned - unplannedStandingSeconds(datedTrip, call - 1);
}

/** Time for doors beyond the planned dwell; at the first call passengers board before the departure. */
function unplannedStandingSeconds(datedTrip: PlannedTrip, call: number): number {
  if (call === 0) return 0;
  const { arrivalSeconds, departureSeconds } = datedTrip.times[call]!;
  return Math.max(0, datedTrip.line.profile.stopSeconds - (departureSeconds - arrivalSeconds));
}

/** A vehicle ahead of schedule is slowed down, the more the further ahead it is. */
function holdBack({ datedTrip, call }: Leg, arrival: number): number {
  const planned = datedTrip.startSeconds + datedTrip.times[call]!.arrivalSeconds;
  if (arrival >= planned) return arrival;
  return planned - MAX_EARLY_SECONDS * (1 - Math.exp((arrival - planned) / MAX_EARLY_SECONDS));
}

function queueSeconds({ datedTrip, call, circumstances }: Leg, now: number): number {
  const placeId = datedTrip.line.timetable.calls[call]!.place.id;
  const isNear = (closure: Closure) =>
    closure.nearbyPlaceIds.has(placeId) && now >= closure.fromSeconds && now < closure.toSeconds;
  return circumstances.queues.find(isNear)?.queueSeconds ?? 0;
}

function settleArrival({ datedTrip, call, circumstances }: Leg, wanted: number): number {
  const clear = circumstances.ahead ? circumstances.ahead.departures[call]! + GAP_SECONDS : wanted;
  const latest = datedTrip.startSeconds + datedTrip.times[call]!.arrivalSeconds + GIVEN_UP_AFTER_SECONDS;
  return Math.round(Math.min(Math.max(wanted, clear), latest));
}

function settleDeparture({ datedTrip, call }: Leg, arrival: number, isSkipped: boolean): number {
  if (call === 0 || call === datedTrip.times.length - 1) return arrival;
  const { profile } = datedTrip.line;
  const { arrivalSeconds, departureSeconds } = datedTrip.times[call]!;
  // Half of a long dwell can be used to recover delays; passengers need the other half to board and alight.
  const standing = isSkipped ? 0 : Math.max(profile.stopSeconds, (departureSeconds - arrivalSeconds) / 2);
  return Math.round(Math.max(arrival + standing, plannedDeparture(datedTrip, call) - profile.earlySeconds));
}

function plannedDeparture(datedTrip: PlannedTrip, call: number): number {
  return datedTrip.startSeconds + datedTrip.times[call]!.departureSeconds;
}

// ---- Skipped calls -----------------------------------------------------------------------------

function findClosure({ datedTrip, call, circumstances }: Leg, arrival: number): Closure | null {
  const { place } = datedTrip.line.timetable.calls[call]!;
  return (
    circumstances.closures.find(
      (closure) => arrival >= closure.fromSeconds && arrival < closure.toSeconds && closure.places.includes(place),
    ) ?? null
  );
}

function lastSkipped(datedTrip: PlannedTrip, closure: Closure, firstCall: number): number {
  const { calls } = datedTrip.line.timetable;
  const served = calls.findIndex(({ place }, i) => i > firstCall && !closure.places.includes(place));
  return (served === -1 ? calls.length : served) - 1;
}

const SHORTENED_SHARE = 0.008;

/** A few trips begin later or end earlier than planned, or skip one call. */
function shortenTrip(arrivals: readonly number[], random: Random): readonly SkippedStretch[] {
  const luck = random();
  const last = arrivals.length - 1;
  if (luck >= SHORTENED_SHARE || last < 7) return [];
  const part = luck / SHORTENED_SHARE;
  const length = wholeBetween(random, 1, Math.floor(last / 2));
  const [firstCall, lastCall] =
    part < 0.3 ? [0, length - 1] : part < 0.8 ? [last - length + 1, last] : [length, length];
  return [{ firstCall, lastCall, knownAt: arrivals[firstCall]! - wholeBetween(random, 10, 60) * 60 }];
}

// ---- Platforms ---------------------------------------------------------------------------------

const PLATFORM_CHANGE_SHARE = 0.02;

function changePlatforms(
  datedTrip: PlannedTrip,
  arrivals: readonly number[],
  random: Random,
): readonly PlatformChange[] {
  const changes: PlatformChange[] = [];
  datedTrip.line.otherPlatforms.forEach((others, call) => {
    if (others.length === 0 || random() >= PLATFORM_CHANGE_SHARE) return;
    const to = others[Math.floor(random() * others.length)]!;
    changes.push({ call, to, knownAt: Math.round(arrivals[call]! - between(random, 4, 40) * 60) });
  });
  return changes;
}
