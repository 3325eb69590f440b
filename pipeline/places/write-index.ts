import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeArrowTable } from '../effects/arrow-table.ts';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { ColumnsOf, FileFacts, TableShape } from '../model/column.ts';
import { type PlacesManifest, type PlaceTables, placeTables } from '../snapshots/places-contract.ts';
import { placesFolder, placesTableFile } from '../snapshots/places-files.ts';

/**
 * Writes an index aside and renames it; nothing points to it yet.
 * @param describe makes the manifest, with the facts of the files
 */
export async function writeIndex(
  dataDir: string,
  tables: PlaceTables,
  describe: (files: Readonly<Record<string, FileFacts>>) => PlacesManifest,
): Promise<PlacesManifest> {
  const folder = placesFolder(dataDir);
  // A hidden name: not an index until it is renamed.
  const aside = path.join(folder, `.places.${randomBytes(6).toString('hex')}.tmp`);
  await mkdir(aside, { recursive: true });
  try {
    const files: Record<string, FileFacts> = {};
    for (const name of Object.keys(placeTables) as (keyof typeof placeTables)[]) {
      const file = placesTableFile(name);
      const columns = tables[name] as ColumnsOf<TableShape>;
      files[file] = await writeArrowTable(path.join(aside, file), placeTables[name] as TableShape, columns);
    }
    const manifest = describe(files);
    await writeJsonAtomically(path.join(aside, 'manifest.json'), manifest);
    await syncFolder(aside);
    const published = path.join(folder, manifest.id);
    await rm(published, { recursive: true, force: true });
    await rename(aside, published);
    await syncFolder(folder);
    return manifest;
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}
