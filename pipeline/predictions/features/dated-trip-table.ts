import { SECONDS_PER_DAY } from '../../model/service-time.ts';

/**
 * Dated trips and their calls as columns: the input of predictions, whatever it was read from. Trips are sorted by
 * service day and name; the calls of a trip are adjacent and in order. An unknown value is NaN, never 0.
 */
export interface DatedTripTable {
  readonly datedTripCount: number;
  /** 60 where delays are whole minutes and the offsets hold the rest, see `splitMinutes`; else 1. */
  readonly gridSeconds: 1 | 60;
  /** Index of the first call of each trip, plus one entry for the end of the last one. */
  readonly callStart: Int32Array;
  /** Days since 1970 of the service date, by trip. */
  readonly serviceDay: Int32Array;
  /** Midnight of the service day by the clock where the trip departs: UTC seconds, by trip. */
  readonly dayStart: Float64Array;
  /** Number of the train: the same on all days on which the train runs; by trip. */
  readonly train: Int32Array;
  readonly route: Int32Array;
  readonly operator: Int32Array;
  readonly trainCount: number;
  readonly routeCount: number;
  readonly stopCount: number;
  /** By call. */
  readonly stop: Int32Array;
  /** Position as the source counts it, by call; rises within a trip, may have gaps. */
  readonly sequence: Int32Array;
  /** UTC seconds, by call. */
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  /** Seconds; early is negative. */
  readonly arrivalDelay: Float64Array;
  readonly departureDelay: Float64Array;
  /** UTC seconds of the event: decides when a delay is known, also where delays were rounded. */
  readonly arrivalTime: Float64Array;
  readonly departureTime: Float64Array;
  /** Seconds that the delays above leave out; 0 unless they were put on a grid; by call. */
  readonly arrivalOffset: Uint8Array;
  readonly departureOffset: Uint8Array;
  /** 1 where the source reports the departure, 0 where it was filled in, see `departAfter`; by call. */
  readonly isDepartureReported: Uint8Array;
  /** Which events of a call are instants of prediction: bits of `instants`; by call. */
  readonly isInstant: Uint8Array;
}

/** Events at which a forecast may be made. */
export const instants = {
  /** Its departure. */
  departure: 1,
  /** Its arrival, while the vehicle is at the stop and its departure is still unknown. */
  standing: 2,
} as const;

/** Columns by call, as they come from a query sorted by trip and position; ids are numbers without gaps. */
export interface DatedCallColumns {
  /** Number of the trip, rising from 0. */
  readonly datedTrip: Int32Array;
  readonly serviceDay: Int32Array;
  readonly train: Int32Array;
  readonly route: Int32Array;
  readonly operator: Int32Array;
  readonly stop: Int32Array;
  readonly sequence: Int32Array;
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  readonly arrivalDelay: Float64Array;
  readonly departureDelay: Float64Array;
  /** Omitted where all departures are reported. */
  readonly isDepartureReported?: Uint8Array;
  readonly isInstant: Uint8Array;
}

/** Groups the calls of a query into dated trips, whose days begin in UTC: see `withDayStarts`. */
export function buildDatedTripTable(calls: DatedCallColumns): DatedTripTable {
  const callCount = calls.datedTrip.length;
  const datedTripCount = callCount === 0 ? 0 : calls.datedTrip[callCount - 1]! + 1;
  const callStart = new Int32Array(datedTripCount + 1);
  for (let call = callCount - 1; call >= 0; call--) callStart[calls.datedTrip[call]!] = call;
  callStart[datedTripCount] = callCount;
  const ofRuns = (column: Int32Array) =>
    Int32Array.from(callStart.subarray(0, datedTripCount), (call) => column[call]!);
  const serviceDay = ofRuns(calls.serviceDay);
  return {
    datedTripCount,
    gridSeconds: 1,
    callStart,
    serviceDay,
    dayStart: Float64Array.from(serviceDay, (day) => day * SECONDS_PER_DAY),
    train: ofRuns(calls.train),
    route: ofRuns(calls.route),
    operator: ofRuns(calls.operator),
    trainCount: countIds(calls.train),
    routeCount: countIds(calls.route),
    stopCount: countIds(calls.stop),
    stop: calls.stop,
    sequence: calls.sequence,
    scheduledArrival: calls.scheduledArrival,
    scheduledDeparture: calls.scheduledDeparture,
    arrivalDelay: calls.arrivalDelay,
    departureDelay: calls.departureDelay,
    arrivalTime: calls.scheduledArrival.map((scheduled, call) => scheduled + calls.arrivalDelay[call]!),
    departureTime: calls.scheduledDeparture.map((scheduled, call) => scheduled + calls.departureDelay[call]!),
    arrivalOffset: new Uint8Array(callCount),
    departureOffset: new Uint8Array(callCount),
    isDepartureReported: calls.isDepartureReported ?? new Uint8Array(callCount).fill(1),
    isInstant: calls.isInstant,
  };
}

/** The table of trips whose clocks do not show UTC. @param dayStart see `DatedTripTable.dayStart` */
export function withDayStarts(table: DatedTripTable, dayStart: (datedTrip: number) => number): DatedTripTable {
  return { ...table, dayStart: Float64Array.from({ length: table.datedTripCount }, (_, one) => dayStart(one)) };
}

function countIds(column: Int32Array): number {
  let highest = -1;
  for (const id of column) if (id > highest) highest = id;
  return highest + 1;
}

/** Minimum dwell in seconds where the departure is not reported, unless the planned dwell is shorter. */
const MIN_DWELL_SECONDS = 30;

/** Assumed delay of an unreported departure, from the arrival: not before the plan, and with a minimum dwell. */
export function departAfter(arrivalDelay: number, scheduledArrival: number, scheduledDeparture: number): number {
  const stand = Math.min(MIN_DWELL_SECONDS, scheduledDeparture - scheduledArrival);
  return Math.max(0, scheduledArrival + arrivalDelay + stand - scheduledDeparture);
}

/** The minute of a delay, in seconds: as a source of whole minutes would report it. */
export function floorToMinute(delaySeconds: number): number {
  return Math.floor(delaySeconds / 60) * 60;
}

/** The table as a source of whole minutes would report it: delays, and with them the times of all events. */
export function toWholeMinutes(table: DatedTripTable): DatedTripTable {
  const arrivalDelay = table.arrivalDelay.map(floorToMinute);
  const departureDelay = table.departureDelay.map(floorToMinute);
  return {
    ...table,
    arrivalDelay,
    departureDelay,
    arrivalTime: table.scheduledArrival.map((scheduled, call) => scheduled + arrivalDelay[call]!),
    departureTime: table.scheduledDeparture.map((scheduled, call) => scheduled + departureDelay[call]!),
  };
}

/**
 * The table with delays on the grid of whole minutes and the remainder in the offsets; event times stay unchanged. A
 * source that reports whole minutes against a plan in seconds has the same remainder on all days of a train and stop.
 */
export function splitMinutes(table: DatedTripTable): DatedTripTable {
  const arrivalDelay = table.arrivalDelay.map(floorToMinute);
  const departureDelay = table.departureDelay.map(floorToMinute);
  return {
    ...table,
    gridSeconds: 60,
    arrivalDelay,
    departureDelay,
    arrivalOffset: Uint8Array.from(arrivalDelay, (floor, call) => table.arrivalDelay[call]! - floor),
    departureOffset: Uint8Array.from(departureDelay, (floor, call) => table.departureDelay[call]! - floor),
  };
}

/**
 * Share of arrivals with the same seconds as the previous one from which a source counts as reporting whole minutes.
 */
const SAME_SHARE = 0.8;

/**
 * Resolution of the delays of a source: 60 when the arrivals of a train at a stop have the same seconds day after day,
 * because whole minutes are reported against a plan in seconds; else 1.
 * @param beforeDay days since 1970; later days are ignored
 */
export function findGrid(table: DatedTripTable, beforeDay: number): 1 | 60 {
  const seconds = new Map<number, number>();
  let same = 0;
  let compared = 0;
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++) {
    if (table.serviceDay[datedTrip]! >= beforeDay) continue;
    for (let call = table.callStart[datedTrip]!; call < table.callStart[datedTrip + 1]!; call++) {
      const delay = table.arrivalDelay[call]!;
      if (Number.isNaN(delay)) continue;
      const key = table.train[datedTrip]! * table.stopCount + table.stop[call]!;
      const second = delay - Math.floor(delay / 60) * 60;
      const before = seconds.get(key);
      if (before !== undefined) {
        compared++;
        if (before === second) same++;
      }
      seconds.set(key, second);
    }
  }
  return compared > 0 && same >= SAME_SHARE * compared ? 60 : 1;
}
