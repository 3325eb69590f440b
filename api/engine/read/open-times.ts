import type { Instant } from '../../../pipeline/model/service-time.ts';

// Ways that may begin only at some times: rides on demand, before or after scheduled rides or instead of them.

/** A period in which a way may begin, and the ride on demand that it is then. */
export interface OpenTime {
  readonly from: Instant;
  readonly until: Instant;
  /** Row of `onDemandTrips`, and service day. */
  readonly trip: number;
  readonly day: number;
  /** Rows of `onDemandCalls`. */
  readonly pickup: number;
  readonly dropOff: number;
}

/** A way by on-demand service. */
export interface OnDemandUse {
  /** From the pickup, or the arrival at the stop, to the drop-off, or the earliest departure from the stop. */
  readonly seconds: number;
  /** Of it, spare time at the stop of the change. */
  readonly spareSeconds: number;
  /** By begin, then end; some may overlap. */
  readonly open: readonly OpenTime[];
}

/** Both inclusive. */
interface Period {
  readonly from: number;
  readonly until: number;
}

/** @returns the earliest begin from a time on; Infinity if there is none */
export function findNextBegin(open: readonly Period[], time: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { from, until } of open) if (until >= time) next = Math.min(next, Math.max(from, time));
  return next;
}

/** @returns the latest begin up to a time; -Infinity if there is none */
export function findLastBegin(open: readonly Period[], time: number): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { from, until } of open) if (from <= time) last = Math.max(last, Math.min(until, time));
  return last;
}

/** @returns the first period with a time; null if it is in none */
export function findOpenTime(open: readonly OpenTime[], time: number): OpenTime | null {
  return open.find(({ from, until }) => from <= time && time <= until) ?? null;
}
