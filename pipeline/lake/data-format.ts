import { chmod, lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { findJson, listNames, writeJsonAtomically } from '../effects/files.ts';

/** The file in a data folder that states how the folder is laid out. */
interface DataFormat {
  readonly format: number;
  /** Version of the program that brought the folder to this format. */
  readonly writtenBy: string;
}

/** Leads a data folder from one format to the next. Run again after an interruption, it completes what is missing. */
export interface Migration {
  /** The format that it leads to. */
  readonly to: number;
  /** Description for the operator. */
  readonly about: string;
  run(dataDir: string, progress: (step: string) => void): Promise<void>;
}

/**
 * All migrations, from format 1 on, which had no file. A released one is never changed. What can be rebuilt needs none:
 * snapshots, marts and features have separate format numbers and are rebuilt when these differ.
 */
export const migrations: readonly Migration[] = [
  {
    to: 2,
    about: 'secrets and watches are closed to other users',
    run: async (dataDir, progress) => {
      for (const name of ['secrets', 'watches']) {
        progress(name);
        await closeToOthers(path.join(dataDir, name));
      }
    },
  },
  {
    to: 3,
    about: 'locks move from jobs to locks, so that programs that know no format cannot run jobs on newer data',
    run: async (dataDir, progress) => {
      progress('locks');
      await moveFormerLocks(dataDir);
      await blockFormerPrograms(dataDir);
    },
  },
];

/** Where programs before format 3 keep their locks. */
export function formerLocksFolder(dataDir: string): string {
  return path.join(dataDir, 'jobs');
}

/**
 * Puts a file where programs before format 3 make the folder of their locks: the oldest ones look at no format, but can
 * run no job and poll no source without a lock.
 */
export async function blockFormerPrograms(dataDir: string): Promise<void> {
  const sentence =
    'The format of this data folder is in format.json; programs that use a folder "jobs" are too old for it.';
  await writeJsonAtomically(formerLocksFolder(dataDir), { sentence });
}

/** Moves records of jobs to `locks`, where they are taken over from; locks of dead processes are dropped. */
async function moveFormerLocks(dataDir: string): Promise<void> {
  const former = formerLocksFolder(dataDir);
  const facts = await lstat(former).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  });
  if (!facts?.isDirectory()) return;
  const locks = path.join(dataDir, 'locks');
  await mkdir(locks, { recursive: true });
  for (const name of await listNames(former)) {
    if (name.endsWith('.json')) await rename(path.join(former, name), path.join(locks, name));
    else await rm(path.join(former, name), { recursive: true, force: true });
  }
  await rmdir(former);
}

export function formatFile(dataDir: string): string {
  return path.join(dataDir, 'format.json');
}

/** The format that this program writes. */
export function newestFormat(steps: readonly Migration[] = migrations): number {
  return steps.at(-1)?.to ?? 1;
}

/**
 * Returns the format of a data folder.
 * @returns null for a folder that is missing or has no data; 1 for data without a statement
 * @throws ExternalError `data_format_damaged`
 */
export async function findDataFormat(dataDir: string): Promise<number | null> {
  const names = await listNames(dataDir);
  if (!names.includes(path.basename(formatFile(dataDir)))) {
    return STORES.some((name) => names.includes(name)) ? 1 : null;
  }
  const format = (await findJson<Partial<DataFormat>>(formatFile(dataDir)))?.format;
  if (typeof format === 'number' && Number.isSafeInteger(format) && format >= 1) return format;
  throw new ExternalError(
    'data_format_damaged',
    `${formatFile(dataDir)} does not state a format: restore it from a backup, or write {"format": ${newestFormat()}} into it if this program has written the folder`,
  );
}

/** Folders that only this program makes; the folder may hold other things, such as the configuration file. */
const STORES = [
  'lake',
  'snapshots',
  'jobs',
  'locks',
  'operations',
  'marts',
  'network-maps',
  'secrets',
  'state',
  'streets',
  'watches',
  'realtime',
];

/** The folders in a data folder that only this program writes. */
export function dataFolders(dataDir: string): readonly string[] {
  return STORES.map((name) => path.join(dataDir, name)).filter((place) => place !== formerLocksFolder(dataDir));
}

export async function writeDataFormat(dataDir: string, format: number, writtenBy: string): Promise<void> {
  await writeJsonAtomically(formatFile(dataDir), { format, writtenBy } satisfies DataFormat);
}

/** @throws ExternalError `data_too_new` for a folder that a newer program has written */
export function assertReadable(dataDir: string, format: number, program: string, newest = newestFormat()): void {
  if (format <= newest) return;
  throw new ExternalError(
    'data_too_new',
    `${dataDir} has format ${format}, and taktgeber ${program} knows formats up to ${newest}: nothing was changed. ` +
      'Install the version that wrote it, or a later one, or restore a backup from before the upgrade with "taktgeber restore"',
  );
}

async function closeToOthers(folder: string): Promise<void> {
  for (const name of await listNames(folder)) await chmodIfThere(path.join(folder, name), 0o600);
  await chmodIfThere(folder, 0o700);
}

async function chmodIfThere(place: string, mode: number): Promise<void> {
  await chmod(place, mode).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error;
  });
}
