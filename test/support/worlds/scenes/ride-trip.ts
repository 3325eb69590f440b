import type { Leg, Trip } from '../../../../api/contract/definitions.ts';
import type { JourneyName } from '../../../../api/engine/read/references.ts';
import { type EpochDay, fromEpochDay, type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { Simulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedCall, SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { findTransfer, walkingSeconds } from '../../oracles/naive-plan-transfers.ts';
import type { SceneCountry } from './open-scene-country.ts';

/** Why a trip could not be ridden: a vehicle did not run, did not stop there, or had left. */
export type RideFailure = 'cancelled' | 'skipped' | 'missed';

/** Outcome of a trip. */
export type Ridden =
  | { readonly arrival: Instant; readonly failure: null; readonly rides: readonly TrueRide[] }
  | { readonly arrival: null; readonly failure: RideFailure; readonly rides: readonly TrueRide[] };

/** Where a traveller starts. */
export interface SetOut {
  readonly at: Instant;
  /** The journey on which the traveller is; null if on none. */
  readonly aboard: string | null;
  /** The last finished ride; null before the first. */
  readonly alighted: TrueRide | null;
}

/** A ride with actual times. */
export interface TrueRide extends Pick<SimulatedTrip, 'tripId' | 'routeId' | 'startDate' | 'startTime'> {
  readonly journeyRef: string;
  /** All calls of the vehicle with their actual times, and those of boarding and alighting. */
  readonly calls: readonly SimulatedCall[];
  readonly from: SimulatedCall;
  readonly to: SimulatedCall;
  readonly isCancelled: boolean;
}

/** The actual times, known afterwards. */
export interface Truth {
  /** @throws RangeError for a ride that does not exist in the operation, whatever the delays */
  findRide(leg: Leg): TrueRide;
}

export function openTruth({ references, timetable }: SceneCountry, simulator: Simulator): Truth {
  const { key, tripId, frequencyStart } = timetable.tables.trips;
  const rows = new Map(Array.from(key, (one, row) => [one, row]));
  // Caching is safe: the past never changes.
  const days = new Map<string, readonly SimulatedTrip[]>();
  const listTrips = (day: number, label: string): readonly SimulatedTrip[] => {
    const name = `${day} ${label}`;
    const isMeant = (line: { readonly label: string }) => line.label === label;
    const trips = days.get(name) ?? simulator.pastDay(fromEpochDay(day as EpochDay), isMeant).trips;
    days.set(name, trips);
    return trips;
  };
  const isTrip = (trip: SimulatedTrip, { tripKey }: JourneyName, leg: Leg) => {
    const row = rows.get(tripKey);
    // Added trips have no row in the timetable: they are found by stop and time, as a traveller would.
    if (row === undefined) return trip.state === 'added' && findCalls(trip, leg) !== null;
    const start = frequencyStart[row]!;
    return trip.tripId === tripId.get(row) && (start < 0 || trip.startTime === start);
  };
  return {
    findRide(leg) {
      const name = references.openJourney(leg.journeyRef!)!;
      const trip = listTrips(name.day, leg.line!.label).find((one) => isTrip(one, name, leg));
      const ends = trip && findCalls(trip, leg);
      if (!ends) throw new RangeError(`no ride from ${leg.origin.name} to ${leg.destination.name}: ${leg.line!.label}`);
      const { tripId, routeId, startDate, startTime, calls, state } = trip;
      const ofTrip = { tripId, routeId, startDate, startTime, calls, isCancelled: state === 'cancelled' };
      return { journeyRef: leg.journeyRef!, ...ofTrip, ...ends };
    },
  };
}

/** The calls of boarding and alighting, by stop and scheduled time. */
function findCalls({ calls }: SimulatedTrip, { origin, destination }: Leg): Pick<TrueRide, 'from' | 'to'> | null {
  const at = (text: string | undefined) => (text === undefined ? null : parseTimestamp(text));
  const [departure, arrival] = [at(origin.departure?.scheduled), at(destination.arrival?.scheduled)];
  const from = calls.findIndex((call) => isAt(call, origin) && [null, call.scheduledDeparture].includes(departure));
  const isEnd = (call: SimulatedCall, i: number) =>
    i > from && isAt(call, destination) && [null, call.scheduledArrival].includes(arrival);
  const to = from < 0 ? -1 : calls.findIndex(isEnd);
  return to < 0 ? null : { from: calls[from]!, to: calls[to]! };
}

/** Compares stations, as the platform may differ. */
function isAt({ stop }: SimulatedCall, { id, placeId }: Leg['origin']): boolean {
  const station = stop.stationId ?? stop.stopId;
  return [id, placeId].some((one) => one !== undefined && [station, stop.stopId].includes(withoutSource(one)));
}

function withoutSource(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

// ---- Ride --------------------------------------------------------------------------------------

/**
 * Rides a trip with the actual times: a vehicle is boarded if it left no earlier than the traveller was ready, which
 * after a ride includes the transfer time.
 */
export function rideTrip(country: SceneCountry, truth: Truth, { legs }: Trip, setOut: SetOut): Ridden {
  const rides: TrueRide[] = [];
  let time = setOut.at;
  let walkSeconds = 0;
  let isSeated = false;
  for (const leg of legs.filter(({ mode }) => mode !== 'wait')) {
    if (leg.mode !== 'transit') {
      walkSeconds += secondsOf(leg);
      isSeated = false;
      continue;
    }
    const ride = truth.findRide(leg);
    const isOnBoard = isSeated || (rides.length === 0 && ride.journeyRef === setOut.aboard);
    const ready = readyAt(country, rides.at(-1) ?? setOut.alighted, ride, (time + walkSeconds) as Instant);
    const failure = findFailure(ride, isOnBoard ? null : Math.max(setOut.at, ready));
    if (failure) return { arrival: null, failure, rides };
    rides.push(ride);
    time = ride.to.arrival;
    walkSeconds = 0;
    isSeated = true;
  }
  return { arrival: (time + walkSeconds) as Instant, failure: null, rides };
}

/** @param ready when the traveller is at the stop; null on board */
function findFailure({ isCancelled, from, to }: TrueRide, ready: number | null): RideFailure | null {
  if (isCancelled) return 'cancelled';
  if (from.isSkipped || to.isSkipped) return 'skipped';
  return ready !== null && from.departure < ready ? 'missed' : null;
}

function secondsOf({ origin, destination }: Leg): number {
  const [begin, end] = [origin.departure!, destination.arrival!].map(
    ({ realtime, scheduled }) => parseTimestamp(realtime ?? scheduled!)!,
  );
  return end! - begin!;
}

/** Terms of a traveller without special requirements. */
const TERMS = { minTransferSeconds: 0, walkSpeedKmh: 4.7, maxWalkMeters: 1500 };

/**
 * When the traveller can board: after the walk between the scheduled stops, or the minimum of the feed if that is less,
 * otherwise after the walk of the trip. A guaranteed transfer is never missed.
 * @param walked end of the walk of the trip
 */
function readyAt({ feed }: SceneCountry, before: TrueRide | null, next: TrueRide, walked: Instant): number {
  if (!before) return walked;
  const end = ({ routeId, tripId }: TrueRide, { stop }: SimulatedCall) => {
    return { stop: feed.stopAt.get(stop.stopId)!, routeId, tripId };
  };
  const change = findTransfer(feed, end(before, before.to), end(next, next.from), TERMS);
  if (change?.kind === 'timed') return Number.NEGATIVE_INFINITY;
  if (!change) return walked;
  return before.to.arrival + Math.min(change.seconds, walkingSeconds(change.meters, TERMS.walkSpeedKmh));
}
