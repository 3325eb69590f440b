import { lowerBound } from '../../model/binary-search.ts';
import type { DelayQuantiles } from '../../model/delay-distribution.ts';
import { secondOfDay } from '../../model/service-time.ts';

/** An event whose delays on past days are looked up. */
export interface PastEvent {
  readonly route: number;
  readonly stop: number;
  readonly isDeparture: boolean;
  /** Planned, by the clock where the vehicle runs: trains keep their times when clocks change. */
  readonly secondOfDay: number;
}

/**
 * Quantiles of the delays of past days: by line, station and minute of the day, so usually of one train, and by less where
 * these are few.
 */
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
interface NamedPastEvent extends Omit<PastEvent, 'route' | 'stop'> {
  readonly route: string;
  readonly stop: string;
}

/** @returns null where the line was not observed often enough; of a stop that is not known, the delays of the line */
export type FindNamedPast = (event: NamedPastEvent) => DelayQuantiles | null;

/** Names are indexed for the first event: a service opens every snapshot, and few are queried. */
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

const BAND_HOURS = 3;
const BANDS = 24 / BAND_HOURS;
/** Parts of the day that have a key: all of it, three hours, and one minute. */
const PARTS = 1 + BANDS + 24 * 60;
const MAX_STATIONS = 2 ** 24;

/** @param station -1: all of the line @param part of the day, below `PARTS` */
export function keyOf(route: number, station: number, isDeparture: boolean, part: number): number {
  return ((route * MAX_STATIONS + station + 1) * 2 + Number(isDeparture)) * PARTS + part;
}

/** Whether a key is of one minute of the day. */
export function isOfMinute(key: number): boolean {
  return key % PARTS > BANDS;
}

/** The most specific key first. */
export function listKeys({ route, stop, isDeparture, secondOfDay: planned }: PastEvent, station: Int32Array): number[] {
  const band = 1 + Math.floor(hourOf(planned) / BAND_HOURS);
  const minute = 1 + BANDS + Math.floor(secondOfDay(planned) / 60);
  const at = station[stop] ?? -1;
  const ofLine = [band, 0].map((part) => keyOf(route, -1, isDeparture, part));
  return at < 0 ? ofLine : [...[minute, band, 0].map((part) => keyOf(route, at, isDeparture, part)), ...ofLine];
}

/** @returns null where the line was not observed often enough */
export function findPastDelay(past: PastDelays, event: PastEvent): DelayQuantiles | null {
  for (const key of listKeys(event, past.station)) {
    const cell = findCell(past.keys, key);
    if (cell >= 0) return { low: past.low[cell]!, median: past.median[cell]!, high: past.high[cell]! };
  }
  return null;
}

function findCell(keys: Float64Array, wanted: number): number {
  const cell = lowerBound(keys, wanted);
  return keys[cell] === wanted ? cell : -1;
}

/** @param seconds since midnight by the clock; of a trip from the day before, 86,400 and more */
export function hourOf(seconds: number): number {
  return Math.floor(secondOfDay(seconds) / 3600);
}
