import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { isThere, listNames, writeFileAtomically } from '../../effects/files.ts';
import { claimName } from '../../effects/link-file.ts';
import type { TableMetadata } from './table-metadata.ts';

/**
 * A table in a folder, as every engine that knows Iceberg without a catalog finds it: `metadata/v<n>.metadata.json`, of
 * which the newest is the table, `metadata/version-hint.text` with its number, manifests next to them, and `data`.
 */
export interface TableFolder {
  /** Absolute. */
  readonly folder: string;
  /** The same as readers name it: a URI without a slash at its end. */
  readonly location: string;
  /**
   * URI of a folder of contents, where readers find data files as `<first two digits>/<sha256>`; absent: they are below the
   * location. Here they lie below the folder in any case, each named by its hash.
   */
  readonly objects?: string | undefined;
}

export interface StoredMetadata {
  readonly version: number;
  readonly metadata: TableMetadata;
}

const METADATA_NAME = /^v(\d+)\.metadata\.json$/;

export const HINT_NAME = 'version-hint.text';

export function metadataFolder({ folder }: TableFolder): string {
  return path.join(folder, 'metadata');
}

export function dataFolder({ folder }: TableFolder): string {
  return path.join(folder, 'data');
}

export function metadataName(version: number): string {
  return `v${version}.metadata.json`;
}

/** The URI of a file of the table. @param name below its folder, with forward slashes */
export function toUri({ location, objects }: TableFolder, name: string): string {
  const sha256 = objects === undefined ? null : findHash(name);
  return sha256 === null ? `${location}/${name}` : `${objects}/${sha256.slice(0, 2)}/${sha256}`;
}

/** The hash that a data file is named by; null for other files. @param name of a file, or a URI */
export function findHash(name: string): string | null {
  return /(?:^|\/)([0-9a-f]{64})(?:\.parquet)?$/.exec(name)?.[1] ?? null;
}

/** Whether a URI names a content, which may lie here in several partitions. */
export function isObject({ objects }: TableFolder, uri: string): boolean {
  return objects !== undefined && uri.startsWith(`${objects}/`);
}

/** The path of a file that the metadata name. @throws ExternalError `table_elsewhere` for a file of another location */
export function toPath({ folder, location }: TableFolder, uri: string): string {
  if (!uri.startsWith(`${location}/`)) throw new ExternalError('table_elsewhere', `${uri} is not in ${location}`);
  return path.join(folder, ...uri.slice(location.length + 1).split('/'));
}

/**
 * Reads the newest metadata. The hint may be older than they are, as a process can end between the two: later versions
 * are looked for by their names, without a list of the folder, which is dear where it is in an object store.
 * @returns null where there is no table
 * @throws ExternalError `table_damaged`
 */
export async function readMetadata(table: TableFolder): Promise<StoredMetadata | null> {
  const version = (await findNewestVersion(table)) ?? (await listNewestVersion(table));
  if (version === null) return null;
  const file = path.join(metadataFolder(table), metadataName(version));
  try {
    return { version, metadata: JSON.parse(await readFile(file, 'utf8')) as TableMetadata };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw damaged(file, cause);
  }
}

/**
 * Reads a manifest or a list of manifests.
 * @param decode throws for bytes that are not what was written
 * @throws ExternalError `table_damaged`
 */
export async function readMetadataFile<Result>(
  table: TableFolder,
  uri: string,
  decode: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const file = toPath(table, uri);
  const bytes = await readFile(file);
  try {
    return await decode(bytes);
  } catch (cause) {
    throw damaged(file, cause);
  }
}

function damaged(file: string, cause: unknown): ExternalError {
  const sentence = `${file} is damaged: remove the folder of the table, and publish it again`;
  return new ExternalError('table_damaged', sentence, { cause });
}

/** The last of the versions that follow the hint without a gap; null where it names none. */
async function findNewestVersion(table: TableFolder): Promise<number | null> {
  const hint = await readHint(table);
  const isVersionThere = (version: number) => isThere(path.join(metadataFolder(table), metadataName(version)));
  if (!/^\d+$/.test(hint) || !(await isVersionThere(Number(hint)))) return null;
  let version = Number(hint);
  while (await isVersionThere(version + 1)) version += 1;
  return version;
}

/** By a list of the folder, where there is no hint or it is wrong. */
export async function listNewestVersion(table: TableFolder): Promise<number | null> {
  const names = await listNames(metadataFolder(table));
  const versions = names.map((name) => Number(METADATA_NAME.exec(name)?.[1] ?? -1));
  const version = Math.max(-1, ...versions);
  return version < 0 ? null : version;
}

/**
 * Makes metadata the newest, in one step: only one writer gets a version.
 * @returns false when another writer has taken the version, and nothing changed
 */
export async function commitMetadata(table: TableFolder, { version, metadata }: StoredMetadata): Promise<boolean> {
  const folder = metadataFolder(table);
  await mkdir(folder, { recursive: true });
  const aside = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  await writeSynced(aside, `${JSON.stringify(metadata, null, 2)}\n`);
  try {
    if (!(await claimName(aside, path.join(folder, metadataName(version))))) return false;
  } finally {
    await rm(aside, { force: true });
  }
  await writeHint(table, version);
  return true;
}

/** Lets the hint name the newest metadata, where a process has ended before it did so. */
export async function repairHint(table: TableFolder, version: number): Promise<void> {
  if ((await readHint(table)) !== String(version)) await writeHint(table, version);
}

/** Its text; empty if it does not exist. */
async function readHint(table: TableFolder): Promise<string> {
  const hint = await readFile(path.join(metadataFolder(table), HINT_NAME), 'utf8').catch(ignoreMissing);
  return hint?.trim() ?? '';
}

async function writeHint(table: TableFolder, version: number): Promise<void> {
  await writeFileAtomically(path.join(metadataFolder(table), HINT_NAME), String(version));
}

/** Writes a manifest or a list of manifests under a name that no other file has. */
export async function writeMetadataFile(table: TableFolder, name: string, content: Buffer): Promise<string> {
  const folder = metadataFolder(table);
  await mkdir(folder, { recursive: true });
  await writeSynced(path.join(folder, name), content);
  return toUri(table, `metadata/${name}`);
}

async function writeSynced(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Seconds since 1970 at which a file came to its place; null where it is gone. */
export async function findChangeTime(file: string): Promise<number | null> {
  const found = await stat(file).catch(ignoreMissing);
  return found ? found.ctimeMs / 1000 : null;
}

function ignoreMissing(error: unknown): null {
  if (isSystemError(error, 'ENOENT')) return null;
  throw error;
}
