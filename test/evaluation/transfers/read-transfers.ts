import { type Duckdb, readSql } from '../../../pipeline/effects/duckdb.ts';
import { readColumns } from '../../../pipeline/effects/read-columns.ts';
import type { Transfers } from '../../../pipeline/predictions/past-transfers/find-transfers.ts';

/** All changes of an archive between two trains; ordered by arrival and departure. */
interface ArchivedTransfers extends Transfers {
  /** 1 for the sample that is scored, by the hash of the protocol. */
  readonly isSampled: Uint8Array;
}

/** Reads the changes of the window; `run_calls` and `archive` must be loaded. */
export async function readTransfers(db: Duckdb): Promise<ArchivedTransfers> {
  const select = await readSql('test/evaluation/sql/transfer_pairs.sql');
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

/** The transfers that are scored. */
export function pickSample({ arrival, departure, isSampled }: ArchivedTransfers): Transfers {
  const isKept = (_: number, place: number) => isSampled[place] === 1;
  const kept = arrival.filter(isKept);
  return { count: kept.length, arrival: kept, departure: departure.filter(isKept) };
}
