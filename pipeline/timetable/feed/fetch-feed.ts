import { createWriteStream } from 'node:fs';
import { chmod, copyFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { type Clock, nowInstant } from '../../effects/clock.ts';
import { zipEntryOptions } from '../../effects/files.ts';
import { type Http, withoutCredentials } from '../../effects/http.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { isSystemError, WorldError } from '../../effects/world-error.ts';
import { workFolder } from '../../lake/paths.ts';
import { listRaw, type RawFile, storeRaw } from '../../lake/raw-store.ts';
import { isTextAhead } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';

/** A configured timetable and its location. */
export interface FeedSource {
  readonly id: SourceId;
  /** Path of a zip or of a folder of `.txt` files, or an http(s) URL of a zip. */
  readonly location: string;
  /** Sent with the request of a URL, e.g. an API key. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FetchLimits {
  readonly maxDownloadBytes: number;
  readonly downloadTimeoutSeconds: number;
}

/**
 * Fetches a feed into the raw store.
 * @returns the raw file; an unchanged one is not stored or, where the server supports it, not even transferred again
 * @throws WorldError `feed_not_found`, `feed_unreadable`, `feed_empty_folder`, or one of `effects/http.ts`
 */
export async function fetchFeed(
  source: FeedSource,
  dataDir: string,
  limits: FetchLimits,
  effects: { clock: Clock; http: Http },
): Promise<RawFile> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const file = path.join(folder, 'feed.zip');
    const fetchedAt = nowInstant(effects.clock);
    if (/^https?:\/\//i.test(source.location)) {
      const stored = await listRaw(dataDir, source.id);
      const known = stored.findLast(({ facts }) => !isTextAhead(facts.fetchedAt, effects.clock.nowMilliseconds()));
      const answer = await download(source, file, known, limits, effects.http);
      if (answer.isUnchanged) return answer.known;
      const location = withoutCredentials(source.location);
      return storeRaw(dataDir, source.id, file, { location, fetchedAt, ...answer.validators });
    }
    await copyLocal(source.location, file);
    return storeRaw(dataDir, source.id, file, { location: source.location, fetchedAt });
  });
}

type Download =
  | { isUnchanged: true; known: RawFile }
  | { isUnchanged: false; validators: { etag?: string; lastModified?: string } };

async function download(
  source: FeedSource,
  file: string,
  known: RawFile | undefined,
  limits: FetchLimits,
  http: Http,
): Promise<Download> {
  const isSamePlace = known?.facts.location === withoutCredentials(source.location);
  const conditions: Record<string, string> = {};
  if (isSamePlace && known?.facts.etag) conditions['if-none-match'] = known.facts.etag;
  if (isSamePlace && known?.facts.lastModified) conditions['if-modified-since'] = known.facts.lastModified;
  const answer = await http({
    url: source.location,
    headers: { ...source.headers, ...conditions },
    timeoutSeconds: limits.downloadTimeoutSeconds,
    maxBytes: limits.maxDownloadBytes,
  });
  if (!answer.body) {
    if (known) return { isUnchanged: true, known };
    throw new WorldError('http_status', `${withoutCredentials(source.location)} answered 304 to a first request`);
  }
  await pipeline(Readable.from(answer.body), createWriteStream(file));
  const etag = answer.headers.get('etag');
  const lastModified = answer.headers.get('last-modified');
  return { isUnchanged: false, validators: { ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) } };
}

async function copyLocal(location: string, file: string): Promise<void> {
  try {
    if ((await stat(location)).isDirectory()) return await zipFolder(location, file);
    await copyFile(location, file);
    // A copy inherits the mode, and a read-only file cannot be synced.
    await chmod(file, 0o644);
  } catch (cause) {
    if (cause instanceof WorldError) throw cause;
    if (isSystemError(cause, 'ENOENT')) {
      throw new WorldError('feed_not_found', `there is no feed at ${location}`, { cause });
    }
    throw new WorldError('feed_unreadable', `the feed at ${location} cannot be copied`, { cause });
  }
}

/** Packs a folder's `.txt` files so that the same content gives the same bytes: sorted names, one fixed time. */
async function zipFolder(folder: string, file: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory() && /\.txt$/i.test(entry.name))
    .map((entry) => entry.name);
  if (names.length === 0) throw new WorldError('feed_empty_folder', `${folder} holds no .txt files`);
  const zip = new yazl.ZipFile();
  // A file that cannot be read raises an event on the archive only.
  zip.on('error', (error) => (zip.outputStream as PassThrough).destroy(error));
  for (const name of names.sort()) zip.addFile(path.join(folder, name), name, zipEntryOptions);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}
