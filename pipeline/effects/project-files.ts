import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: the same from the sources and from `dist/`, so SQL and data files need no copy. */
export const projectRoot = findProjectRoot(path.dirname(fileURLToPath(import.meta.url)));

function findProjectRoot(from: string): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (folder === path.dirname(folder)) throw new Error(`no package.json above ${from}`);
  }
}

/** @param name path below the project's folder, with forward slashes */
export function projectPath(name: string): string {
  return path.join(projectRoot, ...name.split('/'));
}

export async function readProjectFile(name: string): Promise<string> {
  return readFile(projectPath(name), 'utf8');
}

/** The version of this code, as in package.json. */
export async function readCodeVersion(): Promise<string> {
  return (JSON.parse(await readProjectFile('package.json')) as { version: string }).version;
}

/**
 * Identifies the running code: equal for equal code, on any machine.
 * @returns hexadecimal hash over the code files next to this one's rooms, `.ts` or their compiled form
 */
export async function hashRunningCode(): Promise<string> {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
  const hash = createHash('sha256');
  for (const room of ['api', 'pipeline']) {
    const names = await readdir(path.join(root, room), { recursive: true });
    for (const name of names.filter((file) => /\.(ts|js)$/.test(file)).sort()) {
      hash.update(`${room}/${name.split(path.sep).join('/')}\n`).update(await readFile(path.join(root, room, name)));
    }
  }
  return hash.digest('hex');
}
