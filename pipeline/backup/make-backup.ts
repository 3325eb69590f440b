import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Effects } from '../effects/effects.ts';
import { ExternalError } from '../effects/external-error.ts';
import { readCodeVersion } from '../effects/project-files.ts';
import { createTemporaryFolderName, sweepTemporaryFolders, withTemporaryFolder } from '../effects/temporary-folders.ts';
import { findDataFormat } from '../lake/data-format.ts';
import { workFolder } from '../lake/paths.ts';
import {
  addObject,
  type BackupFile,
  listBackups,
  listObjects,
  readBackup,
  type StoredBackup,
  storeWorkFolder,
  writeBackup,
} from './backup-store.ts';
import { type CapturedFile, captureFolder } from './capture-folder.ts';
import { copySqlite } from './copy-sqlite.ts';

export interface BackupRequest {
  readonly dataDir: string;
  /** The folder of the backups. */
  readonly store: string;
  /** SQLite file of the watches; null where they are in another database. Other ones are known by their ending. */
  readonly watchesFile: string | null;
  readonly signal: AbortSignal;
}

export interface BackupOutcome {
  readonly id: string;
  readonly files: number;
  readonly bytes: number;
  /** Contents that no earlier backup had. */
  readonly newObjects: number;
  readonly newBytes: number;
}

type BackupEffects = Pick<Effects, 'clock' | 'log' | 'sleep'>;

/**
 * Adds a backup of a data folder to a store. An interrupted one leaves nothing but contents that the next one uses.
 * @throws ExternalError `backup_unsettled`, `nothing_to_back_up`, `database_not_copied`; the system error of a full disk
 */
export async function makeBackup(request: BackupRequest, effects: BackupEffects): Promise<BackupOutcome> {
  const { dataDir, store, signal } = request;
  const dataFormat = await findDataFormat(dataDir);
  if (dataFormat === null) throw new ExternalError('nothing_to_back_up', `${dataDir} contains no data`);
  await mkdir(store, { recursive: true });
  // Secrets are among the contents.
  await chmod(store, 0o700);
  const now = effects.clock.nowMilliseconds();
  for (const parent of [workFolder(dataDir), storeWorkFolder(store)]) {
    for (const failure of await sweepTemporaryFolders(parent, now)) effects.log.warn(failure);
  }
  return withTemporaryFolder(workFolder(dataDir), async (staging) => {
    const captured = await captureAll(request, staging, effects);
    const takenAt = new Date(effects.clock.nowMilliseconds()).toISOString();
    signal.throwIfAborted();
    const { files, added } = await storeFiles(captured, store, effects, signal);
    const writtenBy = await readCodeVersion();
    const id = await writeBackup(store, { dataFormat, writtenBy, takenAt, files });
    return { id, files: files.length, bytes: sumBytes(files), newObjects: added.count, newBytes: added.bytes };
  });
}

async function captureAll(
  { dataDir, watchesFile }: BackupRequest,
  staging: string,
  effects: BackupEffects,
): Promise<readonly CapturedFile[]> {
  const watches = watchesFile === null ? null : toDataPath(dataDir, watchesFile);
  const isDatabase = (file: string) => file === watches || file.endsWith('.sqlite');
  const { files, databases } = await captureFolder(dataDir, path.join(staging, 'links'), isDatabase, effects);
  const copies: CapturedFile[] = [];
  for (const [index, name] of databases.entries()) {
    copies.push(await copyDatabase(path.join(dataDir, name), name, path.join(staging, `${index}.sqlite`)));
  }
  return [...files, ...copies].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function copyDatabase(original: string, name: string, copy: string): Promise<CapturedFile> {
  await copySqlite(original, copy);
  const facts = await stat(copy, { bigint: true });
  return {
    path: name,
    held: copy,
    bytes: Number(facts.size),
    mode: 0o600,
    modifiedNanoseconds: String(facts.mtimeNs),
    inode: String(facts.ino),
  };
}

/** @returns the path below the data folder, with forward slashes; null for a file elsewhere */
export function toDataPath(dataDir: string, file: string): string | null {
  const relative = path.relative(dataDir, file);
  const isElsewhere = relative === '' || relative.startsWith('..') || path.isAbsolute(relative);
  return isElsewhere ? null : relative.split(path.sep).join('/');
}

async function storeFiles(
  captured: readonly CapturedFile[],
  store: string,
  { log }: BackupEffects,
  signal: AbortSignal,
) {
  const known = await openMemory(store);
  const total = captured.reduce((sum, { bytes }) => sum + bytes, 0);
  const added = { count: 0, bytes: 0 };
  const files: BackupFile[] = [];
  let done = 0;
  await withTemporaryFolder(storeWorkFolder(store), async (aside) => {
    for (const { held, ...file } of captured) {
      signal.throwIfAborted();
      let sha256 = known.findHash(file);
      if (sha256 === null) {
        sha256 = await addObject(store, held, file.bytes, path.join(aside, await createTemporaryFolderName()));
        if (!known.objects.has(sha256)) {
          known.objects.set(sha256, file.bytes);
          added.count++;
          added.bytes += file.bytes;
        }
      }
      files.push({ ...file, sha256 });
      done += file.bytes;
      log.progress(`backup: ${files.length} of ${captured.length} files, ${percentOf(done, total)} % of the bytes`);
    }
  });
  return { files, added };
}

/** Facts about files in earlier backups: an unchanged file is not read again. */
async function openMemory(store: string) {
  const objects = await listObjects(store);
  const newest = (await listBackups(store)).at(-1);
  const last: StoredBackup | null = newest === undefined ? null : await readBackup(store, newest);
  const byPath = new Map(last?.files.map((file) => [file.path, file]));
  return {
    objects,
    findHash: (file: Omit<CapturedFile, 'held'>): string | null => {
      const before = byPath.get(file.path);
      const isSame =
        before !== undefined &&
        before.bytes === file.bytes &&
        before.inode === file.inode &&
        before.modifiedNanoseconds === file.modifiedNanoseconds;
      // An object of another size is damaged, and is replaced.
      return isSame && objects.get(before.sha256) === file.bytes ? before.sha256 : null;
    },
  };
}

function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((100 * part) / whole);
}
