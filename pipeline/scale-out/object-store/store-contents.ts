import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { syncFile } from '../../effects/files.ts';
import { hashFile } from '../../effects/hash-file.ts';
import type { StoreContext } from './store-context.ts';
import { hashText, objectKey, type TreeEntry } from './tree-document.ts';

/** JSON files up to this size are stored in the tree itself: a pointer then needs no separate request. */
const MAX_INLINE_BYTES = 1024;

/** Larger contents are looked for before they are sent; for others the look costs as much as sending. */
const LOOK_FIRST_BYTES = 1024 * 1024;

/**
 * Looks at a file and brings its content into the store.
 * @param known hashes of contents that trees in the store refer to; new ones are added
 * @returns its entry; null when the file is gone by now
 * @throws ExternalError `file_changed`; those of the store
 */
export async function storeContent(
  context: StoreContext,
  file: { readonly path: string; readonly held: string; readonly modified: number },
  known: Set<string>,
): Promise<{ readonly entry: TreeEntry; readonly isSent: boolean } | null> {
  try {
    const inline = await readInline(file);
    if (inline) return { entry: inline, isSent: false };
    const { sha256, bytes } = await measure(file.held);
    const isSent = !known.has(sha256) && (await sendContent(context, file.held, sha256, bytes));
    known.add(sha256);
    return { entry: { sha256, bytes, modified: file.modified }, isSent };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

async function readInline({ path: name, held, modified }: { path: string; held: string; modified: number }) {
  if (!name.endsWith('.json')) return null;
  const content = await readFile(held);
  const text = content.toString('utf8');
  if (content.length > MAX_INLINE_BYTES || !Buffer.from(text).equals(content)) return null;
  return { sha256: hashText(text), bytes: content.length, modified, text };
}

async function measure(file: string): Promise<{ sha256: string; bytes: number }> {
  return { sha256: await hashFile(file), bytes: (await stat(file)).size };
}

/**
 * Contents never change, so one that is there is as good as ours. But one that no tree refers to may be collected as
 * garbage at any time: an old one is written again, which makes it young.
 * @returns whether it was sent
 */
async function sendContent(
  { store, keepGarbageHours, effects, signal }: StoreContext,
  file: string,
  sha256: string,
  bytes: number,
): Promise<boolean> {
  const key = objectKey(sha256);
  const isYoung = (modified: number) => effects.clock.nowMilliseconds() - modified < (keepGarbageHours / 2) * 3_600_000;
  const isThere = async () => {
    const found = await store.find(key, signal);
    return found === null ? 'absent' : isYoung(found.modified) ? 'young' : 'old';
  };
  if (bytes > LOOK_FIRST_BYTES) {
    const state = await isThere();
    if (state === 'young') return false;
    if (state === 'old') return sendAgain();
  }
  try {
    await store.upload(key, file, sha256, 'absent', signal);
    return true;
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'write_lost') throw error;
    return (await isThere()) === 'young' ? false : sendAgain();
  }

  async function sendAgain(): Promise<boolean> {
    await store.upload(key, file, sha256, null, signal);
    return true;
  }
}

/**
 * Writes a content into a new file, verified and synced.
 * @returns bytes that came from the store
 * @throws ExternalError `object_missing`; `object_damaged`, when its bytes are not those of its name
 */
export async function fetchContent(
  { store, signal }: StoreContext,
  { sha256, text }: TreeEntry,
  file: string,
): Promise<number> {
  if (text !== undefined) {
    await writeFile(file, text);
    await syncFile(file);
    return 0;
  }
  const key = objectKey(sha256);
  // What is damaged on its way is right the second time.
  for (let attempt = 1; attempt <= 2; attempt++) {
    const found = await store.download(key, file, signal);
    if (found === null) {
      const how = 'run "taktgeber store publish" on a machine that has it, or restore it from a backup of the bucket';
      throw new ExternalError('object_missing', `${store.url}/${key} is missing, and a tree refers to it: ${how}`);
    }
    if (found.sha256 === sha256) return found.bytes;
    await rm(file, { force: true });
  }
  const how = 'remove it, and run "taktgeber store publish" on a machine that has it';
  throw new ExternalError('object_damaged', `${store.url}/${key} does not match the hash in its name: ${how}`);
}
