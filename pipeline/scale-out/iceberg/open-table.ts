import { DELETED, decodeManifest, type IcebergTableShape } from './manifest.ts';
import { decodeManifestList, type ManifestFile } from './manifest-list.ts';
import type { CurrentManifest } from './plan-manifests.ts';
import { readMetadata, readMetadataFile, type TableFolder } from './table-folder.ts';
import { currentSchema, findCurrentSnapshot, type Snapshot, type TableMetadata } from './table-metadata.ts';

/**
 * Reads the manifests of a snapshot, with the entries of the files that are in it.
 * @throws ExternalError `table_damaged`
 */
export async function readManifests(
  table: TableFolder,
  metadata: TableMetadata,
  snapshot: Snapshot | null,
): Promise<CurrentManifest[]> {
  const manifests: CurrentManifest[] = [];
  for (const manifest of await readManifestList(table, snapshot)) {
    const entries = await readMetadataFile(table, manifest.path, (bytes) => decodeManifest(bytes, shapeOf(metadata)));
    manifests.push({
      manifest,
      entries: entries
        .filter(({ status }) => status !== DELETED)
        .map((entry) => ({ ...entry, sequenceNumber: entry.sequenceNumber ?? manifest.sequenceNumber })),
    });
  }
  return manifests;
}

/** @param snapshot null: there is none yet @throws ExternalError `table_damaged` */
export async function readManifestList(table: TableFolder, snapshot: Snapshot | null): Promise<ManifestFile[]> {
  return snapshot ? readMetadataFile(table, snapshot['manifest-list'], decodeManifestList) : [];
}

export function shapeOf(metadata: TableMetadata): IcebergTableShape {
  return { schema: currentSchema(metadata), spec: metadata['partition-specs'][0]! };
}

/** The URIs of the files of the current snapshot; none where there is no table at this location. */
export async function listTableFiles(table: TableFolder): Promise<string[]> {
  const { metadata } = (await readMetadata(table)) ?? {};
  if (metadata?.location !== table.location) return [];
  const manifests = await readManifests(table, metadata, findCurrentSnapshot(metadata));
  return manifests.flatMap(({ entries }) => entries.map(({ file }) => file.path));
}
