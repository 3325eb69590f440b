import { rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../effects/external-error.ts';
import { listNames } from '../effects/files.ts';
import { isAhead } from '../model/clock-tolerance.ts';
import { type Instant, localDate, parseTimestamp } from '../model/service-time.ts';
import { findDeletionTime, noteDeletionTime } from './deletion-clock.ts';
import { rawRoot } from './paths.ts';
import { isIndex, readIndex } from './raw-answer-index.ts';

export interface RawLimits {
  readonly maxAgeHours: number;
  /** Limit of all sources together, as stored. */
  readonly maxBytes: number;
}

export interface PrunedRawAnswers {
  readonly files: number;
  readonly bytes: number;
  readonly keptBytes: number;
}

interface StoredFile {
  readonly file: string;
  readonly bytes: number;
  /** When the newest answer with these bytes was fetched. */
  readonly usedAt: Instant;
}

/** Answers, and leftovers of a crash; other files of the raw store have other names. */
const ANSWER_NAME = /^(\d{2})(\d{2})(\d{2})-[a-z0-9-]+\.[a-z0-9-]+\.gz(\.[0-9a-f]+\.tmp)?$/;

/** The poller prunes every hour: a clock that jumped ahead deletes at most twice that. */
const LONGEST_PRUNE_GAP_SECONDS = 2 * 3600;

/**
 * Deletes raw answers, oldest first, until none is too old and their total is not too large. Answers dated in the
 * future, by a wrong clock, never become too old, and are deleted first when space is needed.
 */
export async function pruneRawAnswers(dataDir: string, limits: RawLimits, now: Instant): Promise<PrunedRawAnswers> {
  const instant = await findDeletionTime(dataDir, 'raw-answers', LONGEST_PRUNE_GAP_SECONDS, now);
  const oldest = (instant - limits.maxAgeHours * 3600) as Instant;
  const folders = await listDayFolders(dataDir);
  const isWrong = ({ usedAt }: StoredFile) => isAhead(usedAt, now);
  const files = (await Promise.all(folders.map(listStored)))
    .flat()
    .sort((a, b) => Number(isWrong(b)) - Number(isWrong(a)) || a.usedAt - b.usedAt);
  let keptBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const dropped: StoredFile[] = [];
  for (const stored of files) {
    if (stored.usedAt >= oldest && keptBytes <= limits.maxBytes) continue;
    await rm(stored.file, { force: true });
    dropped.push(stored);
    keptBytes -= stored.bytes;
  }
  for (const folder of folders) await removeIfDone(folder, oldest, now);
  if (files.length > 0) await noteDeletionTime(dataDir, 'raw-answers', instant);
  return { files: dropped.length, bytes: dropped.reduce((sum, { bytes }) => sum + bytes, 0), keptBytes };
}

async function listDayFolders(dataDir: string): Promise<string[]> {
  const root = rawRoot(dataDir);
  const folders: string[] = [];
  for (const source of (await listNames(root)).filter((name) => name.startsWith('source='))) {
    const days = (await listNames(path.join(root, source))).filter((name) => name.startsWith('fetch_date='));
    folders.push(...days.map((day) => path.join(root, source, day)));
  }
  return folders;
}

async function listStored(folder: string): Promise<StoredFile[]> {
  const known = new Map<string, { bytes: number; usedAt: Instant }>();
  for (const { rawId, storedBytes, fetchedAt } of await readIndex(folder)) {
    const name = path.posix.basename(rawId);
    const usedAt = Math.max(known.get(name)?.usedAt ?? 0, Date.parse(fetchedAt) / 1000) as Instant;
    known.set(name, { bytes: storedBytes, usedAt });
  }
  const stored: StoredFile[] = [];
  for (const name of (await listNames(folder)).filter((one) => ANSWER_NAME.test(one))) {
    const file = path.join(folder, name);
    stored.push({ file, ...(known.get(name) ?? (await describeUnfinished(file))) });
  }
  return stored;
}

/** A file that is missing in the index after a crash; its name contains its time. */
async function describeUnfinished(file: string): Promise<{ bytes: number; usedAt: Instant }> {
  const [, hours, minutes, seconds] = ANSWER_NAME.exec(path.basename(file))!;
  const usedAt = parseTimestamp(`${dateOf(path.dirname(file))}T${hours}:${minutes}:${seconds}Z`) ?? (0 as Instant);
  try {
    return { bytes: (await stat(file)).size, usedAt };
  } catch (error) {
    // It was being written, and has its final name by now.
    if (isSystemError(error, 'ENOENT')) return { bytes: 0, usedAt };
    throw error;
  }
}

/**
 * Removes the indexes of a day that is over, once no answer is here and all of their lines are older than the limit. Before
 * that, answers that are missing here may still be in the object store, from another poller: its removal would be
 * published, and nothing would list them any more. A folder that is not empty stays.
 */
async function removeIfDone(folder: string, oldest: Instant, now: Instant): Promise<void> {
  const names = await listNames(folder);
  const isOver = dateOf(folder) < localDate(now, 'UTC');
  const indexes = names.filter(isIndex);
  if (!isOver || indexes.length === 0 || names.some((name) => ANSWER_NAME.test(name))) return;
  const index = await readIndex(folder);
  if (index.some(({ fetchedAt }) => Date.parse(fetchedAt) / 1000 >= oldest)) return;
  for (const name of indexes) await rm(path.join(folder, name), { force: true });
  if (names.length === indexes.length) await rmdir(folder);
}

function dateOf(folder: string): string {
  return path.basename(folder).replace(/^fetch_date=/, '');
}
