import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { findPlace, publishedStores, rankOf, type StoreName } from './store-rules.ts';

/** Identifies a file as unchanged since the last scan. Text, as nanoseconds do not fit into numbers. */
export interface Fingerprint {
  readonly bytes: number;
  readonly modifiedNanoseconds: string;
  readonly inode: string;
}

export interface ScannedFile extends Fingerprint {
  /** Below the data folder, with forward slashes. */
  readonly path: string;
  readonly store: StoreName;
  readonly tree: string;
}

interface ScanRequest {
  readonly dataDir: string;
  readonly stores: readonly StoreName[];
  /** Whether files at a path, or below the folder at it, are wanted; absent: all. */
  isWanted?(place: string): boolean;
}

/**
 * Lists the files of stores, by path. What is read first, names what is written first: manifests and pointers are looked
 * at before the data that they name.
 */
export async function scanFolder(request: ScanRequest): Promise<ScannedFile[]> {
  const roots = [...new Set(request.stores.flatMap((store) => [...publishedStores[store].roots]))];
  const paths: string[] = [];
  for (const root of roots) await walk(request, root, paths);
  const order = { pointer: 0, manifest: 1, data: 2 };
  const files: ScannedFile[] = [];
  for (const found of paths.sort((a, b) => order[rankOf(a)] - order[rankOf(b)] || (a < b ? -1 : 1))) {
    const place = findPlace(found);
    if (!place || !request.stores.includes(place.store)) continue;
    const fingerprint = await findFingerprint(request.dataDir, found);
    if (fingerprint) files.push({ path: found, ...place, ...fingerprint });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(request: ScanRequest, place: string, paths: string[]): Promise<void> {
  if (request.isWanted?.(place) === false) return;
  const entries = await listEntries(path.join(request.dataDir, place));
  if (entries === null) {
    paths.push(place);
    return;
  }
  for (const entry of entries) {
    const below = `${place}/${entry.name}`;
    if (entry.isDirectory()) await walk(request, below, paths);
    else if (entry.isFile() && request.isWanted?.(below) !== false) paths.push(below);
  }
}

/** @returns null for a file; none for what is not there */
async function listEntries(folder: string): Promise<Dirent[] | null> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR')) return null;
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** @param place below the data folder. @returns null where there is no file */
export async function findFingerprint(dataDir: string, place: string): Promise<Fingerprint | null> {
  try {
    const facts = await stat(path.join(dataDir, place), { bigint: true });
    if (!facts.isFile()) return null;
    return { bytes: Number(facts.size), modifiedNanoseconds: String(facts.mtimeNs), inode: String(facts.ino) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return null;
    throw error;
  }
}

export function isSameFile(one: Fingerprint | null | undefined, other: Fingerprint | null | undefined): boolean {
  if (!one || !other) return false;
  return (
    one.bytes === other.bytes && one.modifiedNanoseconds === other.modifiedNanoseconds && one.inode === other.inode
  );
}
