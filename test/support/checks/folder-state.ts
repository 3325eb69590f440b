import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** Every file below a folder with a hash of its bytes. */
export async function hashFiles(folder: string, isWanted = (_file: string) => true): Promise<Map<string, string>> {
  const state = await readFolderState(folder, isWanted);
  return new Map([...state].map(([name, text]) => [name, text.split(' ')[1]!]));
}

/** Every file below a folder with its time of change and a hash of its bytes: equal states are equal folders. */
export async function readFolderState(
  folder: string,
  isWanted = (_file: string) => true,
): Promise<Map<string, string>> {
  const state = new Map<string, string>();
  for (const entry of (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    if (!isWanted(name)) continue;
    const bytes = await readFile(file);
    state.set(name, `${(await stat(file)).mtimeMs} ${createHash('sha256').update(bytes).digest('hex')}`);
  }
  return new Map([...state].sort());
}
