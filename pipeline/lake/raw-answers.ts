import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { isThere, listNames, writeFileAtomically } from '../effects/files.ts';
import type { SourceId } from '../model/ids.ts';
import { addDays, type Instant, localDate, type ServiceDate } from '../model/service-time.ts';
import { readWriter } from './lake-writer.ts';
import { rawFolder, rawRoot } from './paths.ts';
import { readIndex, type StoredRawAnswer, withIndex } from './raw-answer-index.ts';

/**
 * Answers of realtime sources as received, one gzip file each, so that any tool opens them; level 1 takes less than
 * half the time of the default level for a fifth more bytes. An index beside them holds their facts.
 */
const GZIP_LEVEL = 1;

export interface FetchedAnswer {
  readonly source: SourceId;
  /** `SourceRequest.part`: becomes part of a file's name, as does the extension. */
  readonly part: string;
  readonly fetchedAt: Instant;
  /** Without a dot, e.g. `pb`. */
  readonly extension: string;
  /** Null: the publisher confirms its last answer of the part (304 Not Modified). */
  readonly bytes: Uint8Array | null;
  readonly facts: Pick<StoredRawAnswer, 'url' | 'status' | 'durationMilliseconds' | 'etag' | 'lastModified'>;
}

const FILE_WORD = /^[a-z0-9-]{1,64}$/;
const RAW_ID = /^source=[a-z0-9_-]+\/fetch_date=\d{4}-\d{2}-\d{2}\/\d{6}-[a-z0-9-]+\.[a-z0-9-]+\.gz$/;

/**
 * Stores an answer, synced to disk when this returns. One equal to the previous answer of its part on the same day is
 * only indexed, and so is one that confirms the previous answer: a replay of the day needs the time until which it was valid.
 * No day's answers need another day's files.
 * @returns the path of its bytes below `lake/raw`; empty where there was nothing to confirm
 * @throws RangeError for a part or an extension that is invalid in a file name
 */
export async function storeRawAnswer(dataDir: string, answer: FetchedAnswer): Promise<{ rawId: string }> {
  const { source, part, fetchedAt, extension, bytes, facts } = answer;
  if (!FILE_WORD.test(part) || !FILE_WORD.test(extension)) {
    throw new RangeError(`an answer of part "${part}" with the ending "${extension}" cannot name a file`);
  }
  const date = localDate(fetchedAt, 'UTC');
  const folder = rawFolder(dataDir, source, date);
  await mkdir(folder, { recursive: true });
  const iso = new Date(fetchedAt * 1000).toISOString();
  const writer = await readWriter(dataDir, source, 0);
  return withIndex(folder, writer.id, async (index) => {
    const last = index.findLast(part);
    if (bytes === null && last) {
      await index.add({ ...last, fetchedAt: iso, ...facts });
      return { rawId: last.rawId };
    }
    const content = bytes ?? (await findLastBytes(dataDir, source, addDays(date, -1), part));
    if (content === null) return { rawId: '' };
    const sha256 = createHash('sha256').update(content).digest('hex');
    const isRepeated = last?.sha256 === sha256 && (await isThere(rawAnswerFile(dataDir, last.rawId)));
    const name = rawAnswerFileName(iso, part, sha256, extension);
    const { rawId, storedBytes } = isRepeated ? last : await storeBytes(dataDir, folder, name, content);
    await index.add({ rawId, part, fetchedAt: iso, bytes: content.length, storedBytes, sha256, ...facts });
    return { rawId };
  });
}

/** The newest answer of a part on a day; null if there was no answer or it was deleted. */
async function findLastBytes(
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  part: string,
): Promise<Uint8Array | null> {
  const last = (await readIndex(rawFolder(dataDir, source, date))).findLast((answer) => answer.part === part);
  if (!last || !(await isThere(rawAnswerFile(dataDir, last.rawId)))) return null;
  return readRawBytes(dataDir, last.rawId);
}

/**
 * Reads the bytes that a row of the observations, or of the list, refers to.
 * @throws ExternalError `raw_answer_missing` for one that was never stored, or deleted since
 */
export async function readRawAnswer(
  dataDir: string,
  rawId: string,
): Promise<{ bytes: Buffer; facts: StoredRawAnswer }> {
  const bytes = await readRawBytes(dataDir, rawId);
  const answers = await readIndex(path.dirname(rawAnswerFile(dataDir, rawId)));
  const facts = answers.find((answer) => answer.rawId === rawId);
  if (!facts) throw missing(rawId);
  return { bytes, facts };
}

/**
 * The bytes alone, for callers that have the facts from the list.
 * @throws ExternalError `raw_answer_missing`
 */
export async function readRawBytes(dataDir: string, rawId: string): Promise<Buffer> {
  if (!RAW_ID.test(rawId)) throw missing(rawId);
  try {
    return await promisify(gunzip)(await readFile(rawAnswerFile(dataDir, rawId)));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) throw missing(rawId);
    throw error;
  }
}

/** Kept answers of a source fetched at or after `from` and before `to`, in the order of their fetching. */
export async function listRawAnswers(
  dataDir: string,
  source: SourceId,
  from: Instant,
  to: Instant,
): Promise<StoredRawAnswer[]> {
  const found: StoredRawAnswer[] = [];
  const lastDate = localDate(to, 'UTC');
  for (let date = localDate(from, 'UTC'); date <= lastDate; date = addDays(date, 1)) {
    const folder = rawFolder(dataDir, source, date);
    const files = new Set(await listNames(folder));
    const answers = await readIndex(folder);
    found.push(...answers.filter(({ rawId }) => files.has(path.posix.basename(rawId))));
  }
  const isWanted = ({ fetchedAt }: StoredRawAnswer) =>
    Date.parse(fetchedAt) >= from * 1000 && Date.parse(fetchedAt) < to * 1000;
  return found.filter(isWanted).sort((a, b) => Date.parse(a.fetchedAt) - Date.parse(b.fetchedAt));
}

function rawAnswerFile(dataDir: string, rawId: string): string {
  return path.join(rawRoot(dataDir), ...rawId.split('/'));
}

/** `101530-monitor-3-1a2b3c4d.json.gz`: the same answer in the same second is the same file. */
function rawAnswerFileName(iso: string, part: string, sha256: string, extension: string): string {
  return `${iso.slice(11, 19).replaceAll(':', '')}-${part}-${sha256.slice(0, 8)}.${extension}.gz`;
}

async function storeBytes(
  dataDir: string,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<{ rawId: string; storedBytes: number }> {
  const compressed = await promisify(gzip)(bytes, { level: GZIP_LEVEL });
  await writeFileAtomically(path.join(folder, name), compressed);
  const rawId = path.relative(rawRoot(dataDir), path.join(folder, name)).split(path.sep).join('/');
  return { rawId, storedBytes: compressed.length };
}

function missing(rawId: string): ExternalError {
  return new ExternalError('raw_answer_missing', `raw response ${rawId} does not exist, or was dropped`);
}
