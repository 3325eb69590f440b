import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isOfTheSystem } from '../../effects/external-error.ts';
import { projectPath } from '../../effects/project-files.ts';
import { type ArchiveMapping, MappingError, parseMapping } from './archive-mapping.ts';

export interface FoundMapping {
  readonly mapping: ArchiveMapping;
  /** SHA-256 of its text, hexadecimal: a changed mapping may read the same archive differently. */
  readonly hash: string;
}

const FOLDER = 'data/lookups/archives';
const ENDING = '.sql';

/** Names of the mappings that are part of the project. */
export async function listMappings(): Promise<string[]> {
  const files = await readdir(projectPath(FOLDER));
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/**
 * Reads a mapping of the project by its name, or a custom one by its path.
 * @param cwd base of a relative path
 * @throws MappingError if the mapping is missing or its facts are invalid
 */
export async function findMapping(nameOrPath: string, cwd: string): Promise<FoundMapping> {
  const isPath = /[/\\]|\.sql$/.test(nameOrPath);
  const file = isPath ? path.resolve(cwd, nameOrPath) : projectPath(`${FOLDER}/${nameOrPath}${ENDING}`);
  const text = await readMapping(file, nameOrPath);
  try {
    const mapping = parseMapping(path.basename(file, ENDING), text);
    return { mapping, hash: createHash('sha256').update(text).digest('hex') };
  } catch (error) {
    if (error instanceof MappingError) throw new MappingError(`mapping ${nameOrPath}: ${error.message}`);
    throw error;
  }
}

async function readMapping(file: string, nameOrPath: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!isOfTheSystem(error)) throw error;
    if (error.code !== 'ENOENT') throw new MappingError(`mapping ${nameOrPath} cannot be read: ${error.message}`);
    const known = (await listMappings()).join(', ');
    throw new MappingError(`there is no mapping ${nameOrPath}; there are ${known}, or pass your own .sql file`);
  }
}
