import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
