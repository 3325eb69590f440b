import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';

/**
 * Live snapshots as columns. A snapshot is the answer of one poll about one trip; they are sorted by time. All delays
 * in seconds, all times UTC seconds.
 */
export interface SnapshotTable {
  /** The plan: trips and calls. Its delays are NaN, because none is known before the first poll. */
  readonly datedTrips: DatedTripTable;
  /** 1 where the protocol allows a call to be predicted, and its final arrival delay, else NaN; by call. */
  readonly isTarget: Uint8Array;
  readonly truth: Float64Array;
  readonly snapshotCount: number;
  /** By snapshot. */
  readonly snapshotDatedTrip: Int32Array;
  readonly polledAt: Float64Array;
  /** 1 where the first stop of the list has an arrival, so that its beginning is missing. */
  readonly isCut: Uint8Array;
  /** First row of each snapshot, plus one entry for the end of the last one. */
  readonly rowStart: Int32Array;
  /** By row, in the order of the list: the call, and its reported delays. 0 may mean unknown. */
  readonly rowCall: Int32Array;
  readonly rowArrival: Float32Array;
  readonly rowDeparture: Float32Array;
  readonly positions: PositionTable;
}

/** Positions of vehicles with the delay reported in them, by trip and time. */
export interface PositionTable {
  /** First position of each trip, plus one entry for the end. */
  readonly start: Int32Array;
  readonly seenAt: Float64Array;
  /** NaN where none was reported. */
  readonly delay: Float64Array;
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
}

/** Rows as they come from a query, sorted by time, trip and place in the list. */
interface PolledRows {
  readonly polledAt: Float64Array;
  readonly datedTrip: Int32Array;
  readonly call: Int32Array;
  readonly arrival: Float32Array;
  readonly departure: Float32Array;
  /** 1 where the stop has an arrival. */
  readonly hasArrival: Uint8Array;
}

/** Groups rows into snapshots. */
export function buildSnapshotTable(
  plan: Pick<SnapshotTable, 'datedTrips' | 'isTarget' | 'truth' | 'positions'>,
  rows: PolledRows,
): SnapshotTable {
  const starts: number[] = [];
  for (let row = 0; row < rows.datedTrip.length; row++) {
    const isSame =
      row > 0 && rows.datedTrip[row] === rows.datedTrip[row - 1] && rows.polledAt[row] === rows.polledAt[row - 1];
    if (!isSame) starts.push(row);
  }
  return {
    ...plan,
    snapshotCount: starts.length,
    snapshotDatedTrip: Int32Array.from(starts, (row) => rows.datedTrip[row]!),
    polledAt: Float64Array.from(starts, (row) => rows.polledAt[row]!),
    isCut: Uint8Array.from(starts, (row) => rows.hasArrival[row]!),
    rowStart: Int32Array.from([...starts, rows.datedTrip.length]),
    rowCall: rows.call,
    rowArrival: rows.arrival,
    rowDeparture: rows.departure,
  };
}

/** The last row of a snapshot with a delay; -1 where there is none. */
export function findReported({ rowStart, rowArrival, rowDeparture }: SnapshotTable, snapshot: number): number {
  for (let row = rowStart[snapshot + 1]! - 1; row >= rowStart[snapshot]!; row--) {
    if (rowArrival[row] !== 0 || rowDeparture[row] !== 0) return row;
  }
  return -1;
}

/** The current delay: that of the departure in the last row with a delay, else of the arrival; 0 without such a row. */
export function findCurrent({ rowArrival, rowDeparture }: SnapshotTable, reported: number): number {
  if (reported < 0) return 0;
  return rowDeparture[reported] === 0 ? rowArrival[reported]! : rowDeparture[reported]!;
}

/** The newest position of a trip at a instant; -1 where there is none. */
export function findPosition({ start, seenAt }: PositionTable, datedTrip: number, at: number): number {
  let low = start[datedTrip]!;
  let high = start[datedTrip + 1]!;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seenAt[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1 < start[datedTrip]! ? -1 : low - 1;
}
