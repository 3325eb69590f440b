import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: the same from the sources and from `dist/`, so SQL and data files need no copy. */
export const projectRoot = findProjectRoot(path.dirname(fileURLToPath(import.meta.url)));

/** Folder of the rooms of the running code: of the sources, of `dist/`, or of the bundled program in `dist/program/`. */
const codeRoot = new URL('../../', import.meta.url);

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
 * Address of a compiled module that a thread starts with: a bundled caller is in another file than its source.
 * @param name path below the folder of the rooms, as in `api/planning/planner-thread.js`
 */
export function moduleUrl(name: string): URL {
  return new URL(name, codeRoot);
}

/**
 * Identifies the running code: equal for equal code, on any machine.
 * @returns hexadecimal hash over the code files next to this one's rooms, `.ts` or their compiled form
 */
export function hashRunningCode(root = fileURLToPath(codeRoot)): string {
  // The bundler has hashed its files, so that a start need not read them all.
  const hashFile = path.join(root, 'code-hash');
  if (existsSync(hashFile)) return readFileSync(hashFile, 'utf8');
  const hash = createHash('sha256');
  for (const room of ['api', 'pipeline']) {
    const names = readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((file) => /\.(ts|js)$/.test(file)).sort()) {
      // At once, before there are requests: a thousand reads that wait for each other take three times the time.
      hash.update(`${room}/${name.split(path.sep).join('/')}\n`).update(readFileSync(path.join(root, room, name)));
    }
  }
  return hash.digest('hex');
}
