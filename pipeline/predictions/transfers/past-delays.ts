import type { DelayForecast } from '../../model/delay-distribution.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';

/** An event whose delays on past days are asked for. */
export interface PastEvent {
  readonly route: number;
  readonly stop: number;
  readonly isDeparture: boolean;
  /** Hour in UTC, 0 to 23. */
  readonly hour: number;
}

/** Quantiles of the delays of past days: by line, station and three hours of the day, and by less where these are few. */
export interface PastDelays {
  /** Station of each stop. */
  readonly station: Int32Array;
  /** Sorted, see `keyOf`; one entry per cell. */
  readonly keys: Float64Array;
  readonly low: Int16Array;
  readonly median: Int16Array;
  readonly high: Int16Array;
}

/** Delays of past days, and the lines and stops that its numbers stand for. */
export interface NamedPastDelays {
  readonly delays: PastDelays;
  readonly routes: readonly string[];
  readonly stops: readonly string[];
}

/** An event by the names of its line and stop. */
export interface NamedPastEvent extends Omit<PastEvent, 'route' | 'stop'> {
  readonly route: string;
  readonly stop: string;
}

/** @returns null where the line was not observed often enough; of a stop that is not known, the delays of the line */
export type FindNamedPast = (event: NamedPastEvent) => DelayForecast | null;

/** Names are indexed when the first event is asked for: a service opens each snapshot, and few are asked of it. */
export function openPastDelays({ delays, routes, stops }: NamedPastDelays): FindNamedPast {
  let index: { readonly routes: Map<string, number>; readonly stops: Map<string, number> } | null = null;
  const number = (names: readonly string[]) => new Map(names.map((name, row) => [name, row]));
  return ({ route, stop, ...event }) => {
    index ??= { routes: number(routes), stops: number(stops) };
    const { routes: routeRows, stops: stopRows } = index;
    const row = routeRows.get(route);
    return row === undefined ? null : findPastDelay(delays, { route: row, stop: stopRows.get(stop) ?? -1, ...event });
  };
}

export const noPastDelays: PastDelays = {
  station: new Int32Array(),
  keys: new Float64Array(),
  low: new Int16Array(),
  median: new Int16Array(),
  high: new Int16Array(),
};

/** Fewer delays make no cell. */
const MIN_CASES = 20;
/** The model stands in each realtime snapshot: the cells with the most delays are kept. */
const MAX_CELLS = 40_000;
/** As many calls are counted at most, of the newest trips. */
const MAX_CALLS = 1_000_000;

const BAND_HOURS = 3;
const BANDS = 24 / BAND_HOURS;
const MAX_STATIONS = 2 ** 24;

/** @param station -1: all of the line; likewise `band` of the day */
export function keyOf(route: number, station: number, isDeparture: boolean, band: number): number {
  return ((route * MAX_STATIONS + station + 1) * 2 + Number(isDeparture)) * (BANDS + 1) + band + 1;
}

/** The most specific key first. */
function listKeys({ route, stop, isDeparture, hour }: PastEvent, station: Int32Array): number[] {
  const band = Math.floor(hour / BAND_HOURS);
  const at = station[stop] ?? -1;
  const ofLine = [keyOf(route, -1, isDeparture, band), keyOf(route, -1, isDeparture, -1)];
  if (at < 0) return ofLine;
  return [keyOf(route, at, isDeparture, band), keyOf(route, at, isDeparture, -1), ...ofLine];
}

/** @returns null where the line was not observed often enough */
export function findPastDelay(past: PastDelays, event: PastEvent): DelayForecast | null {
  for (const key of listKeys(event, past.station)) {
    const cell = findCell(past.keys, key);
    if (cell >= 0) return { low: past.low[cell]!, median: past.median[cell]!, high: past.high[cell]! };
  }
  return null;
}

function findCell(keys: Float64Array, wanted: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return keys[low] === wanted ? low : -1;
}

// ---- Counting ----------------------------------------------------------------------------------

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

/** Hour in UTC. */
export function hourOf(seconds: number): number {
  return Math.floor((((seconds % 86_400) + 86_400) % 86_400) / 3600);
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
