import { hourOf, listKeys, type PastDelays } from '../../snapshots/transfer-model/past-delays.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';

/** Fewer delays make no cell. */
const MIN_CASES = 20;
/** The model is part of each realtime snapshot: only the cells with the most delays are kept. */
const MAX_CELLS = 40_000;
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
  const counts = new Map<number, Uint32Array>();
  const end = findEnd(table, lastDay);
  for (let one = findStart(table, end); one < end; one++) {
    for (let call = table.callStart[one]!; call < table.callStart[one + 1]!; call++) {
      const isFirst = call === table.callStart[one];
      const add = (isDeparture: boolean, scheduled: number, delay: number) => {
        if (Number.isNaN(delay)) return;
        const event = { route: table.route[one]!, stop: table.stop[call]!, isDeparture, hour: hourOf(scheduled) };
        for (const key of listKeys(event, station)) count(counts, key, delay);
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

function count(counts: Map<number, Uint32Array>, key: number, delay: number): void {
  const cell = counts.get(key) ?? new Uint32Array(STEPS);
  counts.set(key, cell);
  const step = Math.round((delay - EARLIEST_SECONDS) / STEP_SECONDS);
  const place = Math.max(0, Math.min(STEPS - 1, step));
  cell[place] = cell[place]! + 1;
}

function toCells(counts: ReadonlyMap<number, Uint32Array>, station: Int32Array): PastDelays {
  const kept = [...counts]
    .map(([key, cell]) => ({ key, cell, cases: cell.reduce((sum, cases) => sum + cases, 0) }))
    .filter(({ cases }) => cases >= MIN_CASES)
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

function findQuantile(cell: Uint32Array, wanted: number): number {
  let before = 0;
  const step = cell.findIndex((cases) => {
    before += cases;
    return before >= wanted;
  });
  return EARLIEST_SECONDS + step * STEP_SECONDS;
}
