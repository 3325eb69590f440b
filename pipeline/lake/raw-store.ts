import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isSystemError } from '../effects/external-error.ts';
import { findJson, listNames, syncFile, syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import { type Instant, localDate } from '../model/service-time.ts';
import { lakeFolder, rawFolder } from './paths.ts';

/** Facts about a raw file: how to request it again, its credits, and when it was fetched. */
export interface RawFacts {
  readonly source: string;
  /** Path or URL as configured; credentials in a URL are left out. */
  readonly location: string;
  readonly fetchedAt: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** The folder of the archive that holds the feed, where one is configured. */
  readonly selection?: string;
}

export interface RawFile {
  readonly file: string;
  readonly version: FeedVersion;
  readonly facts: RawFacts;
}

/** @returns hexadecimal SHA-256 of a file, read as a stream */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/**
 * The version of a timetable is the hash of its content: equal bytes are the same version, unless another folder of the
 * archive is selected.
 */
export function toFeedVersion(sha256: string, selection?: string): FeedVersion {
  const hash = selection === undefined ? sha256 : createHash('sha256').update(`${sha256}#${selection}`).digest('hex');
  return hash.slice(0, 16) as FeedVersion;
}

/**
 * Moves a fetched file into the raw store, with its facts beside it. An existing file of the same content is kept.
 * @param file a complete file on the same disk as the lake; it is gone afterwards
 */
export async function storeRaw(
  dataDir: string,
  source: SourceId,
  file: string,
  fetch: { location: string; fetchedAt: Instant; etag?: string; lastModified?: string; selection?: string },
): Promise<RawFile> {
  const sha256 = await hashFile(file);
  const version = toFeedVersion(sha256, fetch.selection);
  const known = await findRaw(dataDir, source, version);
  if (known) return known;
  const folder = rawFolder(dataDir, source, localDate(fetch.fetchedAt, 'UTC'));
  await mkdir(folder, { recursive: true });
  const stored = path.join(folder, `${version}.zip`);
  const facts: RawFacts = {
    source,
    location: fetch.location,
    fetchedAt: new Date(fetch.fetchedAt * 1000).toISOString(),
    bytes: (await stat(file)).size,
    sha256,
    ...(fetch.etag ? { etag: fetch.etag } : {}),
    ...(fetch.lastModified ? { lastModified: fetch.lastModified } : {}),
    ...(fetch.selection === undefined ? {} : { selection: fetch.selection }),
  };
  await syncFile(file);
  await moveFile(file, stored);
  await syncFolder(folder);
  // The facts are written last: a file without them is incomplete and is stored again.
  await writeJsonAtomically(factsFile(stored), facts);
  return { file: stored, version, facts };
}

/** @returns null when this content was never stored for the source */
export async function findRaw(dataDir: string, source: SourceId, version: FeedVersion): Promise<RawFile | null> {
  for (const raw of await listRaw(dataDir, source)) {
    if (raw.version === version) return raw;
  }
  return null;
}

/** Every complete raw timetable of a source, oldest first. */
export async function listRaw(dataDir: string, source: SourceId): Promise<RawFile[]> {
  const folder = path.join(lakeFolder(dataDir), 'raw', `source=${source}`);
  const found: RawFile[] = [];
  for (const date of (await listNames(folder)).sort()) {
    for (const name of (await listNames(path.join(folder, date))).sort()) {
      if (!name.endsWith('.zip')) continue;
      const file = path.join(folder, date, name);
      const facts = await findJson<RawFacts>(factsFile(file));
      if (facts) found.push({ file, version: toFeedVersion(facts.sha256, facts.selection), facts });
    }
  }
  return found.sort((a, b) => a.facts.fetchedAt.localeCompare(b.facts.fetchedAt));
}

/** Makes a stored file incomplete, so that listings skip it. */
export async function dropFacts(stored: string): Promise<void> {
  await rm(factsFile(stored), { force: true });
}

function factsFile(stored: string): string {
  return `${stored}.json`;
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isSystemError(error, 'EXDEV')) throw error;
    await copyFile(from, `${to}.tmp`);
    await syncFile(`${to}.tmp`);
    await rename(`${to}.tmp`, to);
  }
}
