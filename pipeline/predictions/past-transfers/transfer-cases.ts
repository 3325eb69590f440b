import { hourOf } from '../../snapshots/transfer-model/past-delays.ts';
import { findProgress, type TripTimes } from '../../snapshots/transfer-model/trip-progress.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { findDatedTrips } from '../features/sweep.ts';
import { observedSeconds, plannedSeconds, type Transfers } from './find-transfers.ts';

/** Minutes from the instants at which transfers are measured to the planned arrival. */
export const instantMinutes = [60, 30, 15, 5] as const;
/** Cases per transfer: the instants at which it is examined. */
export const CASES_PER_TRANSFER = instantMinutes.length;

/** Seconds that a change needs. @see prediction-evaluation, section "Transfers" */
export const NEEDED_SECONDS = 120;

/** What is known of one side of a change at an instant; one entry per case. */
export interface KnownSide {
  /** Call of the last known event; -1 without one. */
  readonly call: Int32Array;
  /** 1 where that event is a departure. */
  readonly isDeparture: Uint8Array;
  /** Delay of that event, and seconds since; NaN without one. */
  readonly delay: Float32Array;
  readonly age: Float32Array;
  /** Seconds since the planned time of the next event, as far as that is past: it is at least that late. */
  readonly overdue: Float32Array;
}

/** Changes seen from instants: `CASES_PER_TRANSFER` adjacent cases per change. */
export interface TransferCases {
  readonly count: number;
  readonly transfers: Transfers;
  /** Service day of the first train, days since 1970. */
  readonly day: Int32Array;
  /** From the instant to the planned arrival; negative where that is past. */
  readonly secondsToArrival: Int32Array;
  /** UTC seconds of the instant. */
  readonly requestedAt: Float64Array;
  readonly plannedSeconds: Int32Array;
  /** Hour of the planned arrival by the clock, and planned dwell before the departure; NaN where the second trip begins. */
  readonly hour: Uint8Array;
  readonly dwellSeconds: Float32Array;
  /** Seconds that were left when the change was over; negative where it was missed, NaN where it was not observed. */
  readonly leftSeconds: Float32Array;
  readonly arrival: KnownSide;
  readonly departure: KnownSide;
}

/** Place of the change of a case. */
export function transferOf(place: number): number {
  return Math.floor(place / CASES_PER_TRANSFER);
}

/** Whether both vehicles were observed by the instant of a case. */
export function isLiveCase({ arrival, departure }: TransferCases, place: number): boolean {
  return arrival.call[place]! >= 0 && departure.call[place]! >= 0;
}

/** From the instant at which a case is measured to the planned arrival. */
function secondsBefore(place: number): number {
  return 60 * instantMinutes[place % CASES_PER_TRANSFER]!;
}

/** @param chooseInstant seconds from the instant to the planned arrival, by case */
export function buildTransferCases(
  table: DatedTripTable,
  transfers: Transfers,
  chooseInstant: (place: number) => number = secondsBefore,
): TransferCases {
  const count = transfers.count * CASES_PER_TRANSFER;
  const datedTrip = findDatedTrips(table);
  const ofTransfer = <Value>(read: (transfer: number) => Value) => {
    return (_: unknown, place: number): Value => read(transferOf(place));
  };
  const dayStart = (place: number) => table.dayStart[datedTrip[transfers.arrival[transferOf(place)]!]!]!;
  const planned = (place: number) => table.scheduledArrival[transfers.arrival[transferOf(place)]!]!;
  const secondsToArrival = Int32Array.from({ length: count }, (_, place) => chooseInstant(place));
  const requestedAt = Float64Array.from(secondsToArrival, (seconds, place) => planned(place) - seconds);
  return {
    count,
    transfers,
    secondsToArrival,
    requestedAt,
    day: Int32Array.from(
      { length: count },
      ofTransfer((one) => table.serviceDay[datedTrip[transfers.arrival[one]!]!]!),
    ),
    plannedSeconds: Int32Array.from(
      { length: count },
      ofTransfer((one) => plannedSeconds(table, transfers, one)),
    ),
    hour: Uint8Array.from({ length: count }, (_, place) => hourOf(planned(place) - dayStart(place))),
    dwellSeconds: Float32Array.from(
      { length: count },
      ofTransfer((one) => findDwell(table, datedTrip, transfers.departure[one]!)),
    ),
    leftSeconds: Float32Array.from(
      { length: count },
      ofTransfer((one) => observedSeconds(table, transfers, one) - NEEDED_SECONDS),
    ),
    arrival: describeSide(table, datedTrip, transfers.arrival, false, requestedAt),
    departure: describeSide(table, datedTrip, transfers.departure, true, requestedAt),
  };
}

function findDwell(table: DatedTripTable, datedTrip: Int32Array, call: number): number {
  if (table.callStart[datedTrip[call]!] === call) return Number.NaN;
  return table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
}

/** @param isDeparture whether the event of the change is the departure of its call, else the arrival */
function describeSide(
  table: DatedTripTable,
  datedTrip: Int32Array,
  calls: Int32Array,
  isDeparture: boolean,
  requestedAt: Float64Array,
): KnownSide {
  const count = requestedAt.length;
  const side = {
    call: new Int32Array(count).fill(-1),
    isDeparture: new Uint8Array(count),
    delay: new Float32Array(count).fill(Number.NaN),
    age: new Float32Array(count).fill(Number.NaN),
    overdue: new Float32Array(count),
  };
  const times = readTimes(table);
  for (let place = 0; place < count; place++) {
    const call = calls[transferOf(place)]!;
    const event = { first: table.callStart[datedTrip[call]!]!, call, isDeparture };
    const { last, overdueSeconds } = findProgress(times, event, requestedAt[place]!);
    side.overdue[place] = overdueSeconds;
    if (!last) continue;
    side.call[place] = last.call;
    side.isDeparture[place] = last.isDeparture ? 1 : 0;
    side.delay[place] = last.delaySeconds;
    side.age[place] = last.ageSeconds;
  }
  return side;
}

/** A departure that was filled in is not known: a service has not observed it. */
function readTimes({
  scheduledArrival,
  scheduledDeparture,
  arrivalTime,
  departureTime,
  isDepartureReported,
}: DatedTripTable): TripTimes {
  return {
    scheduledArrival: (call) => scheduledArrival[call]!,
    scheduledDeparture: (call) => scheduledDeparture[call]!,
    arrival: (call) => arrivalTime[call]!,
    departure: (call) => (isDepartureReported[call] === 1 ? departureTime[call]! : Number.NaN),
  };
}
