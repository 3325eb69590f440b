import { mkdir, rename, rm, statfs, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Effects } from '../effects/effects.ts';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { listNames, syncFolder } from '../effects/files.ts';
import { sweepTemporaryFolders, withTemporaryFolder } from '../effects/temporary-folders.ts';
import { assertReadable } from '../lake/data-format.ts';
import { workFolder } from '../lake/paths.ts';
import { type BackupFile, copyHashed, measureObject, objectFile, type StoredBackup } from './backup-store.ts';
import { percentOf } from './make-backup.ts';
import { findRestoreMark, REPLACED_PREFIX, RESTORE_MARK, removeRestoreMark, writeRestoreMark } from './restore-mark.ts';

export interface RestoreRequest {
  readonly store: string;
  readonly backup: StoredBackup;
  readonly dataDir: string;
  /** Whether a folder with data may be replaced; its content is moved aside. */
  readonly isForced: boolean;
  /** Version of this program. */
  readonly program: string;
  readonly signal: AbortSignal;
}

export interface RestoreOutcome {
  readonly files: number;
  readonly bytes: number;
  /** Folder that received the former content; null when there was none. */
  readonly replaced: string | null;
}

/** Names in a data folder that a restore neither counts nor moves: its own, and what belongs to the system. */
const isOwn = (name: string) => ['tmp', 'lost+found', RESTORE_MARK].includes(name) || name.startsWith(REPLACED_PREFIX);

/** The configuration may be in the data folder before anything else is. */
const isConfiguration = (name: string) => /^taktgeber\.(yaml|yml|json)$/.test(name);

/**
 * Restores a backup: all files are copied aside and compared with their hashes, then the content of the folder is
 * exchanged by renames. Killed before the exchange, it has changed nothing; killed during the exchange, the folder is
 * refused by every command until a restore has completed it.
 * @throws ExternalError `data_folder_not_empty`, `backup_damaged`, `data_too_new`, `disk_too_small`
 */
export async function restoreBackup(
  request: RestoreRequest,
  effects: Pick<Effects, 'clock' | 'log'>,
): Promise<RestoreOutcome> {
  const { backup, dataDir, isForced, program, signal } = request;
  assertReadable(dataDir, backup.dataFormat, program);
  await mkdir(dataDir, { recursive: true });
  await assertMayReplace(dataDir, isForced);
  const now = effects.clock.nowMilliseconds();
  for (const failure of await sweepTemporaryFolders(workFolder(dataDir), now)) effects.log.warn(failure);
  const bytes = backup.files.reduce((sum, file) => sum + file.bytes, 0);
  await assertRoom(dataDir, bytes);
  const replaced = await withTemporaryFolder(workFolder(dataDir), async (staging) => {
    await copyAside(request, staging, bytes, effects);
    signal.throwIfAborted();
    return exchange(request, staging, new Date(now).toISOString());
  });
  return { files: backup.files.length, bytes, replaced };
}

async function assertMayReplace(dataDir: string, isForced: boolean): Promise<void> {
  const occupied = (await listNames(dataDir)).filter((name) => !isOwn(name) && !isConfiguration(name));
  // Leftovers of an interrupted restore are not data.
  if (occupied.length === 0 || isForced || (await findRestoreMark(dataDir))) return;
  throw new ExternalError(
    'data_folder_not_empty',
    `${dataDir} contains data (${occupied.slice(0, 3).join(', ')} …). Choose another folder with --data, or move its content aside with --force`,
  );
}

async function assertRoom(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= bytes) return;
  const megabytes = (count: number) => `${Math.ceil(count / 1e6).toLocaleString('en')} MB`;
  throw new ExternalError(
    'disk_too_small',
    `the backup needs ${megabytes(bytes)}, but ${dataDir} has only ${megabytes(bavail * bsize)} free`,
  );
}

async function copyAside(
  { store, backup, signal }: RestoreRequest,
  staging: string,
  total: number,
  { log }: Pick<Effects, 'log'>,
): Promise<void> {
  const folders = new Set<string>();
  let done = 0;
  for (const [index, file] of backup.files.entries()) {
    signal.throwIfAborted();
    const target = path.join(staging, ...file.path.split('/'));
    const folder = path.dirname(target);
    // A folder of private files is private as well.
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: file.mode & 0o077 ? 0o755 : 0o700 });
    folders.add(folder);
    await copyFile(store, file, target);
    done += file.bytes;
    log.progress(`restore: ${index + 1} of ${backup.files.length} files, ${percentOf(done, total)} % of the bytes`);
  }
  for (const folder of folders) await syncFolder(folder);
}

async function copyFile(store: string, file: BackupFile, target: string): Promise<void> {
  const source = objectFile(store, file.sha256);
  const copied = await copyHashed(source, target, file).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  });
  if (copied?.sha256 !== file.sha256) {
    const what = copied === null ? 'is missing' : 'is damaged';
    throw new ExternalError(
      'backup_damaged',
      `the content of ${file.path} ${what} in the backup (${source}): nothing was restored; choose another with --backup`,
    );
  }
  const modified = Number(file.modifiedNanoseconds) / 1e9;
  await utimes(target, modified, modified);
}

/** @returns the folder with the former content; null when there was none */
async function exchange({ dataDir, backup }: RestoreRequest, staging: string, nowText: string): Promise<string | null> {
  const restored = await listNames(staging);
  const mark = (await findRestoreMark(dataDir)) ?? {
    replaced: `${REPLACED_PREFIX}${nowText.replace(/\.\d+Z$/, 'Z').replaceAll(':', '-')}`,
    former: await listReplaced(dataDir, restored),
  };
  await writeRestoreMark(dataDir, { ...mark, backup: backup.id });
  const replaced = path.join(dataDir, mark.replaced);
  const moved = await listNames(replaced);
  for (const entry of await listReplaced(dataDir, restored)) {
    if (mark.former.includes(entry) && !moved.includes(entry)) {
      await mkdir(replaced, { recursive: true });
      await rename(path.join(dataDir, entry), path.join(replaced, entry));
    } else await rm(path.join(dataDir, entry), { recursive: true });
  }
  for (const entry of restored) await rename(path.join(staging, entry), path.join(dataDir, entry));
  await syncFolder(dataDir);
  await removeRestoreMark(dataDir);
  return mark.former.length > 0 ? replaced : null;
}

/** Names in the data folder that make room for the restored ones; a configuration stays unless the backup has one. */
async function listReplaced(dataDir: string, restored: readonly string[]): Promise<string[]> {
  return (await listNames(dataDir)).filter(
    (name) => !isOwn(name) && (restored.includes(name) || !isConfiguration(name)),
  );
}

/**
 * Compares every content of backups with its hash.
 * @returns one sentence per content that is missing or damaged
 */
export async function verifyBackups(
  store: string,
  backups: readonly StoredBackup[],
  { log }: Pick<Effects, 'log'>,
  signal: AbortSignal,
): Promise<string[]> {
  const paths = new Map(backups.flatMap(({ files }) => files.map((file) => [file.sha256, file.path] as const)));
  const problems: string[] = [];
  let done = 0;
  for (const [sha256, name] of paths) {
    signal.throwIfAborted();
    const measured = await measureObject(store, sha256);
    if (measured !== sha256) {
      const what = measured === null ? 'is missing' : 'is damaged';
      problems.push(`the content of ${name} ${what}: ${objectFile(store, sha256)}`);
    }
    log.progress(`verify: ${++done} of ${paths.size} contents`);
  }
  return problems;
}
