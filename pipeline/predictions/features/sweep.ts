import type { DatedTripTable } from './dated-trip-table.ts';

/** Callbacks of a sweep, in time order. */
export interface SweepHandlers {
  /** The arrival of a call became known. */
  onArrival(call: number, datedTrip: number, at: number): void;
  /** The departure of a call became known. */
  onDeparture(call: number, datedTrip: number, at: number): void;
  /** All known events of a trip have been reported. */
  onTripEnd(datedTrip: number, at: number): void;
  /** The actual departure of `call` is an instant. All events known by then have been reported before. */
  onInstant(call: number, datedTrip: number, at: number): void;
  /** The arrival of `call` is an instant: the vehicle is at the stop. */
  onStanding?(call: number, datedTrip: number, at: number): void;
}

/** Which events of calls are instants, by call. */
interface WantedInstants {
  departure(call: number): boolean;
  standing?(call: number): boolean;
}

const ARRIVAL = 0;
const DEPARTURE = 1;
const INSTANT = 2;
const STANDING = 3;
const KINDS = 4;

/**
 * Visits the events of all trips in the order in which they become known, and calls the handlers at the instants.
 * Statistics that are updated by the events and read at the instants therefore contain nothing later. An event is
 * visited at its time or, where times contradict each other, one second after the previous event of its trip: no later
 * event of a trip is visited before the departure of the call.
 */
export function sweep(table: DatedTripTable, wanted: WantedInstants, handlers: SweepHandlers): void {
  const runOf = findDatedTrips(table);
  const lastEvent = new Float64Array(table.datedTripCount).fill(-1);
  const keys = listEvents(table, wanted, lastEvent);
  const base = keys.base;
  const places = KINDS * table.stop.length;
  for (const key of keys.sorted) {
    const at = Math.floor(key / places);
    const event = key - at * places;
    const call = event % table.stop.length;
    const kind = (event - call) / table.stop.length;
    const datedTrip = runOf[call]!;
    const time = at + base;
    if (kind === INSTANT) handlers.onInstant(call, datedTrip, time);
    else if (kind === STANDING) handlers.onStanding?.(call, datedTrip, time);
    else {
      if (kind === ARRIVAL) handlers.onArrival(call, datedTrip, time);
      else handlers.onDeparture(call, datedTrip, time);
      if (event === lastEvent[datedTrip]) handlers.onTripEnd(datedTrip, time);
    }
  }
}

/** Events as one number each, time first, sorted. At equal times instants come last. */
function listEvents(
  table: DatedTripTable,
  wanted: WantedInstants,
  lastEvent: Float64Array,
): { readonly sorted: Float64Array; readonly base: number } {
  const callCount = table.stop.length;
  const places = KINDS * callCount;
  const base = findFirstInstant(table);
  const keys = new Float64Array(KINDS * callCount);
  let count = 0;
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++) {
    let known = Number.NEGATIVE_INFINITY;
    const end = table.callStart[datedTrip + 1]!;
    for (let call = table.callStart[datedTrip]!; call < end; call++) {
      const departure = table.departureTime[call]!;
      for (const kind of [ARRIVAL, DEPARTURE]) {
        const instant = kind === ARRIVAL ? table.arrivalTime[call]! : departure;
        if (Number.isNaN(instant)) continue;
        known = Math.max(Math.floor(instant), known + (kind === ARRIVAL ? 1 : 0));
        lastEvent[datedTrip] = kind * callCount + call;
        keys[count++] = (known - base) * places + kind * callCount + call;
      }
      if (!Number.isNaN(departure) && wanted.departure(call)) {
        keys[count++] = (Math.floor(departure) - base) * places + INSTANT * callCount + call;
      }
      const arrival = table.arrivalTime[call]!;
      if (!Number.isNaN(arrival) && wanted.standing?.(call)) {
        keys[count++] = (Math.floor(arrival) - base) * places + STANDING * callCount + call;
      }
    }
  }
  return { sorted: keys.subarray(0, count).sort(), base };
}

function findFirstInstant(table: DatedTripTable): number {
  let first = Number.POSITIVE_INFINITY;
  for (const times of [table.arrivalTime, table.departureTime]) {
    for (const time of times) if (time < first) first = time;
  }
  return Number.isFinite(first) ? Math.floor(first) : 0;
}

/** The dated trip of each call. */
export function findDatedTrips(table: DatedTripTable): Int32Array {
  const runOf = new Int32Array(table.stop.length);
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++) {
    runOf.fill(datedTrip, table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!);
  }
  return runOf;
}
