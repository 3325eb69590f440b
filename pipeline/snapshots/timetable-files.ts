import path from 'node:path';
import { findJson } from '../effects/files.ts';
import { WorldError } from '../effects/world-error.ts';
import { readArrowTable } from './arrow-table.ts';
import {
  TIMETABLE_FORMAT_VERSION,
  type TimetableManifest,
  type TimetableSnapshot,
  type TimetableTables,
  timetableTables,
} from './contract.ts';

export function timetableSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'timetable');
}

/** @returns the id of the published snapshot, null when none was ever published */
export async function findCurrentTimetableId(dataDir: string): Promise<string | null> {
  const pointer = await findJson<{ id: string }>(path.join(timetableSnapshotsFolder(dataDir), 'current.json'));
  return pointer?.id ?? null;
}

/** When each source was last asked with success, by source id, also where there was nothing new; ISO 8601 UTC. */
export async function readSourceChecks(dataDir: string): Promise<Readonly<Record<string, string>>> {
  return (await findJson<Record<string, string>>(sourceChecksFile(dataDir))) ?? {};
}

export function sourceChecksFile(dataDir: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), 'checked.json');
}

/** @throws WorldError `snapshot_damaged` when it is missing or no JSON */
export async function readTimetableManifest(dataDir: string, id: string): Promise<TimetableManifest> {
  const manifest = await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  if (!manifest) {
    throw new WorldError(
      'snapshot_damaged',
      `snapshot ${id} has lost its manifest: run ingest-timetable to build it anew`,
    );
  }
  return manifest;
}

export function timetableManifestFile(dataDir: string, id: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), id, 'manifest.json');
}

/**
 * Loads a snapshot; its arrays are views of the files' bytes, in memory that threads can share.
 * @throws Error when it is of another format, or a file is missing or damaged
 */
export async function readTimetableSnapshot(dataDir: string, id: string): Promise<TimetableSnapshot> {
  const manifest = await readTimetableManifest(dataDir, id);
  if (manifest.kind !== 'timetable' || manifest.formatVersion !== TIMETABLE_FORMAT_VERSION) {
    throw new Error(
      `snapshot ${id} is ${manifest.kind} format ${manifest.formatVersion}, and this version reads timetable format ` +
        `${TIMETABLE_FORMAT_VERSION}: run ingest-timetable`,
    );
  }
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
