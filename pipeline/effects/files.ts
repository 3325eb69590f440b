import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from './world-error.ts';

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

/**
 * Reads a file that can be made anew.
 * @returns null when there is no such file, or a damaged one, which is as good as none
 */
export async function findJson<Shape>(file: string): Promise<Shape | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Shape;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
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
