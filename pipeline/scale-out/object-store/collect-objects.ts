import { ExternalError } from '../../effects/external-error.ts';
import { readRemoteTree } from './commit-tree.ts';
import { emptyTree } from './local-state.ts';
import type { StoreContext } from './store-context.ts';
import { treeKey, treeOfKey } from './tree-document.ts';

/** Since when a content was found to be referred to by nothing; milliseconds since 1970, by hash. */
interface GarbageDocument {
  readonly since: Readonly<Record<string, number>>;
}

export interface CollectedObjects {
  /** Trees that were read. */
  readonly trees: number;
  /** Contents that trees refer to. */
  readonly needed: number;
  /** Contents that nothing refers to, and their bytes. */
  readonly garbage: number;
  readonly garbageBytes: number;
  /** Of these, contents that were removed, or would be in a dry run. */
  readonly removed: number;
  readonly removedBytes: number;
}

const GARBAGE_KEY = 'garbage.json';
const OBJECT = /^objects\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

/**
 * Removes contents that no tree refers to, once they were found so in an earlier run at least the grace time ago, and are
 * that old: by then nobody who has read an older tree still needs them, and who publishes an old content again writes it
 * again first. Trees of raw answers that have become empty go as well.
 * @param now milliseconds since 1970; no later than it is
 * @throws ExternalError `write_lost` when another collection runs; those of trees and stores
 */
export async function collectObjects(
  context: StoreContext,
  { now, isDryRun }: { readonly now: number; readonly isDryRun: boolean },
): Promise<CollectedObjects> {
  const grace = context.keepGarbageHours * 3_600_000;
  const found = await readGarbage(context);
  const { trees, needed } = await readNeeded(context, isDryRun ? Number.NEGATIVE_INFINITY : now - grace);
  const since: Record<string, number> = {};
  const due: { readonly key: string; readonly bytes: number }[] = [];
  let garbageBytes = 0;
  for await (const { key, bytes, modified } of context.store.list('objects/', context.signal)) {
    const [, sha256 = ''] = OBJECT.exec(key) ?? [];
    if (sha256 === '' || needed.has(sha256)) continue;
    since[sha256] = Math.min(found.since[sha256] ?? now, now);
    garbageBytes += bytes;
    if (since[sha256] <= now - grace && modified <= now - grace) due.push({ key, bytes });
  }
  const counts = { trees, needed: needed.size, garbage: Object.keys(since).length, garbageBytes };
  if (isDryRun) return { ...counts, removed: due.length, removedBytes: due.reduce((sum, { bytes }) => sum + bytes, 0) };
  await writeGarbage(context, { since }, found.etag);
  return { ...counts, ...(await removeOld(context, due, now - grace)) };
}

/** One that was written again since it was listed stays. */
async function removeOld(context: StoreContext, due: readonly { key: string; bytes: number }[], before: number) {
  const { store, signal } = context;
  let removed = 0;
  let removedBytes = 0;
  for (const { key, bytes } of due) {
    signal?.throwIfAborted();
    const there = await store.find(key, signal);
    if (there === null || there.modified > before) continue;
    await store.remove(key, signal);
    removed++;
    removedBytes += bytes;
  }
  return { removed, removedBytes };
}

/** Hashes that the trees refer to. An error in reading ends the run: nothing is removed by half of them. */
async function readNeeded(context: StoreContext, emptyBefore: number) {
  const { store, signal } = context;
  const needed = new Set<string>();
  let trees = 0;
  for await (const { key, modified } of store.list('trees/', signal)) {
    const name = treeOfKey(key);
    if (name === null) continue;
    const { files } = await readRemoteTree(context, name, emptyTree);
    for (const { sha256 } of files.values()) needed.add(sha256);
    trees++;
    // Nobody writes an hour of the past.
    if (files.size === 0 && name.startsWith('raw/') && modified < emptyBefore)
      await store.remove(treeKey(name), signal);
  }
  return { trees, needed };
}

async function readGarbage({
  store,
  signal,
}: StoreContext): Promise<GarbageDocument & { readonly etag: string | null }> {
  const found = await store.get(GARBAGE_KEY, null, signal);
  if (found === null || found === 'unchanged') return { since: {}, etag: null };
  try {
    const { since } = JSON.parse(found.bytes.toString('utf8')) as Partial<GarbageDocument>;
    return { since: since ?? {}, etag: found.etag };
  } catch (error) {
    // Then all garbage is as good as new.
    if (error instanceof SyntaxError) return { since: {}, etag: found.etag };
    throw error;
  }
}

async function writeGarbage({ store, signal }: StoreContext, garbage: GarbageDocument, etag: string | null) {
  try {
    const content = Buffer.from(`${JSON.stringify(garbage)}\n`);
    await store.put(GARBAGE_KEY, content, etag === null ? 'absent' : { etag }, signal);
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'write_lost') throw error;
    throw new ExternalError('write_lost', 'another machine collects the garbage of the object store', {
      isRetryable: true,
    });
  }
}
