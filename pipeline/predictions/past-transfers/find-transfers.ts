import { partitionPoint } from '../../model/binary-search.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { findDatedTrips } from '../features/sweep.ts';
import { seededRandom } from '../forest/seeded-random.ts';

/** Changes between two trips; one entry per change. */
export interface Transfers {
  readonly count: number;
  /** Call at which the first trip arrives, and call at which the second one departs: places in the trip table. */
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** Planned seconds between arrival and departure. @see prediction-evaluation, section "Transfers" */
const MIN_PLANNED_SECONDS = 180;
const MAX_PLANNED_SECONDS = 1200;

/** Which transfers of a table are looked for. */
interface TransferWindow {
  /** Station of each stop of the table. */
  readonly station: Int32Array;
  /** Service days of the first trip, days since 1970; both included. */
  readonly from: number;
  readonly to: number;
  /** About as many are returned; a sample that is the same every time. */
  readonly maxTransfers: number;
  /** Whether both events must have been observed. */
  readonly isObserved: boolean;
}

const SEED = 20250505;

/**
 * Finds transfers: at one station a departure 3 to 20 minutes after an arrival, of another train, and not back to where
 * the first one came from.
 * @returns ordered by arrival, then planned departure
 */
export function findTransfers(table: DatedTripTable, window: TransferWindow): Transfers {
  const datedTrip = findDatedTrips(table);
  const search = { table, window, datedTrip, stationOf: (call: number) => window.station[table.stop[call]!]! };
  const departures = sortDepartures(search);
  const arrivals = listArrivals(search);
  let candidates = 0;
  const ranges = arrivals.map((arrival) => {
    const range = findDepartures(search, departures, arrival);
    candidates += range.end - range.start;
    return range;
  });
  const share = window.maxTransfers / candidates;
  const random = seededRandom(SEED);
  const found: [number, number][] = [];
  arrivals.forEach((arrival, i) => {
    for (let place = ranges[i]!.start; place < ranges[i]!.end; place++) {
      const departure = departures[place]!;
      if (random() < share && isTransfer(search, arrival, departure)) found.push([arrival, departure]);
    }
  });
  return {
    count: found.length,
    arrival: Int32Array.from(found, ([arrival]) => arrival),
    departure: Int32Array.from(found, ([, departure]) => departure),
  };
}

interface TransferSearch {
  readonly table: DatedTripTable;
  readonly window: TransferWindow;
  /** By call. */
  readonly datedTrip: Int32Array;
  stationOf(call: number): number;
}

/** Calls with a stop before, on the days of the window. */
function listArrivals({ table, window, datedTrip }: TransferSearch): number[] {
  const arrivals: number[] = [];
  for (let call = 0; call < table.stop.length; call++) {
    const one = datedTrip[call]!;
    const day = table.serviceDay[one]!;
    if (day < window.from || day > window.to || call === table.callStart[one]) continue;
    if (!window.isObserved || !Number.isNaN(table.arrivalTime[call])) arrivals.push(call);
  }
  return arrivals;
}

/** Calls with a stop after, by station, then planned departure. Trips of the day before and after are met too. */
function sortDepartures({ table, window, datedTrip, stationOf }: TransferSearch): Int32Array {
  const departures: number[] = [];
  for (let call = 0; call < table.stop.length; call++) {
    const one = datedTrip[call]!;
    const day = table.serviceDay[one]!;
    if (day < window.from - 1 || day > window.to + 1 || call === table.callStart[one + 1]! - 1) continue;
    const isKnown = table.isDepartureReported[call] === 1 && !Number.isNaN(table.departureTime[call]);
    if (!window.isObserved || isKnown) departures.push(call);
  }
  return Int32Array.from(departures).sort(
    (a, b) => stationOf(a) - stationOf(b) || table.scheduledDeparture[a]! - table.scheduledDeparture[b]! || a - b,
  );
}

/** Departures from the station of an arrival, at most 20 minutes after it: places in the sorted list. */
function findDepartures({ table, stationOf }: TransferSearch, departures: Int32Array, arrival: number) {
  const station = stationOf(arrival);
  const firstFrom = (time: number) =>
    partitionPoint(0, departures.length, (place) => {
      const at = stationOf(departures[place]!);
      return at === station ? table.scheduledDeparture[departures[place]!]! < time : at < station;
    });
  const arrives = table.scheduledArrival[arrival]!;
  return { start: firstFrom(arrives + MIN_PLANNED_SECONDS), end: firstFrom(arrives + MAX_PLANNED_SECONDS + 1) };
}

function isTransfer({ table, datedTrip, stationOf }: TransferSearch, arrival: number, departure: number): boolean {
  const isSameTrain = table.train[datedTrip[arrival]!] === table.train[datedTrip[departure]!];
  return !isSameTrain && stationOf(arrival - 1) !== stationOf(departure + 1);
}

/** Planned seconds between arrival and departure. */
export function plannedSeconds(table: DatedTripTable, { arrival, departure }: Transfers, place: number): number {
  return table.scheduledDeparture[departure[place]!]! - table.scheduledArrival[arrival[place]!]!;
}

/** Observed seconds between arrival and departure; NaN where one of them was not observed. */
export function observedSeconds(table: DatedTripTable, { arrival, departure }: Transfers, place: number): number {
  const left =
    table.isDepartureReported[departure[place]!] === 1 ? table.departureTime[departure[place]!]! : Number.NaN;
  return left - table.arrivalTime[arrival[place]!]!;
}
