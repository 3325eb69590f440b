import {
  CHANGE_WALK_METERS,
  OTHER_STOP_CHANGE_SECONDS,
  SAME_STOP_CHANGE_SECONDS,
  walkSeconds,
} from '../../../pipeline/model/walking.ts';
import { isStepFreeBetween } from '../../../pipeline/snapshots/step-free-ways.ts';
import { type TimetableTables, transferKinds } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { PlanQuery } from './itinerary.ts';
import { localMemory, type Memory, type SharedTables } from './shared-tables.ts';

/** The parameters of a query that determine how long transfers take. */
export type WalkParameters = Pick<
  PlanQuery,
  'walkSpeedKmh' | 'maxWalkMeters' | 'minTransferSeconds' | 'wheelchair' | 'closedStops'
>;

/** The defaults of a request. */
export const usualWalker: WalkParameters = {
  walkSpeedKmh: 4.7,
  maxWalkMeters: 1500,
  minTransferSeconds: 0,
  wheelchair: false,
};

/** Marks a transfer that this traveller cannot make. */
export const NO_TRANSFER = 0x3fffffff;

const [SAME_STOP, , WALK, , PUBLISHED] = transferKinds.map((_, kind) => kind);
/** Position of `timed` in `transferKinds`: the vehicle waits. */
export const TIMED = transferKinds.indexOf('timed');

/**
 * Minimum seconds between arrival and departure by row of `transfers`; `NO_TRANSFER` if this traveller cannot make the
 * transfer.
 */
export function computeTransferSeconds(
  tables: TimetableTables,
  walker: WalkParameters,
  memory: Memory = localMemory,
): Int32Array {
  const { transfers } = tables;
  const { walkSpeedKmh, maxWalkMeters, minTransferSeconds, wheelchair } = walker;
  const meters = wheelchair ? transfers.wheelchairMeters : transfers.meters;
  const seconds = memory.int32(transfers.from.length);
  const sameStop = Math.max(SAME_STOP_CHANGE_SECONDS, minTransferSeconds);
  const least = Math.max(OTHER_STOP_CHANGE_SECONDS, minTransferSeconds);
  const furthest = Math.min(maxWalkMeters, CHANGE_WALK_METERS);
  for (let row = 0; row < seconds.length; row++) {
    const kind = transfers.kind[row]!;
    const walk = meters[row]!;
    if (walk < 0 || (kind === WALK && walk > furthest)) seconds[row] = NO_TRANSFER;
    else if (kind === SAME_STOP) seconds[row] = sameStop;
    else if (kind === TIMED) seconds[row] = 0;
    else if (kind === PUBLISHED) seconds[row] = Math.max(transfers.seconds[row]!, minTransferSeconds);
    else seconds[row] = Math.max(least, walkSeconds(walk, walkSpeedKmh) + SAME_STOP_CHANGE_SECONDS);
  }
  if (walker.closedStops) closeTransfers(tables, seconds, new Set(walker.closedStops));
  return seconds;
}

/** Removes the transfers from and to closed stops, except those that need neither steps nor lifts. */
function closeTransfers(tables: TimetableTables, seconds: Int32Array, closed: ReadonlySet<number>): void {
  const { transfers, transferPlaces, stops } = tables;
  const stopCount = stops.source.length;
  const stopOf = (place: number) => (place < stopCount ? place : transferPlaces.stop[place - stopCount]!);
  for (let row = 0; row < seconds.length; row++) {
    const [from, to] = [stopOf(transfers.from[row]!), stopOf(transfers.to[row]!)];
    const isClosed = closed.has(from) || closed.has(to);
    if (isClosed && !isStepFreeBetween(tables, from, to)) seconds[row] = NO_TRANSFER;
  }
}

/**
 * The minimum of the publisher or of the request for a transfer; 0 where there is neither, and only the planner leaves
 * time in reserve.
 * @param row of `transfers`
 */
export function findRequiredSeconds(
  { transfers }: Pick<TimetableTables, 'transfers'>,
  row: number,
  minTransferSeconds: number,
): number {
  const kind = transfers.kind[row]!;
  if (kind === TIMED) return 0;
  return kind === PUBLISHED ? Math.max(transfers.seconds[row]!, minTransferSeconds) : minTransferSeconds;
}

/**
 * Caches the arrays of the most recently used parameters. Most queries have the defaults: planners share that array, which
 * is returned for them alone.
 */
export function cacheTransferSeconds(
  tables: TimetableTables,
  sharedTables: SharedTables,
): (walker: WalkParameters) => Int32Array {
  let usual: Int32Array | null = null;
  const known = new Map<string, Int32Array>();
  return (walker) => {
    const key = toKey(walker);
    if (key === toKey(usualWalker)) {
      usual ??= sharedTables.share('transfer seconds', (memory) => ({
        seconds: computeTransferSeconds(tables, usualWalker, memory),
      })).seconds;
      return usual;
    }
    const seconds = known.get(key) ?? computeTransferSeconds(tables, walker);
    // Moves the entry to the end: the least recently used one is dropped first.
    known.delete(key);
    known.set(key, seconds);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return seconds;
  };
}

function toKey(walker: WalkParameters): string {
  const { walkSpeedKmh, maxWalkMeters, minTransferSeconds, wheelchair, closedStops = [] } = walker;
  return [walkSpeedKmh, maxWalkMeters, minTransferSeconds, wheelchair, ...closedStops].join(' ');
}

/** Besides the defaults. */
const MAX_KNOWN = 3;
