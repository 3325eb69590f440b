import type { DatedTripTable } from '../../predictions/features/dated-trip-table.ts';
import { findDatedTrips } from '../../predictions/features/sweep.ts';
import { findLastKnown } from './last-known.ts';
import { NEEDED_SECONDS, observedSeconds, plannedSeconds, type Transfers } from './read-transfers.ts';

/** Minutes from an instant to the planned arrival. */
export const instantMinutes = [60, 30, 15, 5] as const;

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

/** Changes seen from instants: four cases per change, in the order of `instantMinutes`. */
export interface TransferCases {
  readonly count: number;
  readonly transfers: Transfers;
  /** Service day of the first train, days since 1970. */
  readonly day: Int32Array;
  readonly minutes: Uint8Array;
  /** UTC seconds of the instant. */
  readonly askedAt: Float64Array;
  readonly plannedSeconds: Int32Array;
  /** Hour of the planned arrival in UTC, and planned dwell before the departure; NaN where the second trip begins. */
  readonly hour: Uint8Array;
  readonly dwellSeconds: Float32Array;
  /** Seconds that were left when the change was over; negative where it was missed. */
  readonly leftSeconds: Float32Array;
  readonly arrival: KnownSide;
  readonly departure: KnownSide;
}

/** Place of the change of a case. */
export function transferOf(place: number): number {
  return Math.floor(place / instantMinutes.length);
}

export function buildTransferCases(table: DatedTripTable, transfers: Transfers): TransferCases {
  const count = transfers.count * instantMinutes.length;
  const datedTrip = findDatedTrips(table);
  const minutes = Uint8Array.from({ length: count }, (_, place) => instantMinutes[place % instantMinutes.length]!);
  const ofTransfer = <Value>(read: (transfer: number) => Value) => {
    return (_: unknown, place: number): Value => read(transferOf(place));
  };
  const askedAt = Float64Array.from(
    { length: count },
    (_, place) => table.scheduledArrival[transfers.arrival[transferOf(place)]!]! - 60 * minutes[place]!,
  );
  return {
    count,
    transfers,
    minutes,
    askedAt,
    day: Int32Array.from(
      { length: count },
      ofTransfer((one) => table.serviceDay[datedTrip[transfers.arrival[one]!]!]!),
    ),
    plannedSeconds: Int32Array.from(
      { length: count },
      ofTransfer((one) => plannedSeconds(table, transfers, one)),
    ),
    hour: Uint8Array.from(
      { length: count },
      ofTransfer((one) => Math.floor((table.scheduledArrival[transfers.arrival[one]!]! % 86_400) / 3600)),
    ),
    dwellSeconds: Float32Array.from(
      { length: count },
      ofTransfer((one) => findDwell(table, datedTrip, transfers.departure[one]!)),
    ),
    leftSeconds: Float32Array.from(
      { length: count },
      ofTransfer((one) => observedSeconds(table, transfers, one) - NEEDED_SECONDS),
    ),
    arrival: describeSide(table, datedTrip, transfers.arrival, false, askedAt),
    departure: describeSide(table, datedTrip, transfers.departure, true, askedAt),
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
  askedAt: Float64Array,
): KnownSide {
  const count = askedAt.length;
  const side = {
    call: new Int32Array(count).fill(-1),
    isDeparture: new Uint8Array(count),
    delay: new Float32Array(count).fill(Number.NaN),
    age: new Float32Array(count).fill(Number.NaN),
    overdue: new Float32Array(count),
  };
  for (let place = 0; place < count; place++) {
    const call = calls[transferOf(place)]!;
    const first = table.callStart[datedTrip[call]!]!;
    const at = askedAt[place]!;
    const known = findLastKnown(table, first, call, isDeparture, at);
    if (known) {
      side.call[place] = known.call;
      side.isDeparture[place] = known.isDeparture ? 1 : 0;
      side.delay[place] = known.delay;
      side.age[place] = at - known.time;
    }
    side.overdue[place] = Math.max(0, at - findNextPlanned(table, first, call, isDeparture, known));
  }
  return side;
}

/** Planned time of the event after the last known one; infinite where the event of the change itself is known. */
function findNextPlanned(
  { scheduledArrival, scheduledDeparture }: DatedTripTable,
  first: number,
  target: number,
  isDepartureTarget: boolean,
  known: { readonly call: number; readonly isDeparture: boolean } | null,
): number {
  if (!known) return scheduledDeparture[first]!;
  if (known.isDeparture) return known.call < target ? scheduledArrival[known.call + 1]! : Number.POSITIVE_INFINITY;
  return known.call < target || isDepartureTarget ? scheduledDeparture[known.call]! : Number.POSITIVE_INFINITY;
}
