import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { buildPlanIndex, type PlanIndex } from '../../../pipeline/predictions/features/plan-index.ts';
import {
  emptyStatistics,
  RecentTrips,
  type RunningStatistics,
  takeEvents,
} from '../../../pipeline/predictions/features/running-statistics.ts';
import { findCurrent, findReported, type SnapshotTable } from './snapshot-table.ts';

/** The last poll of a trip, and the times of its changes. */
interface TripState {
  /** First call in any list so far, by trip; lists lose their beginning and regain it. */
  readonly first: Int32Array;
  /** Call of the last row with a delay, by trip; -1 before there is one. */
  readonly reported: Int32Array;
  /** Time of the first poll that reported this call with this delay. */
  readonly reportedSince: Float64Array;
  readonly currentSince: Float64Array;
  readonly current: Float32Array;
  /** The previous delay. */
  readonly currentBefore: Float32Array;
  /** Time of the newest poll. */
  readonly polledAt: Float64Array;
}

/** Trips of a direction that are kept. */
const DIRECTION_TRIPS = 40;

/**
 * The state of knowledge at a instant: the trips with their reported delays, statistics of them, and the state of each
 * trip. Snapshots are added one by one in order, so that a reader in between knows nothing later.
 */
export class SeenSoFar {
  readonly #table: SnapshotTable;
  /** The plan with the delays reported so far; the current delay is stored as that of the last reported departure. */
  readonly datedTrips: DatedTripTable;
  readonly index: PlanIndex;
  readonly statistics: RunningStatistics;
  readonly state: TripState;
  /** Trips over a leg to one terminus, by the numbers of `directionBehind`. */
  readonly directionTrips: RecentTrips;
  /** Number of the leg that ends at a call combined with the last stop of the trip; by call. */
  readonly #direction: Int32Array;
  /** A number that has no trips. */
  readonly #noDirection: number;
  readonly #events: ReturnType<typeof takeEvents>;

  constructor(table: SnapshotTable, index: PlanIndex = buildPlanIndex(table.datedTrips)) {
    const { datedTripCount, stop } = table.datedTrips;
    const unknown = () => new Float64Array(stop.length).fill(Number.NaN);
    this.#table = table;
    this.datedTrips = { ...table.datedTrips, arrivalDelay: unknown(), departureDelay: unknown() };
    this.index = index;
    this.statistics = emptyStatistics(this.datedTrips, index);
    this.#events = takeEvents(this.datedTrips, index, this.statistics);
    const { numbers, count } = numberDirections(table.datedTrips);
    this.#direction = numbers;
    this.#noDirection = count;
    this.directionTrips = new RecentTrips(count + 1, DIRECTION_TRIPS);
    this.state = {
      first: new Int32Array(datedTripCount).fill(-1),
      reported: new Int32Array(datedTripCount).fill(-1),
      reportedSince: new Float64Array(datedTripCount).fill(Number.NaN),
      currentSince: new Float64Array(datedTripCount).fill(Number.NaN),
      current: new Float32Array(datedTripCount),
      currentBefore: new Float32Array(datedTripCount).fill(Number.NaN),
      polledAt: new Float64Array(datedTripCount).fill(Number.NaN),
    };
  }

  /** Number of the leg after a call; one without trips after the last call. */
  directionBehind(datedTrip: number, call: number): number {
    return call + 1 < this.datedTrips.callStart[datedTrip + 1]! ? this.#direction[call + 1]! : this.#noDirection;
  }

  /** Adds the next snapshot. */
  add(snapshot: number): void {
    const datedTrip = this.#table.snapshotDatedTrip[snapshot]!;
    const at = this.#table.polledAt[snapshot]!;
    const reported = findReported(this.#table, snapshot);
    if (Number.isNaN(this.state.polledAt[datedTrip]!))
      this.statistics.trainTrips.add(this.datedTrips.train[datedTrip]!, datedTrip);
    if (reported < 0) this.#addPunctual(snapshot, at);
    else this.#tellReports(datedTrip, snapshot, reported);
    this.#tellState(datedTrip, at, reported);
    const first = this.#table.rowCall[this.#table.rowStart[snapshot]!]!;
    const before = this.state.first[datedTrip]!;
    this.state.first[datedTrip] = before < 0 ? first : Math.min(before, first);
  }

  /** A trip without any delay counts as punctual at the calls that are due, as in the final values. */
  #addPunctual(snapshot: number, at: number): void {
    const { rowStart, rowCall } = this.#table;
    for (let row = rowStart[snapshot]!; row < rowStart[snapshot + 1]!; row++) {
      const call = rowCall[row]!;
      if (this.datedTrips.scheduledArrival[call]! > at && row > rowStart[snapshot]!) return;
      this.datedTrips.arrivalDelay[call] = 0;
      this.datedTrips.departureDelay[call] = 0;
    }
  }

  #tellReports(datedTrip: number, snapshot: number, reported: number): void {
    const { rowStart, rowCall, rowArrival, rowDeparture } = this.#table;
    const before = this.state.reported[datedTrip]!;
    for (let row = rowStart[snapshot]!; row <= reported; row++) {
      const call = rowCall[row]!;
      this.datedTrips.arrivalDelay[call] = rowArrival[row]!;
      this.datedTrips.departureDelay[call] = rowDeparture[row]!;
    }
    const last = rowCall[reported]!;
    this.datedTrips.departureDelay[last] = findCurrent(this.#table, reported);
    for (let row = rowStart[snapshot]!; row <= reported; row++) {
      const call = rowCall[row]!;
      // A departure is certain only when a later stop has been reported.
      if (call >= before && call < last && row > rowStart[snapshot]!) this.#events.onDeparture(call, datedTrip, 0);
      if (call > before) this.#tellArrival(call, datedTrip, row > rowStart[snapshot]!);
    }
  }

  #tellArrival(call: number, datedTrip: number, isLegKnown: boolean): void {
    this.#events.onArrival(call, datedTrip, 0);
    if (isLegKnown) this.directionTrips.add(this.#direction[call]!, datedTrip);
  }

  #tellState(datedTrip: number, at: number, reported: number): void {
    const { state } = this;
    const call = reported < 0 ? -1 : this.#table.rowCall[reported]!;
    const current = findCurrent(this.#table, reported);
    const isNew = call !== state.reported[datedTrip] || Number.isNaN(state.polledAt[datedTrip]!);
    if (isNew) state.reportedSince[datedTrip] = at;
    if (isNew || current !== state.current[datedTrip]) {
      state.currentBefore[datedTrip] = Number.isNaN(state.polledAt[datedTrip]!)
        ? Number.NaN
        : state.current[datedTrip]!;
      state.currentSince[datedTrip] = at;
    }
    state.reported[datedTrip] = call;
    state.current[datedTrip] = current;
    state.polledAt[datedTrip] = at;
  }
}

/** Numbers the legs of all trips by their terminus. */
function numberDirections({ datedTripCount, callStart, stop, stopCount }: DatedTripTable): {
  numbers: Int32Array;
  count: number;
} {
  const known = new Map<number, number>();
  const numbers = new Int32Array(stop.length).fill(-1);
  for (let datedTrip = 0; datedTrip < datedTripCount; datedTrip++) {
    const terminus = stop[callStart[datedTrip + 1]! - 1]!;
    for (let call = callStart[datedTrip]! + 1; call < callStart[datedTrip + 1]!; call++) {
      const key = (stop[call - 1]! * stopCount + stop[call]!) * stopCount + terminus;
      const number = known.get(key) ?? known.size;
      known.set(key, number);
      numbers[call] = number;
    }
  }
  return { numbers, count: known.size };
}
