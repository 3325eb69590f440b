import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import type { DatedTripTable } from '../../predictions/features/dated-trip-table.ts';

/** Changes between two trains; one entry per change, ordered by arrival and departure. */
export interface Transfers {
  readonly count: number;
  /** Call at which the first train arrives, and call at which the second one departs: places in the trip table. */
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  /** 1 for the sample that is scored, by the hash of the protocol. */
  readonly isSampled: Uint8Array;
}

/** Seconds that a change needs. */
export const NEEDED_SECONDS = 120;

/** Reads the changes of the window; `run_calls` and `archive` must be loaded. */
export async function readTransfers(db: Duckdb): Promise<Transfers> {
  const select = await readSql('pipeline/evaluation/sql/transfer_pairs.sql');
  await db.run(`create or replace temp table transfer_pairs as ${select}`);
  const [{ rows }] = (await db.query('select count(*)::integer as rows from transfer_pairs')) as [{ rows: number }];
  const columns = await readColumns(
    db,
    { arrival: ['i32', 'arrival'], departure: ['i32', 'departure'], isSampled: ['u8', 'is_sampled'] },
    'from transfer_pairs',
    rows,
  );
  await db.run('drop table transfer_pairs');
  return { count: rows, ...columns };
}

/** The changes at the given places, in that order. */
export function pickTransfers(transfers: Transfers, places: Int32Array): Transfers {
  return {
    count: places.length,
    arrival: places.map((place) => transfers.arrival[place]!),
    departure: places.map((place) => transfers.departure[place]!),
    isSampled: Uint8Array.from(places, (place) => transfers.isSampled[place]!),
  };
}

/** Planned seconds between arrival and departure. */
export function plannedSeconds(table: DatedTripTable, { arrival, departure }: Transfers, place: number): number {
  return table.scheduledDeparture[departure[place]!]! - table.scheduledArrival[arrival[place]!]!;
}

/** Observed seconds between arrival and departure. */
export function observedSeconds(table: DatedTripTable, { arrival, departure }: Transfers, place: number): number {
  return table.departureTime[departure[place]!]! - table.arrivalTime[arrival[place]!]!;
}
