import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import {
  currentMapsFile,
  MAPS_FORMAT_VERSION,
  type MapsManifest,
  mapsFolder,
  type PublishedMap,
} from '../snapshots/network-map-files.ts';

/** Sets of maps kept: a page loaded before the last change still finds its images. */
const KEPT = 2;

interface MapsToPublish {
  readonly id: string;
  readonly createdAt: string;
  readonly files: readonly { readonly map: PublishedMap; readonly content: Buffer }[];
  readonly refused: readonly string[];
}

/**
 * Publishes a set of maps: it is written to a temporary folder, read back, checked, renamed, and finally pointed to.
 */
export async function publishMaps(
  dataDir: string,
  { id, createdAt, files, refused }: MapsToPublish,
): Promise<MapsManifest> {
  const folder = mapsFolder(dataDir);
  const aside = path.join(folder, `.${id}.${randomBytes(6).toString('hex')}.tmp`);
  await mkdir(aside, { recursive: true });
  const compare = (a: string, b: string) => a.localeCompare(b, 'de');
  const maps = files
    .map(({ map }) => map)
    .sort((a, b) => compare(a.region, b.region) || compare(a.title, b.title) || compare(a.id, b.id));
  const manifest: MapsManifest = {
    kind: 'network-maps',
    formatVersion: MAPS_FORMAT_VERSION,
    id,
    createdAt,
    maps,
    refused,
  };
  try {
    for (const { map, content } of files) await writeFile(path.join(aside, map.file), content, { flush: true });
    for (const map of maps) await checkMap(aside, map);
    await writeJsonAtomically(path.join(aside, 'manifest.json'), manifest);
    await rm(path.join(folder, id), { recursive: true, force: true });
    await rename(aside, path.join(folder, id));
    await syncFolder(folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
  await writeJsonAtomically(currentMapsFile(dataDir), { id });
  await dropOld(folder, id);
  return manifest;
}

/** @throws Error if a file differs from what was drawn or is malformed; a bug, so nothing is published */
async function checkMap(folder: string, { file, format, sha256 }: PublishedMap): Promise<void> {
  const content = await readFile(path.join(folder, file));
  if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error(`${file} is not what was written`);
  if (format === 'svg' && XMLValidator.validate(content.toString('utf8')) !== true) {
    throw new Error(`${file} is not well-formed XML`);
  }
}

async function dropOld(folder: string, currentId: string): Promise<void> {
  const others: { readonly name: string; readonly time: number }[] = [];
  for (const name of await readdir(folder)) {
    if (name === currentId || name.endsWith('.json')) continue;
    others.push({ name, time: name.startsWith('.') ? 0 : (await stat(path.join(folder, name))).mtimeMs });
  }
  const old = others
    .sort((a, b) => b.time - a.time)
    .filter(({ name }, rank) => name.startsWith('.') || rank >= KEPT - 1);
  for (const { name } of old) await rm(path.join(folder, name), { recursive: true, force: true });
}
