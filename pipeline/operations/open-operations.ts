import { constants } from 'node:fs';
import { access, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { ExternalError, isOfTheSystem, isSystemError } from '../effects/external-error.ts';
import { findJson, listNames } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { type FormerRun, openRunHistory, type RunHistory } from './run-history.ts';

interface OperationsSettings {
  readonly dataDir: string;
  readonly operations: { readonly postgresUrl: string | null };
}

interface HistoryEffects {
  readonly clock: Clock;
  readonly log: Log;
}

export function operationsFile(dataDir: string): string {
  return path.join(dataDir, 'operations', 'operations.sqlite');
}

/**
 * SQLite files that this process has opened, by the configuration that names them. A closed connection keeps its files
 * open until its statements are collected as garbage, so a service that looks once in a few seconds shares one.
 */
const opened = new WeakMap<OperationsSettings, Promise<RunHistory>>();

/**
 * Opens the history of runs of a data folder, in its file or in the configured database, and takes over the records
 * `locks/<job>.json` that earlier versions kept (in `jobs` before format 3): each becomes the first runs of its job and is removed.
 * @throws ExternalError `operations_store_failed`, `operations_store_too_new`
 */
export async function openOperations(settings: OperationsSettings, effects: HistoryEffects): Promise<RunHistory> {
  if (settings.operations.postgresUrl !== null) return openNew(settings, effects);
  const known = opened.get(settings);
  const opening = known ?? openNew(settings, effects);
  if (!known) {
    opened.set(settings, opening);
    opening.catch(() => opened.delete(settings));
  }
  return { ...(await opening), close: async () => {} };
}

async function openNew({ dataDir, operations }: OperationsSettings, effects: HistoryEffects): Promise<RunHistory> {
  const file = operationsFile(dataDir);
  const history = await openRunHistory({ file, postgresUrl: operations.postgresUrl }, effects).catch((error) => {
    throw isDamage(error) ? withRemedy(error, file) : error;
  });
  try {
    await takeOverRecords(dataDir, history, effects.log);
    return history;
  } catch (error) {
    await history.close();
    throw error;
  }
}

function isDamage(error: unknown): error is ExternalError {
  const cause = error instanceof ExternalError ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' && /^SQLITE_(NOTADB|CORRUPT)/.test(cause.code);
}

function withRemedy(error: ExternalError, file: string): ExternalError {
  return new ExternalError(error.code, `${error.message}; move ${file} away to start a new history`, {
    cause: error,
  });
}

/**
 * Opens the history to be looked at: where nothing was recorded yet, nothing is written. Of a folder that cannot be
 * written, a copy is looked at, as SQLite writes also to read.
 */
export async function openOperationsToRead(settings: OperationsSettings, effects: HistoryEffects): Promise<RunHistory> {
  const isThere =
    settings.operations.postgresUrl !== null ||
    (await doesExist(operationsFile(settings.dataDir))) ||
    (await listRecordFiles(settings.dataDir)).length > 0;
  if (!isThere) return openRunHistory({ file: ':memory:', postgresUrl: null }, effects);
  const isCopied = settings.operations.postgresUrl === null && !(await isWritable(settings.dataDir));
  return isCopied ? openCopy(settings.dataDir, effects) : openOperations(settings, effects);
}

async function openCopy(dataDir: string, effects: HistoryEffects): Promise<RunHistory> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-runs-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, 'operations.sqlite');
    for (const part of ['', '-wal']) await copyIfThere(`${operationsFile(dataDir)}${part}`, `${file}${part}`);
    const history = await openRunHistory({ file, postgresUrl: null }, effects);
    return { ...history, close: () => history.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error;
  });
}

async function isWritable(dataDir: string): Promise<boolean> {
  const file = operationsFile(dataDir);
  const places = (await doesExist(file)) ? [file, path.dirname(file)] : [dataDir];
  try {
    for (const place of places) await access(place, constants.W_OK);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EROFS') || isSystemError(error, 'EACCES')) return false;
    throw error;
  }
}

async function doesExist(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return false;
    throw error;
  }
}

// ---- Records of earlier versions ---------------------------------------------------------------

/** A job record as versions without a history wrote it; the last run alone. */
interface FormerRecord {
  readonly lastRun?: {
    readonly startedAt: string;
    readonly endedAt: string;
    readonly status: 'done' | 'unchanged' | 'failed';
    readonly attempts: number;
    readonly summary: string;
  };
  readonly lastSuccessAt?: string | null;
}

async function listRecordFiles(dataDir: string): Promise<string[]> {
  const folder = path.join(dataDir, 'locks');
  try {
    const names = await listNames(folder);
    return names.filter((name) => /^[a-z-]+\.json$/.test(name)).map((name) => path.join(folder, name));
  } catch (error) {
    // Something else in the place of the folder, or one that may not be read: the locks will say so.
    if (!isOfTheSystem(error)) throw error;
    return [];
  }
}

async function takeOverRecords(dataDir: string, history: RunHistory, log: Log): Promise<void> {
  for (const file of await listRecordFiles(dataDir)) {
    try {
      const record = await findJson<FormerRecord>(file);
      if (record) await history.takeOver(listFormerRuns(path.basename(file, '.json'), record));
      await rm(file, { force: true, recursive: true });
    } catch (error) {
      if (!isOfTheSystem(error)) throw error;
      log.warn(`${file}, the record of an earlier version, cannot be taken over: ${error.message}`);
    }
  }
}

/** The last success, where it is not the last run, and the last run. Nothing of a damaged record. */
function listFormerRuns(job: string, { lastRun, lastSuccessAt }: FormerRecord): FormerRun[] {
  if (!lastRun || !isTime(lastRun.startedAt) || !isTime(lastRun.endedAt)) return [];
  const { startedAt, endedAt, status, attempts, summary } = lastRun;
  if (!['done', 'unchanged', 'failed'].includes(status) || !Number.isInteger(attempts)) return [];
  const last: FormerRun = { job, state: status, startedAt, endedAt, attempts, summary: String(summary) };
  if (status !== 'failed' || !isTime(lastSuccessAt)) return [last];
  const before = { startedAt: lastSuccessAt, endedAt: lastSuccessAt, attempts: null, summary: null };
  return [{ job, state: 'done', ...before }, last];
}

function isTime(text: string | null | undefined): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text));
}
