import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { access, chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from './external-error.ts';
import { assertMayPublish } from './publication-guard.ts';

/**
 * Options of zip entries that make the same content give the same bytes everywhere: the earliest time that a zip can
 * hold. An entry stores local time, so a fixed local time, not a fixed instant, is the same in every zone (hence the
 * only local date of the project); the "universal timestamp" field is off, as it would store that time as an instant.
 */
export const zipEntryOptions = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true } as const;

/**
 * Writes a whole file so that a reader sees the old one or the new one, never a part, also after a crash.
 * @throws the system error of the step that failed, or what `assertMayPublish` throws; the old file is then unchanged
 */
export async function writeFileAtomically(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await makeFolder(path.dirname(file));
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(aside, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await assertMayPublish();
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/**
 * Makes a folder and those above it, where they are missing.
 * @throws the system error that says why it cannot be made: Node names a missing folder where the disk is read-only
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) await access(await findExisting(folder), constants.W_OK);
    throw error;
  }
}

/** Makes a folder that only this user may read, and closes one that others may read. */
export async function makeClosedFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** The folder itself, or the nearest one above it that exists. */
async function findExisting(folder: string): Promise<string> {
  return (await isThere(folder)) ? folder : findExisting(path.dirname(folder));
}

export async function writeJsonAtomically(file: string, value: unknown): Promise<void> {
  await writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The path does not exist or is not a file. */
const NO_FILE_CODES = ['ENOENT', 'EISDIR', 'ENOTDIR'];

/**
 * Reads a JSON object from a file that can be rebuilt.
 * @returns null when the file is missing or damaged
 * @throws the system error of a file that may not be read
 */
export async function findJson<Shape extends object>(file: string): Promise<Shape | null> {
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof content === 'object' && content !== null && !Array.isArray(content) ? (content as Shape) : null;
  } catch (error) {
    if (NO_FILE_CODES.some((code) => isSystemError(error, code)) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Reads the name of a file or folder next to it from a pointer file.
 * @returns null when the pointer is missing or damaged
 */
export async function findPointedId(file: string): Promise<string | null> {
  const pointer = await findJson<{ readonly id?: unknown }>(file);
  return isFileName(pointer?.id) ? pointer.id : null;
}

/** Whether it is a plain file or folder name, without any path. */
export function isFileName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(value);
}

/** Makes renames in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and `levels` parent folders, which may be new as well, survive a power cut. */
export async function syncFolders(folder: string, levels: number): Promise<void> {
  for (let level = 0; level < levels; level++) await syncFolder(path.join(folder, ...Array(level).fill('..')));
}

/** Whether there is a file or folder. */
export async function isThere(place: string): Promise<boolean> {
  try {
    await access(place);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Bytes of a file; 0 for one that is not there. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 0;
    throw error;
  }
}

/** Bytes of all files of a folder and of those below it; 0 for one that is not there. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await listEntries(folder)) {
    const place = path.join(folder, entry.name);
    bytes += entry.isDirectory() ? await sizeOfFolder(place) : await sizeOf(place);
  }
  return bytes;
}

/** Entries of a folder, unordered; empty when that does not exist. */
export async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Names of the folders in a folder, unordered; empty when that does not exist. */
export async function listFolders(folder: string): Promise<string[]> {
  return (await listEntries(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Names in a folder, unordered; empty when the folder does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}
