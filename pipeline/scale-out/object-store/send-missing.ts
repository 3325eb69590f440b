import path from 'node:path';
import { forEachConcurrently } from '../../effects/concurrency.ts';
import { readRemoteTree } from './commit-tree.ts';
import { readLocalTree } from './local-state.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import { storeContent } from './store-contents.ts';
import type { StoreContext } from './store-context.ts';
import { objectKey, treeOfKey } from './tree-document.ts';

interface SentMissing {
  readonly sent: number;
  /** Contents that trees refer to, and that neither the store nor this folder has. */
  readonly stillMissing: number;
}

interface LostContent {
  /** A file of this folder that has it; null: none does. */
  readonly file: { readonly path: string; readonly modified: number } | null;
}

/**
 * Sends contents that trees refer to and the store has lost, where this folder has them. A publication does not: it takes
 * what a tree refers to for stored. It lists all contents, so only operators run it.
 * @throws ExternalError those of trees and stores
 */
export async function sendMissing(context: StoreContext): Promise<SentMissing> {
  const lost = await findLost(context);
  const here = lost.filter(({ file }) => file !== null);
  await forEachConcurrently(here, context.concurrency, async ({ file }) => {
    await storeContent(context, { ...file!, held: path.join(context.dataDir, file!.path) }, new Set());
  });
  return { sent: here.length, stillMissing: lost.length - here.length };
}

async function findLost(context: StoreContext): Promise<LostContent[]> {
  const { store, dataDir, signal } = context;
  const stored = new Set<string>();
  for await (const { key } of store.list('objects/', signal)) stored.add(key);
  const lost = new Map<string, LostContent>();
  for await (const { key } of store.list('trees/', signal)) {
    const name = treeOfKey(key);
    if (name === null) continue;
    const local = await readLocalTree(dataDir, store, name);
    const { files } = await readRemoteTree(context, name, local);
    for (const [place, { sha256, text, modified }] of files) {
      if (text !== undefined || stored.has(objectKey(sha256)) || lost.get(sha256)?.file) continue;
      const common = local.common.get(place);
      const isHere = common?.sha256 === sha256 && isSameFile(await findFingerprint(dataDir, place), common);
      lost.set(sha256, { file: isHere ? { path: place, modified } : null });
    }
  }
  return [...lost.values()];
}
