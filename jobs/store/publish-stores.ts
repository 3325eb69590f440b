import { publishIcebergMetadata } from '../../pipeline/scale-out/object-store/iceberg-metadata.ts';
import { type PublishOutcome, publishTrees } from '../../pipeline/scale-out/object-store/publish-trees.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import type { StoreName } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { listUnfinished } from './unfinished.ts';

export const TABLES: StoreName = 'Iceberg tables';
/** Stands for all of them. */
export const TABLE_FILE = 'iceberg/lake/x/data/0.parquet';

/**
 * Publishes stores; metadata of Iceberg tables after the contents that they name.
 * @param isBusy paths that are left out
 */
export async function publishStores(
  context: StoreContext,
  stores: readonly StoreName[],
  isBusy: (path: string) => boolean = () => false,
): Promise<PublishOutcome> {
  const published = await publishTrees(context, {
    stores,
    isWanted: (place) => !isBusy(place),
    listUnfinished: (paths) => listUnfinished(context.dataDir, paths),
  });
  if (!stores.includes(TABLES) || isBusy(TABLE_FILE)) return published;
  return { ...published, files: published.files + (await publishIcebergMetadata(context)) };
}
