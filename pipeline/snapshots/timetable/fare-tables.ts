import type { Duckdb } from '../../effects/duckdb.ts';
import type { FeedManifest } from '../../lake/feed-manifest.ts';
import { readClassTables } from './fare-class-tables.ts';
import { createFareNames } from './fare-names.ts';
import { readPlaceTables } from './fare-place-tables.ts';
import { readProductTables } from './fare-product-tables.ts';

/** Reads both generations of fares from the views of `feed-views.ts`, as they lie in the snapshot. */
export async function readFareTables(db: Duckdb, feeds: readonly FeedManifest[]) {
  await createFareNames(db);
  return {
    ...(await readClassTables(db, feeds)),
    ...(await readPlaceTables(db, feeds)),
    ...(await readProductTables(db, feeds)),
  };
}
