import { buildPlanIndex, type PlanIndex } from '../../predictions/features/plan-index.ts';
import type { RunTable } from '../../predictions/features/run-table.ts';
import {
  emptyStatistics,
  RunHistory,
  type RunningStatistics,
  takeEvents,
} from '../../predictions/features/running-statistics.ts';
import { findCurrent, findReported, type SnapshotTable } from './snapshot-table.ts';

/** The last poll of a run, and the times of its changes. */
interface RunState {
  /** First call in any list so far, by run; lists lose their beginning and regain it. */
  readonly first: Int32Array;
  /** Call of the last row with a delay, by run; -1 before there is one. */
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

/** Runs of a direction that are kept. */
const DIRECTION_RUNS = 40;

/**
 * The state of knowledge at a moment: the runs with their reported delays, statistics of them, and the state of each
 * run. Snapshots are added one by one in order, so that a reader in between knows nothing later.
 */
export class SeenSoFar {
  readonly #table: SnapshotTable;
  /** The plan with the delays reported so far; the current delay is stored as that of the last reported departure. */
  readonly runs: RunTable;
  readonly index: PlanIndex;
  readonly statistics: RunningStatistics;
  readonly state: RunState;
  /** Runs over a leg to one terminus, by the numbers of `directionBehind`. */
  readonly directionRuns: RunHistory;
  /** Number of the leg that ends at a call combined with the last stop of the run; by call. */
  readonly #direction: Int32Array;
  /** A number that has no runs. */
  readonly #noDirection: number;
  readonly #events: ReturnType<typeof takeEvents>;

  constructor(table: SnapshotTable, index: PlanIndex = buildPlanIndex(table.runs)) {
    const { runCount, stop } = table.runs;
    const unknown = () => new Float64Array(stop.length).fill(Number.NaN);
    this.#table = table;
    this.runs = { ...table.runs, arrivalDelay: unknown(), departureDelay: unknown() };
    this.index = index;
    this.statistics = emptyStatistics(this.runs, index);
    this.#events = takeEvents(this.runs, index, this.statistics);
    const { numbers, count } = numberDirections(table.runs);
    this.#direction = numbers;
    this.#noDirection = count;
    this.directionRuns = new RunHistory(count + 1, DIRECTION_RUNS);
    this.state = {
      first: new Int32Array(runCount).fill(-1),
      reported: new Int32Array(runCount).fill(-1),
      reportedSince: new Float64Array(runCount).fill(Number.NaN),
      currentSince: new Float64Array(runCount).fill(Number.NaN),
      current: new Float32Array(runCount),
      currentBefore: new Float32Array(runCount).fill(Number.NaN),
      polledAt: new Float64Array(runCount).fill(Number.NaN),
    };
  }

  /** Number of the leg after a call; one without runs after the last call. */
  directionBehind(run: number, call: number): number {
    return call + 1 < this.runs.callStart[run + 1]! ? this.#direction[call + 1]! : this.#noDirection;
  }

  /** Adds the next snapshot. */
  add(snapshot: number): void {
    const run = this.#table.snapshotRun[snapshot]!;
    const at = this.#table.polledAt[snapshot]!;
    const reported = findReported(this.#table, snapshot);
    if (Number.isNaN(this.state.polledAt[run]!)) this.statistics.trainRuns.add(this.runs.train[run]!, run);
    if (reported < 0) this.#addPunctual(snapshot, at);
    else this.#tellReports(run, snapshot, reported);
    this.#tellState(run, at, reported);
    const first = this.#table.rowCall[this.#table.rowStart[snapshot]!]!;
    const before = this.state.first[run]!;
    this.state.first[run] = before < 0 ? first : Math.min(before, first);
  }

  /** A run without any delay counts as punctual at the calls that are due, as in the final values. */
  #addPunctual(snapshot: number, at: number): void {
    const { rowStart, rowCall } = this.#table;
    for (let row = rowStart[snapshot]!; row < rowStart[snapshot + 1]!; row++) {
      const call = rowCall[row]!;
      if (this.runs.scheduledArrival[call]! > at && row > rowStart[snapshot]!) return;
      this.runs.arrivalDelay[call] = 0;
      this.runs.departureDelay[call] = 0;
    }
  }

  #tellReports(run: number, snapshot: number, reported: number): void {
    const { rowStart, rowCall, rowArrival, rowDeparture } = this.#table;
    const before = this.state.reported[run]!;
    for (let row = rowStart[snapshot]!; row <= reported; row++) {
      const call = rowCall[row]!;
      this.runs.arrivalDelay[call] = rowArrival[row]!;
      this.runs.departureDelay[call] = rowDeparture[row]!;
    }
    const last = rowCall[reported]!;
    this.runs.departureDelay[last] = findCurrent(this.#table, reported);
    for (let row = rowStart[snapshot]!; row <= reported; row++) {
      const call = rowCall[row]!;
      // A departure is certain only when a later stop has been reported.
      if (call >= before && call < last && row > rowStart[snapshot]!) this.#events.onDeparture(call, run, 0);
      if (call > before) this.#tellArrival(call, run, row > rowStart[snapshot]!);
    }
  }

  #tellArrival(call: number, run: number, isLegKnown: boolean): void {
    this.#events.onArrival(call, run, 0);
    if (isLegKnown) this.directionRuns.add(this.#direction[call]!, run);
  }

  #tellState(run: number, at: number, reported: number): void {
    const { state } = this;
    const call = reported < 0 ? -1 : this.#table.rowCall[reported]!;
    const current = findCurrent(this.#table, reported);
    const isNew = call !== state.reported[run] || Number.isNaN(state.polledAt[run]!);
    if (isNew) state.reportedSince[run] = at;
    if (isNew || current !== state.current[run]) {
      state.currentBefore[run] = Number.isNaN(state.polledAt[run]!) ? Number.NaN : state.current[run]!;
      state.currentSince[run] = at;
    }
    state.reported[run] = call;
    state.current[run] = current;
    state.polledAt[run] = at;
  }
}

/** Numbers the legs of all runs by their terminus. */
function numberDirections({ runCount, callStart, stop, stopCount }: RunTable): { numbers: Int32Array; count: number } {
  const known = new Map<number, number>();
  const numbers = new Int32Array(stop.length).fill(-1);
  for (let run = 0; run < runCount; run++) {
    const terminus = stop[callStart[run + 1]! - 1]!;
    for (let call = callStart[run]! + 1; call < callStart[run + 1]!; call++) {
      const key = (stop[call - 1]! * stopCount + stop[call]!) * stopCount + terminus;
      const number = known.get(key) ?? known.size;
      known.set(key, number);
      numbers[call] = number;
    }
  }
  return { numbers, count: known.size };
}
