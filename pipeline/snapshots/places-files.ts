import path from 'node:path';
import { ExternalError } from '../effects/external-error.ts';
import { findJson, findPointedId } from '../effects/files.ts';
import {
  PLACES_FORMAT_VERSION,
  type PlacesManifest,
  type PlacesSnapshot,
  type PlaceTables,
  placeTables,
} from './places-contract.ts';

export function placesFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'places');
}

/** The pointer, moved last. */
export function currentPlacesFile(dataDir: string): string {
  return path.join(placesFolder(dataDir), 'current.json');
}

function placesManifestFile(dataDir: string, id: string): string {
  return path.join(placesFolder(dataDir), id, 'manifest.json');
}

export function placesTableFile(table: keyof typeof placeTables): string {
  return `${table.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.arrow`;
}

/** @returns null if nothing is published */
export async function findCurrentPlacesId(dataDir: string): Promise<string | null> {
  return findPointedId(currentPlacesFile(dataDir));
}

/** @returns null if missing, damaged or of another format */
export async function findPlacesManifest(dataDir: string, id: string): Promise<PlacesManifest | null> {
  const manifest = await findJson<PlacesManifest>(placesManifestFile(dataDir, id));
  const isWhole = manifest?.kind === 'places' && typeof manifest.files === 'object';
  return isWhole && manifest.formatVersion === PLACES_FORMAT_VERSION ? manifest : null;
}

/**
 * Loads an index; its arrays are views of the files' bytes.
 * @throws ExternalError `snapshot_damaged` for another format or a damaged file; the system error for a missing file
 */
export async function readPlacesSnapshot(dataDir: string, id: string): Promise<PlacesSnapshot> {
  const manifest = await findPlacesManifest(dataDir, id);
  if (manifest === null) {
    throw new ExternalError('snapshot_damaged', `place index ${id} is damaged or of another format: run build-places`);
  }
  const { readArrowTable } = await import('../effects/arrow-table.ts');
  const folder = path.join(placesFolder(dataDir), id);
  const tables: Record<string, unknown> = {};
  for (const name of Object.keys(placeTables) as (keyof typeof placeTables)[]) {
    const file = placesTableFile(name);
    tables[name] = await readArrowTable(path.join(folder, file), placeTables[name], manifest.files[file]);
  }
  return { manifest, tables: tables as PlaceTables };
}
