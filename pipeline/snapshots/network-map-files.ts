import path from 'node:path';
import { ExternalError } from '../effects/external-error.ts';
import { findJson, findPointedId } from '../effects/files.ts';
import type { ServiceDate } from '../model/service-time.ts';

export const mapFormats = ['pdf', 'svg', 'png'] as const;
export type MapFormat = (typeof mapFormats)[number];

/** A map as it is served. */
export interface PublishedMap {
  /** Stable while the network keeps its region and kind. */
  readonly id: string;
  readonly title: string;
  readonly region: string;
  readonly format: MapFormat;
  /** Name of the file in the folder and in its URL; different content has a different name. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** First day of the timetable that it shows; null: unknown. */
  readonly validFrom: ServiceDate | null;
  readonly attribution: string | null;
  /** How it was drawn; null for the operator's files. */
  readonly layout: 'octilinear' | 'geographic' | null;
}

export interface MapsManifest {
  readonly kind: 'network-maps';
  readonly formatVersion: number;
  /** Equal for equal input under equal rules. */
  readonly id: string;
  readonly createdAt: string;
  /** By region, then title. */
  readonly maps: readonly PublishedMap[];
  /** Refused files of the operator, with the reason in a sentence. */
  readonly refused: readonly string[];
}

/** Raise it with every change of the manifest. */
export const MAPS_FORMAT_VERSION = 1;

/** Size limit of all files of a set, which the API keeps in memory. */
export const MAX_PUBLISHED_BYTES = 256 * 1024 ** 2;
/** Limit of the operator's files within that; a drawn map has a tenth of a megabyte. */
export const MAX_OPERATOR_BYTES = 192 * 1024 ** 2;

/** URL path of the files. */
export const NETWORK_MAP_FILES = '/network-maps/files';

/** URL path of a map. */
export function mapAddress(file: string): string {
  return `${NETWORK_MAP_FILES}/${file}`;
}

export function mapsFolder(dataDir: string): string {
  return path.join(dataDir, 'network-maps');
}

/** The pointer, moved last. */
export function currentMapsFile(dataDir: string): string {
  return path.join(mapsFolder(dataDir), 'current.json');
}

export function mapFile(dataDir: string, id: string, file: string): string {
  return path.join(mapsFolder(dataDir), id, file);
}

/** @returns null when nothing is published */
export async function findCurrentMapsId(dataDir: string): Promise<string | null> {
  return findPointedId(currentMapsFile(dataDir));
}

/** @throws ExternalError `snapshot_damaged` when it is missing, damaged or of another format */
export async function readMapsManifest(dataDir: string, id: string): Promise<MapsManifest> {
  const manifest = await findJson<MapsManifest>(mapFile(dataDir, id, 'manifest.json'));
  const isWhole = manifest?.kind === 'network-maps' && manifest.formatVersion === MAPS_FORMAT_VERSION;
  if (isWhole && Array.isArray(manifest.maps)) return manifest;
  throw new ExternalError(
    'snapshot_damaged',
    `network maps ${id} are damaged or of another format: run build-network-maps`,
  );
}
