import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { listNames, syncFolder, writeFileAtomically } from '../effects/files.ts';

/*
 * A backup folder: `objects/<first two digits>/<sha256>` holds each content once, `backups/<id>.json` states which
 * content was at which path. The statement is written last: a backup without one does not exist.
 */

/** Format of `BackupManifest`. */
const BACKUP_FORMAT = 1;

export interface BackupFile {
  /** Below the data folder, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Permission bits. */
  readonly mode: number;
  /** With path, size and inode, the next backup recognises an unchanged file. */
  readonly modifiedNanoseconds: string;
  readonly inode: string;
}

export interface BackupManifest {
  readonly backupFormat: number;
  /** Format of the data folder. */
  readonly dataFormat: number;
  /** Version of the program. */
  readonly writtenBy: string;
  /** The instant whose state it holds; ISO 8601 UTC. */
  readonly takenAt: string;
  /** By path. */
  readonly files: readonly BackupFile[];
}

export interface StoredBackup extends BackupManifest {
  readonly id: string;
}

export function objectFile(store: string, sha256: string): string {
  return path.join(store, 'objects', sha256.slice(0, 2), sha256);
}

/** Work in progress of backups. */
export function storeWorkFolder(store: string): string {
  return path.join(store, 'tmp');
}

/** Ids of the complete backups, oldest first. */
export async function listBackups(store: string): Promise<string[]> {
  return (await listNames(backupsFolder(store)))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/** @throws ExternalError `backup_damaged`; `backup_too_new` for one that a newer program has written */
export async function readBackup(store: string, id: string): Promise<StoredBackup> {
  const file = manifestFile(store, id);
  const manifest = parseManifest(await readFile(file, 'utf8'));
  if (manifest === null) throw new ExternalError('backup_damaged', `${file} is damaged: choose another with --backup`);
  if (manifest.backupFormat > BACKUP_FORMAT) {
    const formats = `format ${manifest.backupFormat}, and this program reads ${BACKUP_FORMAT}`;
    throw new ExternalError('backup_too_new', `backup ${id} is of ${formats}: use taktgeber ${manifest.writtenBy}`);
  }
  return { ...manifest, id };
}

function parseManifest(text: string): BackupManifest | null {
  try {
    const manifest = JSON.parse(text) as Partial<BackupManifest> | null;
    const isWhole = typeof manifest?.backupFormat === 'number' && Array.isArray(manifest.files);
    return isWhole ? (manifest as BackupManifest) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Writes the statement that completes a backup.
 * @returns its id: the instant of the backup
 */
export async function writeBackup(store: string, manifest: Omit<BackupManifest, 'backupFormat'>): Promise<string> {
  const taken = await listBackups(store);
  const instant = manifest.takenAt.replace(/\.\d+Z$/, 'Z').replaceAll(':', '-');
  let id = instant;
  for (let number = 2; taken.includes(id); number++) id = `${instant}-${number}`;
  // One file per line, so that two backups can be compared.
  const { files, ...head } = { backupFormat: BACKUP_FORMAT, ...manifest };
  const opening = JSON.stringify(head).slice(0, -1);
  const lines = files.map((file) => JSON.stringify(file)).join(',\n');
  await writeFileAtomically(manifestFile(store, id), `${opening},"files":[\n${lines}\n]}\n`, 0o600);
  return id;
}

/**
 * Copies the first bytes of a file into the store.
 * @param aside a file in the store's work folder
 * @returns the hash of the content
 * @throws ExternalError `file_shrank` when the file is shorter
 */
export async function addObject(store: string, source: string, bytes: number, aside: string): Promise<string> {
  const { sha256, length } = await copyHashed(source, aside, { bytes, mode: 0o600 });
  if (length !== bytes) {
    await rm(aside, { force: true });
    throw new ExternalError('file_shrank', `${source} shrank while it was copied`, { isRetryable: true });
  }
  const object = objectFile(store, sha256);
  await mkdir(path.dirname(object), { recursive: true, mode: 0o700 });
  await rename(aside, object);
  return sha256;
}

/**
 * Copies a file and makes the copy survive a power cut.
 * @param bytes maximum size
 * @returns hash and length of what was copied
 */
export async function copyHashed(
  source: string,
  target: string,
  { bytes, mode }: { readonly bytes: number; readonly mode: number },
): Promise<{ readonly sha256: string; readonly length: number }> {
  const hash = createHash('sha256');
  let length = 0;
  const handle = await open(target, 'w', mode);
  try {
    if (bytes > 0) {
      for await (const chunk of createReadStream(source, { end: bytes - 1 }) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        length += chunk.length;
        await handle.writeFile(chunk);
      }
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), length };
}

/** Hashes of all objects with their sizes. */
export async function listObjects(store: string): Promise<Map<string, number>> {
  const objects = new Map<string, number>();
  const root = path.join(store, 'objects');
  for (const folder of await listNames(root)) {
    for (const name of await listNames(path.join(root, folder))) {
      objects.set(name, (await stat(path.join(root, folder, name))).size);
    }
  }
  return objects;
}

/** Hash of a stored object on the disk; null if it is missing. */
export async function measureObject(store: string, sha256: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(objectFile(store, sha256))) hash.update(chunk as Buffer);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
  return hash.digest('hex');
}

/**
 * Removes the oldest backups, then the contents that no remaining one refers to.
 * @returns number of removed backups, and of removed objects
 */
export async function dropOldBackups(
  store: string,
  keep: number,
): Promise<{ readonly backups: number; readonly objects: number }> {
  const ids = await listBackups(store);
  const old = ids.slice(0, Math.max(0, ids.length - keep));
  const needed = new Set<string>();
  for (const id of ids.slice(old.length))
    for (const { sha256 } of (await readBackup(store, id)).files) needed.add(sha256);
  for (const id of old) await rm(manifestFile(store, id));
  // Objects go after the statements that name them, also where the machine fails in between.
  if (old.length > 0) await syncFolder(backupsFolder(store));
  const unneeded = [...(await listObjects(store)).keys()].filter((sha256) => !needed.has(sha256));
  for (const sha256 of unneeded) await rm(objectFile(store, sha256), { force: true });
  return { backups: old.length, objects: unneeded.length };
}

function backupsFolder(store: string): string {
  return path.join(store, 'backups');
}

function manifestFile(store: string, id: string): string {
  return path.join(backupsFolder(store), `${id}.json`);
}
