import type { RunTable } from './run-table.ts';

/** What the plan and the run itself say at an instant. */
export const currentColumns = [
  'current_delay',
  'arrival_delay_here',
  'departure_delay_1_back',
  'departure_delay_2_back',
  'departure_delay_4_back',
  'delay_gained_here',
  'highest_delay_so_far',
  'planned_stand_here',
  'is_standing',
] as const;

export const planColumns = [
  'steps',
  'planned_seconds',
  'planned_stands',
  'longest_planned_stand',
  'position',
  'calls_after',
  'planned_seconds_of_run',
  'hour',
  'weekday',
] as const;

/** A delay of the own run, if it had been seen by `at`; else NaN. */
function seen(delays: Float64Array, times: Float64Array, call: number, at: number): number {
  return times[call]! <= at ? delays[call]! : Number.NaN;
}

/**
 * Writes the columns of `currentColumns`; reads the run up to `call` and nothing behind it.
 * @param isStanding the vehicle has not left yet: its departure is what is expected of it
 */
export function writeCurrent(
  table: RunTable,
  run: number,
  call: number,
  at: number,
  isStanding: boolean,
  row: Float32Array,
): void {
  const first = table.callStart[run]!;
  const departureBack = (steps: number) =>
    call - steps < first ? Number.NaN : seen(table.departureDelay, table.departureTime, call - steps, at);
  const delay = table.departureDelay[call]!;
  const arrival = call === first ? Number.NaN : seen(table.arrivalDelay, table.arrivalTime, call, at);
  let highest = delay;
  for (let past = first; past < call; past++) {
    const before = seen(table.departureDelay, table.departureTime, past, at);
    if (before > highest) highest = before;
  }
  row[0] = delay;
  row[1] = arrival;
  row[2] = departureBack(1);
  row[3] = departureBack(2);
  row[4] = departureBack(4);
  row[5] = delay - arrival;
  row[6] = highest;
  row[8] = isStanding ? 1 : 0;
  row[7] = call === first ? Number.NaN : table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
}

/** Writes the columns of `planColumns`; reads the plan alone. */
export function writePlan(table: RunTable, run: number, from: number, to: number, row: Float32Array): void {
  const first = table.callStart[run]!;
  const last = table.callStart[run + 1]! - 1;
  let stands = 0;
  let longest = 0;
  for (let call = from + 1; call < to; call++) {
    const stand = table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
    stands += stand;
    if (stand > longest) longest = stand;
  }
  row[0] = to - from;
  row[1] = table.scheduledArrival[to]! - table.scheduledDeparture[from]!;
  row[2] = stands;
  row[3] = longest;
  row[4] = from - first;
  row[5] = last - to;
  row[6] = table.scheduledArrival[last]! - table.scheduledDeparture[first]!;
  row[7] = (table.scheduledDeparture[from]! - table.serviceDay[run]! * 86_400) / 3600;
  // Day 0 was a Thursday; Monday is 0.
  row[8] = (table.serviceDay[run]! + 3) % 7;
}
