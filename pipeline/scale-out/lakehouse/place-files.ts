import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { listNames, syncFolder } from '../../effects/files.ts';
import { hashFile } from '../../effects/hash-file.ts';
import { linkOrCopy } from '../../effects/link-file.ts';
import type { PlacedDataFile } from '../iceberg/publish-table.ts';
import { dataFolder, type TableFolder } from '../iceberg/table-folder.ts';
import type { LakeFile } from './list-lake-files.ts';

/** Digits of the hash of its content that name a file; all of them where it is a content of an object store. */
const NAME_DIGITS = 32;
const HASH_DIGITS = 64;
const digitsOf = ({ objects }: TableFolder) => (objects === undefined ? NAME_DIGITS : HASH_DIGITS);

/**
 * Gives files of the lake places in the folder of a table: each a second name of the same bytes, by their content, so
 * that a reader keeps them when their job replaces or removes them in the lake.
 * @param work a folder on the same disk
 */
export async function placeFiles(
  table: TableFolder,
  files: readonly LakeFile[],
  work: string,
): Promise<readonly PlacedDataFile[]> {
  const found = await findPlaces(table, files);
  const placed: PlacedDataFile[] = [];
  for (const [i, { file, folder, partition }] of files.entries()) {
    const name = found[i] ?? `data/${folder}/${await placeFile(file, placeOf(table, folder), work, digitsOf(table))}`;
    placed.push({ name, partition });
  }
  return placed;
}

/** Names of those among the files that have a place already; null for others. Changes nothing. */
export async function findPlaces(table: TableFolder, files: readonly LakeFile[]): Promise<(string | null)[]> {
  const places = new Map<string, ReadonlyMap<string, string>>();
  const names: (string | null)[] = [];
  for (const { file, folder } of files) {
    if (!places.has(folder)) places.set(folder, await listPlaces(placeOf(table, folder), digitsOf(table)));
    const name = places.get(folder)!.get(await identify(file));
    names.push(name === undefined ? null : `data/${folder}/${name}`);
  }
  return names;
}

function placeOf(table: TableFolder, folder: string): string {
  return path.join(dataFolder(table), ...folder.split('/'));
}

async function placeFile(file: string, target: string, work: string, digits: number): Promise<string> {
  const aside = path.join(work, randomBytes(8).toString('hex'));
  await mkdir(work, { recursive: true });
  // Held before it is read, so that it is the hash of these bytes whatever becomes of the file.
  await linkOrCopy(file, aside);
  try {
    const name = `${(await hashFile(aside)).slice(0, digits)}.parquet`;
    await mkdir(target, { recursive: true });
    await rename(aside, path.join(target, name));
    await syncFolder(target);
    return name;
  } finally {
    // A rename onto another name of the same file leaves both.
    await rm(aside, { force: true });
  }
}

/** The files of a folder by what distinguishes them from others. */
async function listPlaces(folder: string, digits: number): Promise<ReadonlyMap<string, string>> {
  const names = (await listNames(folder)).filter((name) => path.parse(name).name.length >= digits);
  return new Map(
    await Promise.all(names.map(async (name) => [await identify(path.join(folder, name)), name] as const)),
  );
}

/** Equal for the names of one file, and for a copy of it; files of the lake are replaced, never modified. */
async function identify(file: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(file);
    return `${size} ${Math.trunc(mtimeMs)}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return '';
    throw error;
  }
}
