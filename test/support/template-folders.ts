import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Folders that are made once and serve all test files of a worker, by what they are made of. They go when the worker
 * ends. Not to be written to.
 * @param prefix of the folders' names
 * @param fill makes the folder's content
 */
export function openTemplateFolders<Input>(
  prefix: string,
  fill: (folder: string, input: Input) => Promise<unknown>,
): (name: string, input: Input) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  const folders: string[] = [];
  process.on('exit', () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const make = async (input: Input) => {
    const folder = await mkdtemp(path.join(tmpdir(), prefix));
    folders.push(folder);
    await fill(folder, input);
    return folder;
  };
  return (name, input) => {
    const known = made.get(name) ?? make(input);
    made.set(name, known);
    return known;
  };
}
