import { rememberPerObject } from '../../../pipeline/model/recent-map.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { PlaceCalls } from './place-calls.ts';
import type { RunningTimes } from './running-times.ts';
import { localMemory, type Memory, type SharedTables } from './shared-tables.ts';

export type Sign = 1 | -1;

/**
 * One direction of search. Forward in time (sign 1), a traveller boards, rides to a later call and alights; the
 * earliest arrival is best. Backward in time (sign -1), the same ride is searched from its end: a trip is entered where
 * the traveller alights and left where the traveller boards; the latest departure is best. Times are multiplied by the
 * sign, so that smaller is better in both directions.
 */
export interface SearchDirection {
  readonly sign: Sign;
  /** Transfer places of entering and leaving, by call of the timetable's patterns; -1 where it is not allowed. */
  readonly enterAt: Int32Array;
  readonly leaveAt: Int32Array;
  /** The calls where trips are entered and left, by transfer place. */
  readonly entering: PlaceCalls;
  readonly leaving: PlaceCalls;
  /** Times of entering and leaving: those of `RunningTimes`. */
  readonly enterTimes: Int32Array;
  readonly leaveTimes: Int32Array;
  /**
   * Transfers by the place where a trip is left: those of a place are at `transferStarts[place]` to `transferStarts[place +
   * 1]` of `transferOrder`.
   */
  readonly transferStarts: Int32Array;
  /** Rows of `transfers` in this order; `null` if the table is already sorted that way. */
  readonly transferOrder: Int32Array | null;
  /**
   * Returns the transfers in this order as two numbers each: the place where a trip is entered, and the given seconds of
   * the transfer's row.
   */
  readonly listTransfers: (transferSeconds: Int32Array) => Int32Array;
  /** Origin and destination of a transfer, by row of `transfers`. */
  readonly transferFrom: Int32Array;
  readonly transferTo: Int32Array;
  /** Trips that continue as others, ordered by the former; `continuationOrder` holds rows of `continuations`. */
  readonly continuationOrder: Int32Array | null;
  readonly continuesFrom: Int32Array;
  readonly continuesTo: Int32Array;
  /** By pattern: 1 if some trip continues as another. */
  readonly hasContinuation: Uint8Array;
}

/** Tables that all planners of a timetable share. */
interface DirectionParts {
  readonly boarding: PlaceCalls;
  readonly alighting: PlaceCalls;
  readonly runningTimes: RunningTimes;
  /** Seconds of transfers whose pairs are shared. */
  readonly usualSeconds: Int32Array;
  readonly sharedTables: SharedTables;
}

export function openDirection(tables: TimetableTables, sign: Sign, parts: DirectionParts): SearchDirection {
  const { boarding, alighting, runningTimes } = parts;
  const { patternCalls, transfers, transferStarts, transfersBack, transferBackStarts } = tables;
  const { continuations, continuationsBack } = tables;
  if (sign > 0) {
    return {
      sign,
      enterAt: patternCalls.boardAt,
      leaveAt: patternCalls.alightAt,
      entering: boarding,
      leaving: alighting,
      enterTimes: runningTimes.departure,
      leaveTimes: runningTimes.arrival,
      transferStarts: transferStarts.transfer,
      transferOrder: null,
      listTransfers: rememberPairs(parts, 'transfers ahead', transfers.to, null),
      transferFrom: transfers.from,
      transferTo: transfers.to,
      continuationOrder: null,
      continuesFrom: continuations.fromTrip,
      continuesTo: continuations.toTrip,
      hasContinuation: markPatterns(tables, continuations.fromTrip),
    };
  }
  return {
    sign,
    enterAt: patternCalls.alightAt,
    leaveAt: patternCalls.boardAt,
    entering: alighting,
    leaving: boarding,
    enterTimes: runningTimes.arrival,
    leaveTimes: runningTimes.departure,
    transferStarts: transferBackStarts.row,
    transferOrder: transfersBack.transfer,
    listTransfers: rememberPairs(parts, 'transfers back', transfers.from, transfersBack.transfer),
    transferFrom: transfers.to,
    transferTo: transfers.from,
    continuationOrder: continuationsBack.continuation,
    continuesFrom: continuations.toTrip,
    continuesTo: continuations.fromTrip,
    hasContinuation: markPatterns(tables, continuations.toTrip),
  };
}

/** See `SearchDirection.listTransfers`. @param order rows of `transfers`; `null`: as they are */
function rememberPairs(
  { usualSeconds, sharedTables }: DirectionParts,
  name: string,
  placeOf: Int32Array,
  order: Int32Array | null,
): SearchDirection['listTransfers'] {
  const pairTransfers = (transferSeconds: Int32Array, memory: Memory) => {
    const pairs = memory.int32(2 * placeOf.length);
    for (let i = 0; i < placeOf.length; i++) {
      const row = order === null ? i : order[i]!;
      pairs[2 * i] = placeOf[row]!;
      pairs[2 * i + 1] = transferSeconds[row]!;
    }
    return pairs;
  };
  return rememberPerObject((transferSeconds: Int32Array) =>
    transferSeconds === usualSeconds
      ? sharedTables.share(name, (memory) => ({ pairs: pairTransfers(transferSeconds, memory) })).pairs
      : pairTransfers(transferSeconds, localMemory),
  );
}

function markPatterns({ patterns, trips }: TimetableTables, those: Int32Array): Uint8Array {
  const marks = new Uint8Array(patterns.route.length);
  for (const trip of those) marks[trips.pattern[trip]!] = 1;
  return marks;
}

/** The same for live routes. */
export interface LiveDirection {
  readonly enterAt: Int32Array;
  readonly leaveAt: Int32Array;
  readonly enterTimes: Int32Array;
  readonly leaveTimes: Int32Array;
  readonly enterCalls: LiveRoutes['boardCalls'];
}

export function openLiveDirection(live: LiveRoutes, sign: Sign): LiveDirection {
  const { boardAt, alightAt, arrival, departure } = live;
  if (sign > 0) {
    return {
      enterAt: boardAt,
      leaveAt: alightAt,
      enterTimes: departure,
      leaveTimes: arrival,
      enterCalls: live.boardCalls,
    };
  }
  return {
    enterAt: alightAt,
    leaveAt: boardAt,
    enterTimes: arrival,
    leaveTimes: departure,
    enterCalls: live.alightCalls,
  };
}
