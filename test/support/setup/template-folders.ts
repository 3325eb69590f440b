import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { RUN_FOLDER } from './memory-folder.ts';

/**
 * Folders that are made once and serve all test files of a run, by what they are made of. They go when the run ends.
 * Not to be written to.
 * @param prefix of the folders' names
 * @param fill makes the folder's content
 */
export function openTemplateFolders<Input>(
  prefix: string,
  fill: (folder: string, input: Input) => Promise<unknown>,
): (name: string, input: Input) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  const make = async (name: string, input: Input) => {
    const runFolder = findRunFolder();
    const folder = path.join(runFolder, `${prefix}${createHash('sha256').update(name).digest('hex')}`);
    if (existsSync(folder)) return folder;
    const aside = await mkdtemp(path.join(runFolder, prefix));
    await fill(aside, input);
    // Another worker may have made the same meanwhile.
    await rename(aside, folder).catch(() => rm(aside, { recursive: true }));
    return folder;
  };
  return (name, input) => {
    const known = made.get(name) ?? make(name, input);
    made.set(name, known);
    return known;
  };
}

let ownFolder: string | undefined;

/** Of all workers of this run; of this worker, where the suite has no folder for its run. */
function findRunFolder(): string {
  const shared = process.env[RUN_FOLDER];
  if (shared !== undefined) return shared;
  if (ownFolder === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), 'taktgeber-templates-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    ownFolder = folder;
  }
  return ownFolder;
}
