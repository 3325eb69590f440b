import {
  type CallEvent,
  type CallObservation,
  callEvents,
  evidences,
  FORECAST,
  OBSERVATION_OPEN_SECONDS,
  UNKNOWN,
} from '../../model/observation.ts';
import { toOccupancy, toOccupancyNumber } from '../../model/occupancy.ts';
import type { Instant } from '../../model/service-time.ts';
import { callFlags } from '../../snapshots/realtime-contract.ts';
import {
  type CallMemory,
  type DatedTripRef,
  datedTripKey,
  type EmittedTrip,
  isEventCancelled,
  type SourceMemory,
} from './memory.ts';
import type { TripPlan } from './planned-calls.ts';

/** The state of a dated trip from which observations are emitted. */
export interface DatedTripState extends DatedTripRef {
  readonly plan: TripPlan;
  /** In travel order. */
  readonly calls: readonly (CallMemory | undefined)[];
  readonly recordedAt: number;
  /** The position of `calls[index]` in observations. */
  position(index: number): number;
  stopId(index: number): string;
  /** Called only when there is something to emit. */
  describe(): Pick<CallObservation, 'tripId' | 'routeId' | 'lineLabel'>;
}

/** Whether the current answer reports an event of a call of `DatedTripState.calls`. */
export type ReportedEvents = (index: number, event: CallEvent, call: CallMemory) => boolean;

/**
 * Emits what a source's stop events report of a dated trip and did not report before: reported times, cancellations,
 * and the withdrawal of emitted values. Propagated times are not observations.
 */
export function emitStopEvents(
  source: SourceMemory,
  trip: DatedTripState,
  isReported: ReportedEvents,
  seenAt: number,
): CallObservation[] {
  const emission = startEmission(source, trip, 'stop_events', seenAt);
  trip.calls.forEach((call, index) => {
    if (!call) return;
    const position = trip.position(index);
    for (const event of callEvents) {
      const last = readState(emission.emitted, numberEvent(position, event, 'stop_events'));
      const value =
        (isReported(index, event, call) && readReported(trip.plan, call, index, event)) ||
        readWithdrawn(call, event, last);
      if (value) emit(emission, index, event, value);
    }
  });
  return emission.observations;
}

/** A time at which a vehicle was at a call. */
interface SeenEvent {
  readonly position: number;
  readonly event: CallEvent;
  readonly time: number;
  /** Position in `evidences`: unknown for a time that is too uncertain to count. */
  readonly state: number;
  /** Null where the publisher said that it stood there. */
  readonly uncertaintySeconds: number | null;
  /** Occupancy at departure, see `toOccupancyNumber`; 0 on arrivals. */
  readonly occupancy: number;
}

/** Emits that a vehicle was seen at a call. */
export function emitSeen(
  source: SourceMemory,
  trip: DatedTripState,
  { position, event, ...seen }: SeenEvent,
  seenAt: number,
): CallObservation[] {
  const emission = startEmission(source, trip, 'positions', seenAt);
  emit(emission, position, event, { ...seen, platform: null });
  return emission.observations;
}

/** Stores an observation that the lake holds as the newest of its key. */
export function rememberEmitted(source: SourceMemory, observation: CallObservation, seenAt: number): void {
  const {
    tripKey: key,
    day,
    position,
    event,
    channel,
    scheduledTime,
    time,
    evidence,
    isCancelled,
    platform,
    occupancy,
  } = observation;
  const state = isCancelled ? CANCELLED : evidences.indexOf(evidence);
  const value = {
    time: time ?? 0,
    state,
    platform,
    uncertaintySeconds: null,
    occupancy: toOccupancyNumber(occupancy),
  };
  storeValue(
    getEmitted(source, { key, day }),
    numberEvent(position, event, channel),
    scheduledTime ?? 0,
    value,
    seenAt,
  );
}

// ---- Values ------------------------------------------------------------------------------------

/** What is emitted of one event. */
interface EmittedValue {
  readonly time: number;
  /** Position in `evidences`, or `CANCELLED`; `UNKNOWN` also when nothing was ever emitted. */
  readonly state: number;
  readonly platform: string | null;
  /** Follows from the time, so two values of one time are equal. */
  readonly uncertaintySeconds: number | null;
  readonly occupancy: number;
}

const CANCELLED = evidences.length;

const unknown: EmittedValue = { time: 0, state: UNKNOWN, platform: null, uncertaintySeconds: null, occupancy: 0 };
const cancelled: EmittedValue = { ...unknown, state: CANCELLED };

/** @returns null when the source does not report the event itself */
function readReported(plan: TripPlan, call: CallMemory, index: number, event: CallEvent): EmittedValue | null {
  if (isEventCancelled(call, event)) return isNoEvent(plan, index, event) ? null : cancelled;
  const { time, evidence, isReported } = call[event];
  const occupancy = event === 'departure' && !isNoEvent(plan, index, event) ? call.occupancy : 0;
  if (isReported)
    return { time, state: evidence, platform: call.platform || null, uncertaintySeconds: null, occupancy };
  // GTFS-Realtime reports an occupancy without a time as NO_DATA.
  return occupancy > 0 ? { ...unknown, occupancy } : null;
}

/**
 * Withdraws an emitted cancellation that is lifted, and an emitted forecast of which nothing is known any more.
 * @param last state that was last emitted
 * @returns null when that still holds
 */
function readWithdrawn(call: CallMemory, event: CallEvent, last: number): EmittedValue | null {
  const isLifted = last === CANCELLED && !isEventCancelled(call, event);
  const isUnknown = last === FORECAST && (call.flags & callFlags.noData) !== 0;
  return isLifted || isUnknown ? unknown : null;
}

/** The first call has no arrival, the last one no departure. */
export function isNoEvent({ callCount }: TripPlan, index: number, event: CallEvent): boolean {
  return event === 'arrival' ? index === 0 : index === callCount - 1;
}

// ---- Emission ----------------------------------------------------------------------------------

interface Emission {
  readonly trip: DatedTripState;
  readonly emitted: EmittedTrip;
  readonly channel: CallObservation['channel'];
  readonly seenAt: number;
  readonly observations: CallObservation[];
  /** Texts are decoded on first use, and once. */
  described: ReturnType<DatedTripState['describe']> | null;
}

function startEmission(
  source: SourceMemory,
  trip: DatedTripState,
  channel: CallObservation['channel'],
  seenAt: number,
): Emission {
  return { trip, emitted: getEmitted(source, trip), channel, seenAt, observations: [], described: null };
}

function emit(emission: Emission, index: number, event: CallEvent, value: EmittedValue): void {
  const { trip, emitted, channel, seenAt } = emission;
  const position = trip.position(index);
  const scheduled = trip.plan.at(index, event);
  if (!storeValue(emitted, numberEvent(position, event, channel), scheduled, value, seenAt)) return;
  emission.described ??= trip.describe();
  const { tripId, routeId, lineLabel } = emission.described;
  const isCancellation = value.state === CANCELLED;
  emission.observations.push({
    tripKey: trip.key,
    day: trip.day,
    tripId,
    routeId,
    lineLabel,
    position,
    stopId: trip.stopId(index),
    event,
    channel,
    scheduledTime: toInstant(scheduled),
    time: toInstant(value.time),
    evidence: isCancellation ? 'unknown' : evidences[value.state]!,
    isCancelled: isCancellation,
    platform: value.platform,
    uncertaintySeconds: value.uncertaintySeconds,
    occupancy: toOccupancy(value.occupancy),
    recordedAt: toInstant(trip.recordedAt),
  });
}

function toInstant(seconds: number): Instant | null {
  return seconds === 0 ? null : (seconds as Instant);
}

// ---- Last emitted values -----------------------------------------------------------------------

function getEmitted({ emitted }: SourceMemory, { key, day }: DatedTripRef): EmittedTrip {
  const name = datedTripKey({ key, day });
  const known = emitted.get(name);
  if (known) return known;
  const made: EmittedTrip = { key, day, values: new Uint32Array(0), platforms: new Map(), until: 0 };
  emitted.set(name, made);
  return made;
}

/** @returns whether the value differs from the last one */
function storeValue(
  emitted: EmittedTrip,
  number: number,
  scheduled: number,
  { time, state: evidence, platform, occupancy }: EmittedValue,
  seenAt: number,
): boolean {
  const at = number * WIDTH;
  if (at >= emitted.values.length) emitted.values = grow(emitted.values, number);
  const { values, platforms } = emitted;
  const state = evidence + occupancy * STATE_VALUES;
  const isSame = values[at] === scheduled && values[at + 1] === time && values[at + 2] === state;
  if (isSame && (platforms.get(number) ?? null) === platform) return false;
  values[at] = scheduled;
  values[at + 1] = time;
  values[at + 2] = state;
  if (platform === null) platforms.delete(number);
  else platforms.set(number, platform);
  emitted.until = Math.max(emitted.until, OBSERVATION_OPEN_SECONDS + Math.max(scheduled, time, seenAt));
  return true;
}

/** Numbers of one event: scheduled, time, and state with occupancy. */
const WIDTH = 3;
/** Greater than all states: the number stored is the state plus the occupancy times this factor. */
const STATE_VALUES = 16;
const EVENTS_PER_CALL = 4;

function numberEvent(position: number, event: CallEvent, channel: CallObservation['channel']): number {
  return position * EVENTS_PER_CALL + (channel === 'positions' ? 2 : 0) + (event === 'departure' ? 1 : 0);
}

function readState({ values }: EmittedTrip, number: number): number {
  return (values[number * WIDTH + 2] ?? UNKNOWN) % STATE_VALUES;
}

/** Makes room for this event and for some calls after it. */
function grow(values: Uint32Array, number: number): Uint32Array {
  const grown = new Uint32Array((number + 8 * EVENTS_PER_CALL) * WIDTH);
  grown.set(values);
  return grown;
}
