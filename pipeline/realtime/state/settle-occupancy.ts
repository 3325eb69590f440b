import { toOccupancyNumber } from '../../model/occupancy.ts';
import type { EpochDay } from '../../model/service-time.ts';
import { type RealtimeTables, VEHICLE_MAX_AGE_SECONDS } from '../../snapshots/realtime-contract.ts';
import { type DatedTripRef, datedTripKey, type VehicleMemory } from './memory.ts';
import type { PlannedCalls, TripPlan } from './planned-calls.ts';
import { readSettledTime, type Settling } from './settle-trip.ts';

// Occupancy at the departure from each call: the one reported for the call, else that of the vehicle at calls that it
// reaches soon.

/** Passengers get on and off, so the occupancy of a vehicle says little about later calls. */
const AHEAD_SECONDS = 30 * 60;

/** The last known occupancy of the vehicle of a dated trip. */
export interface VehicleOccupancy {
  readonly status: number;
  readonly observedAt: number;
  /** The call that it is at or heads to; -1 if unknown. */
  readonly position: number;
  /** The trip of the timetable; `null` for an added trip. */
  readonly ref: (DatedTripRef & { readonly trip: number; readonly day: EpochDay }) | null;
}

/** The latest occupancy of each dated trip, by `datedTripKey`; expired ones are left out. */
export function findVehicleOccupancies(
  vehicles: readonly VehicleMemory[],
  { tables }: PlannedCalls,
  now: number,
): Map<string, VehicleOccupancy> {
  const found = new Map<string, VehicleOccupancy>();
  for (const { report, observedAt, place } of vehicles) {
    const status = toOccupancyNumber(report.occupancy);
    if (status === 0 || now - observedAt > VEHICLE_MAX_AGE_SECONDS) continue;
    const { trip, day, position, addedTrip } = place;
    const ref = trip < 0 ? null : { key: tables.trips.key[trip]!, trip, day };
    const name = ref ? datedTripKey(ref) : addedTrip;
    if (name === null) continue;
    const known = found.get(name);
    // Of two coupled units seen at the same time, the fuller one counts, in any order.
    const isKnownBetter =
      known && (known.observedAt > observedAt || (known.observedAt === observedAt && known.status >= status));
    if (!isKnownBetter) found.set(name, { status, observedAt, position, ref });
  }
  return found;
}

/** @returns `null` if the occupancy of its vehicle is unknown */
export function findVehicleOccupancy(
  known: ReadonlyMap<string, VehicleOccupancy>,
  trip: DatedTripRef,
): VehicleOccupancy | null {
  return known.size === 0 ? null : (known.get(datedTripKey(trip)) ?? null);
}

/** A call with a known occupancy at departure. */
export interface OccupiedCall<Trip> {
  readonly of: Trip;
  readonly position: number;
  readonly status: number;
  readonly expiresAt: number;
}

/** @returns the calls with a known occupancy of the trip that was settled last */
export function listOccupancies<Trip>(
  settling: Settling,
  of: Trip,
  plan: TripPlan,
  vehicle: VehicleOccupancy | null,
  now: number,
): OccupiedCall<Trip>[] {
  const found: OccupiedCall<Trip>[] = [];
  const { calls, events } = settling;
  // The last call has no departure.
  for (let position = 0; position < plan.callCount - 1; position++) {
    const call = calls[position];
    const isReported = call != null && call.occupancy > 0 && call.occupancyExpiresAt >= now;
    if ((!isReported && !vehicle) || events.isCancelled[2 * position + 1] === 1) continue;
    if (isReported) found.push({ of, position, status: call.occupancy, expiresAt: call.occupancyExpiresAt });
    else if (vehicle && isAhead(settling, position, plan, vehicle)) {
      found.push({ of, position, status: vehicle.status, expiresAt: vehicle.observedAt + VEHICLE_MAX_AGE_SECONDS });
    }
  }
  return found;
}

function isAhead(settling: Settling, at: number, plan: TripPlan, { position, observedAt }: VehicleOccupancy): boolean {
  const departure = readSettledTime(settling, at, 'departure') || plan.at(at, 'departure');
  const isNext = position < 0 ? departure >= observedAt : at >= position;
  return isNext && departure <= observedAt + AHEAD_SECONDS;
}

/** @param firstCallOf row of the first call of a trip @param callCount total of all trips */
export function buildOccupancies<Trip>(
  occupied: readonly OccupiedCall<Trip>[],
  firstCallOf: (trip: Trip) => number,
  callCount: number,
): RealtimeTables['occupancies'] {
  const rows = occupied.length === 0 ? 0 : callCount;
  const columns = { status: new Uint8Array(rows), expiresAt: new Uint32Array(rows) };
  for (const { of, position, status, expiresAt } of occupied) {
    const row = firstCallOf(of) + position;
    columns.status[row] = status;
    columns.expiresAt[row] = expiresAt;
  }
  return columns;
}
