import { isOfMinute, listKeys, type PastDelays } from '../../snapshots/transfer-model/past-delays.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';

/** Fewer delays make no cell; those of a minute are usually of one train, once a day. */
const MIN_CASES = 20;
const MIN_MINUTE_CASES = 5;
/** The model is part of each realtime snapshot: only the cells with the most delays are kept. */
const MAX_CELLS = 100_000;
/** As many calls are counted at most, of the newest trips. */
const MAX_CALLS = 1_000_000;

/** Delays are counted in steps; those beyond the ends count at the ends. */
const STEP_SECONDS = 30;
const [EARLIEST_SECONDS, LATEST_SECONDS] = [-300, 1800];
const STEPS = (LATEST_SECONDS - EARLIEST_SECONDS) / STEP_SECONDS + 1;

/**
 * Counts the delays of past days.
 * @param station of each stop of the table
 * @param lastDay days since 1970; later ones are left out
 */
export function countPastDelays(table: DatedTripTable, station: Int32Array, lastDay: number): PastDelays {
  const counts = new Map<number, StepCounts>();
  const end = findEnd(table, lastDay);
  const start = findStart(table, end);
  const isHub = findHubs(table, station, start, end);
  for (let one = start; one < end; one++) {
    for (let call = table.callStart[one]!; call < table.callStart[one + 1]!; call++) {
      const isKept = (key: number) => !isOfMinute(key) || isHub[station[table.stop[call]!]!] === 1;
      const isFirst = call === table.callStart[one];
      const add = (isDeparture: boolean, scheduled: number, delay: number) => {
        if (Number.isNaN(delay)) return;
        const secondOfDay = scheduled - table.dayStart[one]!;
        const event = { route: table.route[one]!, stop: table.stop[call]!, isDeparture, secondOfDay };
        for (const key of listKeys(event, station)) if (isKept(key)) count(counts, key, delay);
      };
      if (!isFirst) add(false, table.scheduledArrival[call]!, table.arrivalDelay[call]! + table.arrivalOffset[call]!);
      const departed = table.isDepartureReported[call] === 1 ? table.departureDelay[call]! : Number.NaN;
      add(true, table.scheduledDeparture[call]!, departed + table.departureOffset[call]!);
    }
  }
  return toCells(counts, station);
}

/** Trips are sorted by service day. @returns the first trip after a day */
function findEnd({ serviceDay, datedTripCount }: DatedTripTable, lastDay: number): number {
  let end = datedTripCount;
  while (end > 0 && serviceDay[end - 1]! > lastDay) end--;
  return end;
}

function findStart({ callStart }: DatedTripTable, end: number): number {
  let start = end;
  while (start > 0 && callStart[end]! - callStart[start - 1]! <= MAX_CALLS) start--;
  return start;
}

/** 1 for the stations that several lines serve, between which passengers transfer. */
function findHubs(table: DatedTripTable, station: Int32Array, start: number, end: number): Uint8Array {
  const line = new Map<number, number>();
  const isHub = new Uint8Array(station.reduce((most, at) => Math.max(most, at), 0) + 1);
  for (let one = start; one < end; one++) {
    for (let call = table.callStart[one]!; call < table.callStart[one + 1]!; call++) {
      const at = station[table.stop[call]!]!;
      if (at < 0) continue;
      const known = line.get(at) ?? table.route[one]!;
      line.set(at, known);
      if (known !== table.route[one]) isHub[at] = 1;
    }
  }
  return isHub;
}

/** Delays by step. There are many cells of minutes, each of few delays. */
type StepCounts = Uint32Array | Uint16Array;

function count(counts: Map<number, StepCounts>, key: number, delay: number): void {
  const cell = counts.get(key) ?? (isOfMinute(key) ? new Uint16Array(STEPS) : new Uint32Array(STEPS));
  counts.set(key, cell);
  const step = Math.round((delay - EARLIEST_SECONDS) / STEP_SECONDS);
  const place = Math.max(0, Math.min(STEPS - 1, step));
  cell[place] = cell[place]! + 1;
}

function toCells(counts: ReadonlyMap<number, StepCounts>, station: Int32Array): PastDelays {
  const kept = [...counts]
    .map(([key, cell]) => ({ key, cell, cases: countCases(cell) }))
    .filter(({ key, cases }) => cases >= (isOfMinute(key) ? MIN_MINUTE_CASES : MIN_CASES))
    .sort((a, b) => b.cases - a.cases || a.key - b.key)
    .slice(0, MAX_CELLS)
    .sort((a, b) => a.key - b.key);
  const quantile = (share: number) => Int16Array.from(kept, ({ cell, cases }) => findQuantile(cell, share * cases));
  return {
    station,
    keys: Float64Array.from(kept, ({ key }) => key),
    low: quantile(0.1),
    median: quantile(0.5),
    high: quantile(0.9),
  };
}

function countCases(cell: StepCounts): number {
  let cases = 0;
  for (const step of cell) cases += step;
  return cases;
}

function findQuantile(cell: StepCounts, wanted: number): number {
  let before = 0;
  const step = cell.findIndex((cases) => {
    before += cases;
    return before >= wanted;
  });
  return EARLIEST_SECONDS + step * STEP_SECONDS;
}
