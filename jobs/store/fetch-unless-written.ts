import { readCodeVersion } from '../../pipeline/effects/project-files.ts';
import { assertReadable, findDataFormat, newestFormat } from '../../pipeline/lake/data-format.ts';
import type { FetchOutcome } from '../../pipeline/scale-out/object-store/fetch-outcome.ts';
import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import { fetchIcebergMetadata } from '../../pipeline/scale-out/object-store/iceberg-metadata.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import type { StoreName } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { findBusy } from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { TABLE_FILE, TABLES } from './publish-stores.ts';
import { listHalfReplaced } from './unfinished.ts';

/**
 * Fetches all but what other jobs of this folder are writing.
 * @param isWantedTree narrows the trees by their names; absent: all of these stores
 */
export async function fetchUnlessWritten(
  context: StoreContext,
  stores: readonly StoreName[],
  isWantedTree: (name: string) => boolean = () => true,
): Promise<FetchOutcome> {
  const { log } = context.effects;
  const isBusy = await findBusy(context.dataDir, context.effects.clock);
  await fetchTrees(context, { stores: ['format'], isBusy });
  await assertKnownFormat(context.dataDir);
  const others = stores.filter((store) => store !== 'format');
  const listLeft = (paths: readonly string[]) => listHalfReplaced(context.dataDir, paths);
  const fetched = await fetchTrees(context, { stores: others, isWantedTree, isBusy, listUnfinished: listLeft });
  if (stores.includes(TABLES) && !isBusy(TABLE_FILE)) await fetchIcebergMetadata(context);
  const { files, bytes, removed, overruled, kept } = fetched;
  if (files + removed > 0)
    log.info(`fetched ${files} files (${bytes} bytes) from ${context.store.url}, removed ${removed}`);
  for (const path of overruled)
    log.warn(`${path} was changed here and in the object store; using the version of the store`);
  for (const path of kept) log.warn(`${path} is kept, since it or a file that it names was written here meanwhile`);
  return fetched;
}

/** @throws ExternalError `data_too_new` when a newer program writes the store */
async function assertKnownFormat(dataDir: string): Promise<void> {
  const format = await findDataFormat(dataDir);
  if (format !== null) assertReadable(dataDir, format, await readCodeVersion(), newestFormat());
}
