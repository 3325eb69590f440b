import { type DatedTripTable, departAfter, floorToMinute, instants } from './dated-trip-table.ts';
import { featureColumns, InstantRows } from './instant-rows.ts';
import { buildPlanIndex, type PlanIndex } from './plan-index.ts';
import { emptyStatistics, takeEvents } from './running-statistics.ts';
import { sweep } from './sweep.ts';

/** Distance in calls from the call of the instant to each predicted call. */
export const STEPS: readonly number[] = [1, 2, 3, 5, 8, 12];

/** Pairs of a prediction instant and a later call of the same dated trip: one entry per pair in every column. */
export interface Pairs {
  readonly count: number;
  readonly datedTrip: Int32Array;
  /** Call whose departure is the instant; index into the calls of the table. */
  readonly from: Int32Array;
  /** 1 where the instant is the arrival at `from`: the vehicle is at the stop, see `instants`. */
  readonly isStanding: Uint8Array;
  /** The later call that is predicted. */
  readonly to: Int32Array;
}

/**
 * All pairs of a table whose delays are known, ordered by dated trip, instant and step, as the protocol defines them
 * for archives of final times.
 * @see prediction-evaluation, layout `pl_rail`, rules 2 and 3
 */
export function choosePairs(table: DatedTripTable): Pairs {
  const datedTrip: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const isStanding: number[] = [];
  for (let one = 0; one < table.datedTripCount; one++) {
    const end = table.callStart[one + 1]!;
    for (let call = table.callStart[one]!; call < end; call++) {
      for (const standing of listInstants(table, one, call)) {
        for (const later of listTargets(table, call, end)) {
          datedTrip.push(one);
          from.push(call);
          to.push(later);
          isStanding.push(standing);
        }
      }
    }
  }
  return {
    count: datedTrip.length,
    datedTrip: Int32Array.from(datedTrip),
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    isStanding: Uint8Array.from(isStanding),
  };
}

/** Kinds of instant of a call (1: the vehicle is at the stop); none where the departure is before the arrival. */
function listInstants(table: DatedTripTable, datedTrip: number, call: number): readonly (0 | 1)[] {
  const bits = table.isInstant[call]!;
  const isLeaving = (bits & instants.departure) !== 0 && !Number.isNaN(table.departureDelay[call]);
  const isStanding =
    (bits & instants.standing) !== 0 &&
    call > table.callStart[datedTrip]! &&
    !Number.isNaN(table.arrivalDelay[call]) &&
    !(table.departureTime[call]! <= table.arrivalTime[call]!);
  if (isStanding) return isLeaving ? [1, 0] : [1];
  return isLeaving ? [0] : [];
}

function listTargets(table: DatedTripTable, call: number, end: number): number[] {
  const targets: number[] = [];
  for (let later = call + 1, step = 0; later < end && step < STEPS.length; later++) {
    const distance = table.sequence[later]! - table.sequence[call]!;
    while (step < STEPS.length && STEPS[step]! < distance) step++;
    if (STEPS[step] === distance && !Number.isNaN(table.arrivalDelay[later])) targets.push(later);
  }
  return targets;
}

/** Assumed departure at an instant where the vehicle is still at the stop: delay, seconds off the grid, time. */
export function expectDeparture(table: DatedTripTable, call: number) {
  const { gridSeconds, arrivalDelay, arrivalOffset, scheduledArrival, scheduledDeparture } = table;
  const arrived = arrivalDelay[call]! + arrivalOffset[call]!;
  const delay = departAfter(arrived, scheduledArrival[call]!, scheduledDeparture[call]!);
  const onGrid = gridSeconds === 60 ? floorToMinute(delay) : delay;
  return { delay: onGrid, offset: delay - onGrid, time: scheduledDeparture[call]! + delay };
}

/** Horizon of a pair in seconds: scheduled time from the departure to the predicted arrival, at least 0. */
export function horizonSeconds(table: DatedTripTable, from: number, to: number): number {
  return Math.max(0, table.scheduledArrival[to]! - table.scheduledDeparture[from]!);
}

/** The pairs at the given places, in that order. */
export function pickPairs(pairs: Pairs, places: Int32Array): Pairs {
  return {
    count: places.length,
    datedTrip: places.map((place) => pairs.datedTrip[place]!),
    from: places.map((place) => pairs.from[place]!),
    to: places.map((place) => pairs.to[place]!),
    isStanding: Uint8Array.from(places, (place) => pairs.isStanding[place]!),
  };
}

/** One row per pair; NaN where something is not known. Delays and durations in seconds. */
export interface FeatureTable {
  readonly count: number;
  readonly columns: readonly string[];
  /** Row after row. */
  readonly values: Float32Array;
  /** Seconds that the arrival is expected to have beyond its whole minute, where the table has delays on that grid. */
  readonly offsets: Uint8Array;
}

/** How many past days of the same train may be used at an instant. */
export type TrainDays = (call: number) => number;

/**
 * Features of each pair from what was known at its instant, in one sweep in time order.
 * @param pairs sorted by their first call
 * @param trainDays limited for some instants, so that the model also learns trains with little history
 */
export function buildFeatures(
  table: DatedTripTable,
  pairs: Pairs,
  trainDays: TrainDays = () => Number.POSITIVE_INFINITY,
  index: PlanIndex = buildPlanIndex(table),
): FeatureTable {
  const width = featureColumns.length;
  const values = new Float32Array(pairs.count * width);
  const offsets = new Uint8Array(pairs.count);
  const leaving = findFirstPairs(table, pairs, 0);
  const standing = findFirstPairs(table, pairs, 1);
  const statistics = emptyStatistics(table, index);
  const rows = new InstantRows(table, index, statistics);
  const write = (first: number) => {
    const [call, kind] = [pairs.from[first], pairs.isStanding[first]];
    for (let pair = first; pair < pairs.count && pairs.from[pair] === call && pairs.isStanding[pair] === kind; pair++) {
      offsets[pair] = rows.write(pairs.to[pair]!, values, pair * width);
    }
  };
  const wanted = {
    departure: (call: number) => leaving[call]! >= 0,
    standing: (call: number) => standing[call]! >= 0,
  };
  sweep(table, wanted, {
    ...takeEvents(table, index, statistics),
    onInstant: (call, datedTrip, at) => {
      rows.start(datedTrip, call, at, false, trainDays(call));
      write(leaving[call]!);
    },
    onStanding: (call, datedTrip, at) =>
      withExpectedDeparture(table, call, () => {
        rows.start(datedTrip, call, at, true, trainDays(call));
        write(standing[call]!);
      }),
  });
  return { count: pairs.count, columns: featureColumns, values, offsets };
}

/** The first pair of each call for one kind of instant; -1 for calls without one. */
function findFirstPairs(table: DatedTripTable, pairs: Pairs, kind: 0 | 1): Int32Array {
  const first = new Int32Array(table.stop.length).fill(-1);
  for (let pair = pairs.count - 1; pair >= 0; pair--) {
    if (pairs.isStanding[pair] === kind) first[pairs.from[pair]!] = pair;
  }
  return first;
}

/** Replaces the observed departure by the assumed one while `task` runs: at the instant it is not known yet. */
function withExpectedDeparture(table: DatedTripTable, call: number, task: () => void): void {
  const { departureDelay, departureOffset, departureTime } = table;
  const observed = [departureDelay[call]!, departureOffset[call]!, departureTime[call]!] as const;
  const { delay, offset, time } = expectDeparture(table, call);
  [departureDelay[call], departureOffset[call], departureTime[call]] = [delay, offset, time];
  task();
  [departureDelay[call], departureOffset[call], departureTime[call]] = observed;
}
