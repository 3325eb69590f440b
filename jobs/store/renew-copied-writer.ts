import path from 'node:path';
import { findWriter, renewWriter } from '../../pipeline/lake/lake-writer.ts';
import { listSegments } from '../../pipeline/lake/observations/journal.ts';
import { newestSegment } from '../../pipeline/lake/observations/partition-files.ts';
import { observationStateFolder } from '../../pipeline/lake/paths.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { readRemoteTree } from '../../pipeline/scale-out/object-store/commit-tree.ts';
import { readLocalTree } from '../../pipeline/scale-out/object-store/local-state.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { treeOfKey } from '../../pipeline/scale-out/object-store/tree-document.ts';

/**
 * Gives a poller a new id if the store has observations of its present id that are newer than its journal. Then its data
 * folder was restored from a backup or an image of its disk, and its next files would have the names of others.
 * @throws ExternalError those of trees and stores
 */
export async function renewCopiedWriter(context: StoreContext, source: SourceId): Promise<void> {
  const { dataDir, effects } = context;
  const writer = await findWriter(dataDir, source);
  const newest = (await listSegments(observationStateFolder(dataDir, source))).at(-1);
  // A new journal gets a new id anyway.
  if (writer === null || newest === undefined) return;
  if ((await findNewestStored(context, source, writer.id)) < newest) return;
  effects.log.warn(`the store has newer observations of ${source} than this restored data folder: it gets a new id`);
  await renewWriter(dataDir, source, newest - 1);
}

/** The names in the trees suffice; no content is fetched. */
async function findNewestStored(context: StoreContext, source: SourceId, writer: string): Promise<number> {
  const { store, dataDir, signal } = context;
  let newest = 0;
  for await (const { key, etag } of store.list(`trees/days/${source}/`, signal)) {
    const name = treeOfKey(key);
    if (name === null) continue;
    const local = await readLocalTree(dataDir, store, name);
    const { files } = etag === local.etag ? { files: local.remote } : await readRemoteTree(context, name, local);
    const observed = [...files.keys()].filter((file) => file.startsWith('lake/observations/'));
    newest = Math.max(
      newest,
      newestSegment(
        observed.map((file) => path.posix.basename(file)),
        writer,
      ),
    );
  }
  return newest;
}
