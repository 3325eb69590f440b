import type { Duckdb } from '../../effects/duckdb.ts';
import { readClassTables } from './fare-class-tables.ts';
import { createFareNames } from './fare-names.ts';
import { readPlaceTables } from './fare-place-tables.ts';
import { readProductTables } from './fare-product-tables.ts';
import type { RowCounts } from './feed-views.ts';

/** Reads both generations of fares from the views of `feed-views.ts`, as they lie in the snapshot. */
export async function readFareTables(db: Duckdb, rows: RowCounts) {
  await createFareNames(db);
  return {
    ...(await readClassTables(db, rows)),
    ...(await readPlaceTables(db, rows)),
    ...(await readProductTables(db, rows)),
  };
}
