import type { RunTable } from './run-table.ts';

/** How many positions after the call of the instant a predicted call is. */
const STEPS = [1, 2, 3, 5, 8, 12] as const;

/** Instants of prediction, each with one later call of the same run: one place per pair in every column. */
export interface Pairs {
  readonly count: number;
  readonly run: Int32Array;
  /** Call whose departure is the instant, as index into the calls of the table. */
  readonly from: Int32Array;
  /** The later call that is predicted. */
  readonly to: Int32Array;
}

/**
 * All pairs of a table whose delays are known, by run, instant and step: what the protocol says for archives of final
 * times.
 * @see prediction-evaluation, layout `pl_rail`, rules 2 and 3
 */
export function choosePairs(table: RunTable): Pairs {
  const run: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  for (let one = 0; one < table.runCount; one++) {
    const end = table.callStart[one + 1]!;
    for (let call = table.callStart[one]!; call < end; call++) {
      if (table.isInstant[call] === 0 || Number.isNaN(table.departureDelay[call])) continue;
      for (let later = call + 1, step = 0; later < end && step < STEPS.length; later++) {
        const distance = table.sequence[later]! - table.sequence[call]!;
        while (step < STEPS.length && STEPS[step]! < distance) step++;
        if (STEPS[step] !== distance || Number.isNaN(table.arrivalDelay[later])) continue;
        run.push(one);
        from.push(call);
        to.push(later);
      }
    }
  }
  return { count: run.length, run: Int32Array.from(run), from: Int32Array.from(from), to: Int32Array.from(to) };
}

/** Horizon of a pair in seconds: scheduled time from the departure to the predicted arrival, at least 0. */
export function horizonSeconds(table: RunTable, from: number, to: number): number {
  return Math.max(0, table.scheduledArrival[to]! - table.scheduledDeparture[from]!);
}

/** The pairs at the given places, in that order. */
export function pickPairs(pairs: Pairs, places: Int32Array): Pairs {
  return {
    count: places.length,
    run: places.map((place) => pairs.run[place]!),
    from: places.map((place) => pairs.from[place]!),
    to: places.map((place) => pairs.to[place]!),
  };
}
