import path from 'node:path';
import { ExternalError } from '../effects/external-error.ts';
import { findJson, findPointedId } from '../effects/files.ts';
import {
  TIMETABLE_FORMAT_VERSION,
  type TimetableManifest,
  type TimetableSnapshot,
  type TimetableTables,
  timetableTables,
} from './timetable-contract.ts';

export function timetableSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'timetable');
}

/** @returns the id of the published snapshot; null if none was ever published */
export async function findCurrentTimetableId(dataDir: string): Promise<string | null> {
  return findPointedId(currentTimetableFile(dataDir));
}

/** The pointer, moved last. */
export function currentTimetableFile(dataDir: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), 'current.json');
}

/** When each source was last fetched successfully, by source id, even without a change; ISO 8601 UTC. */
export async function readSourceChecks(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const checks = (await findJson<Record<string, unknown>>(sourceChecksFile(dataDir))) ?? {};
  const isTimestamp = ([, at]: [string, unknown]) => typeof at === 'string' && !Number.isNaN(Date.parse(at));
  return Object.fromEntries(Object.entries(checks).filter(isTimestamp)) as Record<string, string>;
}

export function sourceChecksFile(dataDir: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), 'checked.json');
}

/** @throws ExternalError `snapshot_damaged` if it is missing, damaged or of another format */
export async function readTimetableManifest(dataDir: string, id: string): Promise<TimetableManifest> {
  const manifest = await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  const isWhole = Array.isArray(manifest?.sources) && isObject(manifest.rows) && isObject(manifest.files);
  if (manifest?.kind !== 'timetable' || (manifest.formatVersion === TIMETABLE_FORMAT_VERSION && !isWhole)) {
    throw new ExternalError(
      'snapshot_damaged',
      `snapshot ${id} has lost its manifest: run ingest-timetable to rebuild it`,
    );
  }
  if (manifest.formatVersion !== TIMETABLE_FORMAT_VERSION) {
    const formats = `format ${manifest.formatVersion}, and this version reads ${TIMETABLE_FORMAT_VERSION}`;
    throw new ExternalError('snapshot_damaged', `snapshot ${id} is of ${formats}: run ingest-timetable`);
  }
  return manifest;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

export function timetableManifestFile(dataDir: string, id: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), id, 'manifest.json');
}

/**
 * Loads a snapshot; its arrays are views of the files' bytes, in memory that threads can share.
 * @throws ExternalError `snapshot_damaged` for another format or a damaged file; the system error for a missing file
 */
export async function readTimetableSnapshot(dataDir: string, id: string): Promise<TimetableSnapshot> {
  // On demand: many commands need only the manifest, and the package takes a tenth of a second.
  const { readArrowTable } = await import('../effects/arrow-table.ts');
  const manifest = await readTimetableManifest(dataDir, id);
  const folder = path.join(timetableSnapshotsFolder(dataDir), id);
  const names = Object.keys(timetableTables) as (keyof typeof timetableTables)[];
  const tables = await Promise.all(
    names.map(async (name) => {
      const file = tableFile(name);
      return [name, await readArrowTable(path.join(folder, file), timetableTables[name], manifest.files[file])];
    }),
  );
  return { manifest, tables: Object.fromEntries(tables) as TimetableTables };
}

export function tableFile(table: keyof typeof timetableTables): string {
  return `${table.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.arrow`;
}
