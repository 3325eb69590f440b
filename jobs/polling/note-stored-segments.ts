import path from 'node:path';
import { sortOut } from '../../pipeline/lake/observations/partition-files.ts';
import { noteStoredSegment } from '../../pipeline/lake/observations/stored-segment.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { readRemoteTree } from '../../pipeline/object-store/commit-tree.ts';
import { readLocalTree } from '../../pipeline/object-store/local-state.ts';
import type { StoreContext } from '../../pipeline/object-store/store-context.ts';
import { treeOfKey } from '../../pipeline/object-store/tree-document.ts';

/**
 * Notes for each source how far the observations of all machines go, so that the files of this one get other names and
 * are not covered by a compacted file. The names in the trees suffice; no content is fetched.
 * @throws WorldError those of trees and stores
 */
export async function noteStoredSegments(context: StoreContext, sources: readonly SourceId[]): Promise<void> {
  for (const source of sources) {
    const newest = await findNewestStored(context, source);
    if (newest > 0) await noteStoredSegment(context.dataDir, source, newest);
  }
}

async function findNewestStored(context: StoreContext, source: SourceId): Promise<number> {
  const { store, dataDir, signal } = context;
  let newest = 0;
  for await (const { key, etag } of store.list(`trees/days/${source}/`, signal)) {
    const name = treeOfKey(key);
    if (name === null) continue;
    const local = await readLocalTree(dataDir, store, name);
    const { files } = etag === local.etag ? { files: local.remote } : await readRemoteTree(context, name, local);
    const observed = [...files.keys()].filter((file) => file.startsWith('lake/observations/'));
    newest = Math.max(newest, sortOut(observed.map((file) => path.posix.basename(file))).newest);
  }
  return newest;
}
