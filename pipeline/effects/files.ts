import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from './world-error.ts';

/**
 * How files go into a zip that we pack ourselves, so that the same content gives the same bytes everywhere: the first
 * moment that a zip can name. An entry holds what a local clock shows, so a fixed clock reading, not a fixed instant, is
 * the same in every zone (hence the one local date of the project); and no "universal timestamp" field beside it, which
 * would hold that reading as an instant.
 */
export const zipEntryOptions = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true } as const;

/**
 * Writes a whole file so that a reader sees the old one or the new one, never a part, also after a crash.
 * @throws the system error of the step that failed; the file of before then still stands
 */
export async function writeFileAtomically(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(aside, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

export async function writeJsonAtomically(file: string, value: unknown): Promise<void> {
  await writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Nothing is there, or something that is no file. */
const NO_FILE_CODES = ['ENOENT', 'EISDIR', 'ENOTDIR'];

/**
 * Reads an object from a file that can be made anew.
 * @returns null when there is no such file, or a damaged one, which is as good as none
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
 * Reads which of the folders or files beside it a pointer names.
 * @returns null when there is no pointer, or a damaged one
 */
export async function findPointedId(file: string): Promise<string | null> {
  const pointer = await findJson<{ readonly id?: unknown }>(file);
  return isFileName(pointer?.id) ? pointer.id : null;
}

/** Whether it can name a file or a folder, and leads nowhere else. */
export function isFileName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(value);
}

/** Makes renames in a folder outlive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder outlive a power cut together with folders around it that may be as new as itself. */
export async function syncFolders(folder: string, levels: number): Promise<void> {
  for (let level = 0; level < levels; level++) await syncFolder(path.join(folder, ...Array(level).fill('..')));
}

export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Names in a folder, in no order; none when there is no such folder. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}
