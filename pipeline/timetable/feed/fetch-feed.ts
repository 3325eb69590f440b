import { createWriteStream } from 'node:fs';
import { chmod, copyFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { type Clock, nowInstant } from '../../effects/clock.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { zipEntryOptions } from '../../effects/files.ts';
import type { Http } from '../../effects/http.ts';
import type { Log } from '../../effects/log.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { workFolder } from '../../lake/paths.ts';
import { dropFacts, listRaw, type RawFile, storeRaw } from '../../lake/raw-store.ts';
import { storeRejectedFeed } from '../../lake/rejected-feeds.ts';
import { isTextAhead } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import { type FeedLocation, parseFeedLocation } from './feed-location.ts';
import {
  describeHiddenChange,
  type FetchState,
  readFetchState,
  type Validators,
  writeFetchState,
} from './fetch-state.ts';
import { inspectFeed } from './unpack-feed.ts';
import type { UnpackLimits } from './zip-archive.ts';

/** A configured timetable and its location. */
export interface FeedSource {
  readonly id: SourceId;
  /** Path of a zip or of a folder of `.txt` files, or an http(s) URL of a zip; `#folder` selects a feed of the zip. */
  readonly location: string;
  /** Sent with the request of a URL, e.g. an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Separates the server's answers for one of several addresses of the source; absent for its main address. */
  readonly statePart?: string;
}

export interface FetchSettings extends UnpackLimits {
  readonly maxDownloadBytes: number;
  readonly downloadTimeoutSeconds: number;
  /** Interval after which the feed is requested without conditions, whatever the server reports as unchanged. */
  readonly refetchHours: number;
  /** Total size limit of stored rejected bodies, over all sources. */
  readonly maxRejectedBytes: number;
}

interface FetchEffects {
  readonly clock: Clock;
  readonly http: Http;
  readonly log: Log;
}

/** One fetch of a feed. */
interface Fetch {
  readonly source: FeedSource;
  readonly location: FeedLocation;
  readonly dataDir: string;
  readonly settings: FetchSettings;
  readonly fetchedAt: Instant;
  readonly isForced: boolean;
}

/**
 * Fetches a feed into the raw store. A body that is not a feed, or exceeds the limits, is set aside.
 * @param options `isForced`: requests the feed without conditions
 * @returns the raw file; an unchanged feed is not stored again or, if the server supports conditions, not even
 *   transferred
 * @throws ExternalError `feed_not_found`, `feed_unreadable`, `feed_empty_folder`, those of `inspectFeed` and of
 *   `effects/http.ts`
 */
export async function fetchFeed(
  source: FeedSource,
  dataDir: string,
  settings: FetchSettings,
  effects: FetchEffects,
  { isForced }: { readonly isForced: boolean } = { isForced: false },
): Promise<RawFile> {
  const location = await parseFeedLocation(source.location);
  const fetch: Fetch = { source, location, dataDir, settings, fetchedAt: nowInstant(effects.clock), isForced };
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const file = path.join(folder, 'feed.zip');
    if (location.isAddress) return fetchAddress(fetch, file, effects);
    await copyLocal(location.place, file);
    return storeChecked(fetch, file, { isWhole: true });
  });
}

/** Stores a fetched file in the raw store, or sets it aside. @throws ExternalError if it is not a feed */
async function storeChecked(
  { source, location, dataDir, settings, fetchedAt }: Fetch,
  file: string,
  { isWhole, ...validators }: Validators & { readonly isWhole: boolean },
): Promise<RawFile> {
  const selected = location.selection === null ? {} : { selection: location.selection };
  try {
    await inspectFeed(file, path.dirname(file), settings, location.selection);
  } catch (error) {
    if (!isRejection(error)) throw error;
    const about = { source: source.id, location: location.shown, isWhole, ...describeRejection(error) };
    const rejected = { ...about, fetchedAt: new Date(fetchedAt * 1000).toISOString() };
    await storeRejectedFeed(dataDir, file, rejected, settings.maxRejectedBytes);
    throw error;
  }
  return storeRaw(dataDir, source.id, file, { location: location.shown, fetchedAt, ...validators, ...selected });
}

/**
 * Removes a raw file from the raw store after staging has rejected its content.
 * @param error the error from staging; other errors than a rejection of the content are ignored
 */
export async function rejectRaw(
  { file, facts }: RawFile,
  error: unknown,
  {
    source,
    dataDir,
    settings,
  }: {
    readonly source: SourceId;
    readonly dataDir: string;
    readonly settings: Pick<FetchSettings, 'maxRejectedBytes'>;
  },
  { clock }: { readonly clock: Clock },
): Promise<void> {
  if (!isRejection(error)) return;
  const fetchedAt = new Date(clock.nowMilliseconds()).toISOString();
  const about = { source, location: facts.location, fetchedAt, isWhole: true, ...describeRejection(error) };
  await dropFacts(file);
  await storeRejectedFeed(dataDir, file, about, settings.maxRejectedBytes);
}

function isRejection(error: unknown): error is ExternalError {
  return error instanceof ExternalError && error.code.startsWith('feed_') && !error.isRetryable;
}

function describeRejection({ code, message }: ExternalError): { code: string; reason: string } {
  return { code, reason: message };
}

async function fetchAddress(fetch: Fetch, file: string, effects: FetchEffects): Promise<RawFile> {
  const { source, location, dataDir, settings } = fetch;
  const known = await findKnown(fetch, effects.clock);
  const isUnconditional = known !== null && (fetch.isForced || isRefetchDue(known.state, fetch, effects.clock));
  const conditions = known === null || isUnconditional ? {} : toConditions(known.state.validators);
  const isConditional = Object.keys(conditions).length > 0;
  const answer = await effects.http({
    url: location.place,
    // Bypass intermediate caches.
    headers: { ...source.headers, ...conditions, ...(isUnconditional ? { 'cache-control': 'no-cache' } : {}) },
    timeoutSeconds: settings.downloadTimeoutSeconds,
    maxBytes: settings.maxDownloadBytes,
  });
  if (!answer.body) {
    if (!known || !isConditional)
      throw new ExternalError('http_status', `${location.shown} answered 304 to a request without conditions`);
    await writeFetchState(dataDir, source, { ...known.state, notModified: known.state.notModified + 1 });
    return known.raw;
  }
  const isWhole = await writeBody(answer.body, file);
  const etag = answer.headers.get('etag');
  const lastModified = answer.headers.get('last-modified');
  const validators = { ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) };
  const raw = await storeChecked(fetch, file, { isWhole, ...validators });
  await noteFullAnswer(fetch, { raw, validators, before: known?.state ?? null, isConditional }, effects.log);
  return raw;
}

/** The last full answer from the same location, and its raw file; null before the first. */
async function findKnown(
  { source, location, dataDir }: Fetch,
  clock: Clock,
): Promise<{ state: FetchState; raw: RawFile } | null> {
  const stored = await listRaw(dataDir, source.id);
  const isPast = ({ facts }: RawFile) => !isTextAhead(facts.fetchedAt, clock.nowMilliseconds());
  const state = (await readFetchState(dataDir, source)) ?? deriveState(stored.findLast(isPast));
  const raw = stored.find(({ version }) => version === state?.version);
  return state?.location === location.shown && raw !== undefined && isPast(raw) ? { state, raw } : null;
}

/** Data folders without a state file: the newest raw file is the last full answer. */
function deriveState(raw: RawFile | undefined): FetchState | null {
  if (raw === undefined) return null;
  const { location, fetchedAt, etag, lastModified } = raw.facts;
  const validators = { ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) };
  return { location, version: raw.version, fullAt: fetchedAt, validators, notModified: 0, hiddenChange: null };
}

/** Scheduled runs are not exactly a day apart. */
const REFETCH_SLACK_SECONDS = 600;

function isRefetchDue({ fullAt }: FetchState, { settings, fetchedAt }: Fetch, clock: Clock): boolean {
  if (isTextAhead(fullAt, clock.nowMilliseconds())) return true;
  return fetchedAt - Date.parse(fullAt) / 1000 >= settings.refetchHours * 3600 - REFETCH_SLACK_SECONDS;
}

function toConditions({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

interface FullAnswer {
  readonly raw: RawFile;
  readonly validators: Validators;
  readonly before: FetchState | null;
  readonly isConditional: boolean;
}

/** Records a full answer, and warns of a change that the server had hidden behind 304 answers. */
async function noteFullAnswer(
  { source, location, dataDir, fetchedAt }: Fetch,
  { raw, validators, before, isConditional }: FullAnswer,
  log: Log,
): Promise<void> {
  const fullAt = new Date(fetchedAt * 1000).toISOString();
  const isHidden = before !== null && !isConditional && before.notModified > 0 && before.version !== raw.version;
  const found = isHidden ? { foundAt: fullAt, since: before.fullAt, notModified: before.notModified } : null;
  if (found !== null) log.warn(`${source.id}: ${describeHiddenChange(found)}`);
  const hiddenChange = found ?? before?.hiddenChange ?? null;
  const state = { location: location.shown, version: raw.version, fullAt, validators, notModified: 0, hiddenChange };
  await writeFetchState(dataDir, source, state);
}

/** Bytes kept of a body that is not a zip: enough to recognise its kind. */
const SAMPLE_BYTES = 1 << 16;

/** @returns whether all of the body was read */
async function writeBody(body: AsyncIterable<Uint8Array>, file: string): Promise<boolean> {
  let isWhole = true;
  async function* readWhileZip(): AsyncIterable<Uint8Array> {
    let bytes = 0;
    let beginning = Buffer.alloc(0);
    for await (const chunk of body) {
      bytes += chunk.length;
      if (beginning.length < 2) beginning = Buffer.concat([beginning, chunk.subarray(0, 2)]);
      yield chunk;
      isWhole = beginning.length < 2 || beginning.toString('latin1').startsWith('PK') || bytes < SAMPLE_BYTES;
      if (!isWhole) return;
    }
  }
  await pipeline(Readable.from(readWhileZip()), createWriteStream(file));
  return isWhole;
}

async function copyLocal(location: string, file: string): Promise<void> {
  try {
    if ((await stat(location)).isDirectory()) return await zipFolder(location, file);
    await copyFile(location, file);
    // A copy inherits the file mode, and a read-only file cannot be synced.
    await chmod(file, 0o644);
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    if (isSystemError(cause, 'ENOENT')) {
      throw new ExternalError('feed_not_found', `there is no feed at ${location}`, { cause });
    }
    throw new ExternalError('feed_unreadable', `the feed at ${location} cannot be copied`, { cause });
  }
}

/** Files of a folder that are part of a feed. */
const FEED_FILE = /(\.txt|^locations\.geojson)$/i;

/** Packs a folder's tables so that equal content gives equal bytes: sorted names, one fixed time. */
async function zipFolder(folder: string, file: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory() && FEED_FILE.test(entry.name))
    .map((entry) => entry.name);
  if (names.length === 0) throw new ExternalError('feed_empty_folder', `${folder} holds no .txt files`);
  const zip = new yazl.ZipFile();
  // For an unreadable file, only the archive emits an error.
  zip.on('error', (error) => (zip.outputStream as PassThrough).destroy(error));
  for (const name of names.sort()) zip.addFile(path.join(folder, name), name, zipEntryOptions);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}
