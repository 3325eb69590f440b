import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { listNames, sizeOf } from '../../effects/files.ts';
import { readManifestList, readManifests } from './open-table.ts';
import {
  commitMetadata,
  dataFolder,
  findChangeTime,
  findHash,
  HINT_NAME,
  isObject,
  listNewestVersion,
  metadataFolder,
  metadataName,
  readMetadata,
  repairHint,
  type StoredMetadata,
  type TableFolder,
  toPath,
  toUri,
} from './table-folder.ts';
import { expireSnapshots, noteChange, type SnapshotLimits } from './table-metadata.ts';

interface ExpireRequest extends SnapshotLimits {
  readonly table: TableFolder;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Counts, and changes nothing. */
  readonly isDryRun: boolean;
}

export interface ExpiredTable {
  readonly snapshots: number;
  /** Files that no snapshot needs any more, or never did: leftovers of a crash. */
  readonly files: number;
  readonly bytes: number;
  /** Milliseconds since 1970: when the table was last changed, by the clock of then. */
  readonly changedAtMilliseconds: number;
}

/**
 * Files that no metadata name are kept for this long after they were written: a writer that has not committed yet
 * may be about to name them.
 */
const UNNAMED_STAYS_MILLISECONDS = 3_600_000;

/**
 * Forgets snapshots of a table that are older than the limits, and removes the files that none of the others needs. A
 * file that a snapshot of the newest metadata needs is never removed.
 * @returns null where there is no table, or another writer was faster: the next run does it
 */
export async function expireTable(request: ExpireRequest): Promise<ExpiredTable | null> {
  const { table, now, isDryRun } = request;
  const stored = await readMetadata(table);
  if (!stored || stored.metadata.location !== table.location) return null;
  const expired = expireSnapshots(stored.metadata, request);
  const snapshots = stored.metadata.snapshots.length - expired.snapshots.length;
  const changedAtMilliseconds = stored.metadata['last-updated-ms'];
  if (isDryRun) {
    const unneeded = await listUnneeded(table, { ...stored, metadata: expired }, now);
    return { snapshots, files: unneeded.length, bytes: await sumSizes(unneeded), changedAtMilliseconds };
  }
  await repairHint(table, stored.version);
  let newest = stored;
  if (snapshots > 0) {
    const beforeFile = toUri(table, `metadata/${metadataName(stored.version)}`);
    newest = { version: stored.version + 1, metadata: noteChange(expired, now, beforeFile) };
    if (!(await commitMetadata(table, newest))) return null;
  }
  // Nothing is removed by metadata that are not the newest: later ones may need it.
  if ((await listNewestVersion(table)) !== newest.version) return null;
  const unneeded = await listUnneeded(table, newest, now);
  const bytes = await sumSizes(unneeded);
  for (const file of unneeded) await rm(file, { force: true });
  return { snapshots, files: unneeded.length, bytes, changedAtMilliseconds };
}

/** Absolute paths of the files of the table that nothing in its newest metadata names. */
async function listUnneeded(table: TableFolder, newest: StoredMetadata, now: number): Promise<string[]> {
  const needed = await listNeeded(table, newest);
  const unneeded: string[] = [];
  for (const file of await listAllFiles(table)) {
    // A content is needed in whatever partition it lies.
    const sha256 = table.objects === undefined ? null : findHash(file);
    if (needed.has(file) || (sha256 !== null && needed.has(sha256))) continue;
    const changedAt = await findChangeTime(file);
    if (changedAt !== null && changedAt * 1000 + UNNAMED_STAYS_MILLISECONDS <= now) unneeded.push(file);
  }
  return unneeded;
}

async function listNeeded(table: TableFolder, { version, metadata }: StoredMetadata): Promise<Set<string>> {
  const folder = metadataFolder(table);
  const needed = new Set([path.join(folder, HINT_NAME), path.join(folder, metadataName(version))]);
  const add = (uri: string) => needed.add(toPath(table, uri));
  for (const entry of metadata['metadata-log']) add(entry['metadata-file']);
  for (const snapshot of metadata.snapshots) {
    add(snapshot['manifest-list']);
    for (const { path: manifest } of await readManifestList(table, snapshot)) add(manifest);
    for (const { entries } of await readManifests(table, metadata, snapshot)) {
      for (const { file } of entries) {
        if (isObject(table, file.path)) needed.add(findHash(file.path)!);
        else add(file.path);
      }
    }
  }
  return needed;
}

async function listAllFiles(table: TableFolder): Promise<string[]> {
  const names = await listNames(metadataFolder(table));
  const files = names.map((name) => path.join(metadataFolder(table), name));
  try {
    const entries = await readdir(dataFolder(table), { recursive: true, withFileTypes: true });
    files.push(...entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  return files;
}

async function sumSizes(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += await sizeOf(file);
  return bytes;
}
