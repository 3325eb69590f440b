import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { findJson } from '../effects/files.ts';

/** A snapshot of marts: one file for each table and month, as of one instant. */
export interface MartSnapshotKind {
  readonly kind: string;
  /** Raised with every change of the tables: a snapshot of another format is refused by name. */
  readonly formatVersion: number;
  /** The job that publishes it. */
  readonly job: string;
}

/** A file of a snapshot: the rows of one table of one month. */
export interface MartFile<Table extends string> {
  readonly table: Table;
  /** `YYYY-MM` */
  readonly month: string;
  readonly bytes: number;
  /** SHA-256 of the bytes. */
  readonly hash: string;
}

export interface MartManifest<Table extends string> {
  readonly kind: string;
  readonly formatVersion: number;
  /** Hash of its files: equal marts are the same snapshot. */
  readonly id: string;
  readonly createdAt: string;
  readonly files: readonly MartFile<Table>[];
}

/** Path of a file below the snapshot's folder. */
export function martSnapshotFile({ table, month }: { readonly table: string; readonly month: string }): string {
  return path.join(table, `month=${month}`, 'part-0.parquet');
}

/**
 * Reads the manifest of a snapshot, and checks that all of its files are there.
 * @param folder where the snapshots of this kind are
 * @throws ExternalError `snapshot_damaged`
 */
export async function readMartManifest(
  folder: string,
  id: string,
  { kind, formatVersion, job }: MartSnapshotKind,
): Promise<MartManifest<string>> {
  const damaged = (what: string) => new ExternalError('snapshot_damaged', `${kind} snapshot ${id}${what}`);
  const manifest = await findJson<MartManifest<string>>(path.join(folder, id, 'manifest.json'));
  if (manifest?.kind !== kind) throw damaged(` has no manifest: run ${job}`);
  if (manifest.formatVersion !== formatVersion) {
    throw damaged(` is of format ${manifest.formatVersion}, and this version reads ${formatVersion}: run ${job}`);
  }
  for (const file of manifest.files) {
    const bytes = await findSize(path.join(folder, id, martSnapshotFile(file)));
    if (bytes === file.bytes) continue;
    const found = bytes === null ? 'is missing' : `has ${bytes} bytes instead of ${file.bytes}`;
    throw damaged(`: ${martSnapshotFile(file)} ${found}`);
  }
  return manifest;
}

async function findSize(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
