import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../effects/external-error.ts';
import { findJson, findPointedId } from '../effects/files.ts';

/** Raise it with every change of how tiles are built, including a newer engine. */
export const STREETS_RULES_VERSION = 2;
/** Older graphs are not used. Those of version 1 are for walking only. */
export const OLDEST_USABLE_RULES_VERSION = 1;

/** Modes for which streets can be built, in the order in which they are listed. */
export const streetModes = ['walk', 'bike', 'car'] as const;
export type StreetMode = (typeof streetModes)[number];

/** A published graph of streets. */
export interface StreetsManifest {
  readonly kind: 'streets';
  readonly rulesVersion: number;
  /** Equal for equal input under equal rules. */
  readonly id: string;
  readonly createdAt: string;
  /** Modes for which the streets were built; absent in version 1, which is for walking only. */
  readonly modes?: readonly StreetMode[];
  /** Input file of the build. */
  readonly source: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly tiles: { readonly count: number; readonly bytes: number };
}

export function streetsFolder(dataDir: string): string {
  return path.join(dataDir, 'streets');
}

/** The pointer, moved last. */
export function currentStreetsFile(dataDir: string): string {
  return path.join(streetsFolder(dataDir), 'current.json');
}

export function streetsManifestFile(dataDir: string, id: string): string {
  return path.join(streetsFolder(dataDir), id, 'manifest.json');
}

/** Archive of all tiles, which the street engine maps into memory. */
export function tilesFile(dataDir: string, id: string): string {
  return path.join(streetsFolder(dataDir), id, 'tiles.tar');
}

/** Park and ride car parks of the extract. */
function parkAndRideFile(dataDir: string, id: string): string {
  return path.join(streetsFolder(dataDir), id, PARK_AND_RIDE);
}

export const PARK_AND_RIDE = 'park-and-ride.json';

/** A car park where travellers change to public transport. */
export interface ParkAndRide {
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
}

/** @returns empty if the extract has none, or the graph was built without cars */
export async function findParkAndRide(dataDir: string, id: string): Promise<readonly ParkAndRide[]> {
  const found = await findJson<{ readonly places?: readonly ParkAndRide[] }>(parkAndRideFile(dataDir, id));
  return found?.places ?? [];
}

/** @returns null if nothing is published */
export async function findCurrentStreetsId(dataDir: string): Promise<string | null> {
  return findPointedId(currentStreetsFile(dataDir));
}

/** @returns null if missing or damaged */
export async function findStreetsManifest(dataDir: string, id: string): Promise<StreetsManifest | null> {
  const manifest = await findJson<StreetsManifest>(streetsManifestFile(dataDir, id));
  const isWhole = manifest?.kind === 'streets' && typeof manifest.source?.name === 'string';
  return isWhole && typeof manifest.tiles?.bytes === 'number' ? manifest : null;
}

/** Whether the graph has all of its tiles. */
export async function hasAllTiles(dataDir: string, { id, tiles }: StreetsManifest): Promise<boolean> {
  try {
    return (await stat(tilesFile(dataDir, id))).size === tiles.bytes;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
