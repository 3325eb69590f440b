import type { Instant } from '../../../pipeline/model/service-time.ts';

// On-demand rides, which may begin only within windows: as access, as egress, or from origin to destination.

/** A period in which a ride may begin, and the dated trip and calls of that ride. */
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

/** A walk between a place and a stop where an on-demand ride begins or ends. */
export interface MeetingWalk {
  /** Row of `stops`. */
  readonly stop: number;
  readonly meters: number;
  readonly seconds: number;
}

/** On-demand rides of equal duration between two places. */
export interface OnDemandUse {
  /** From the pickup, or the arrival at the stop, to the drop-off, or the earliest departure from the stop. */
  readonly seconds: number;
  /** The part of `seconds` that is reserved for the transfer to or from a scheduled ride. */
  readonly spareSeconds: number;
  /** The walk to the stop of the pickup, and from that of the drop-off, which are part of `seconds`; absent: none. */
  readonly walkBefore?: MeetingWalk;
  readonly walkAfter?: MeetingWalk;
  /** Sorted by begin, then end; periods may overlap. */
  readonly open: readonly OpenTime[];
}

/** Both ends inclusive. */
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

/** @returns the first period that contains a time; `null` if none does */
export function findOpenTime(open: readonly OpenTime[], time: number): OpenTime | null {
  return open.find(({ from, until }) => from <= time && time <= until) ?? null;
}
