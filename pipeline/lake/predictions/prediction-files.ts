import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { findJson, isThere, listNames, syncFolder, syncFolders, writeJsonAtomically } from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { predictionPartition, predictionStateFolder } from '../paths.ts';

/*
 * A partition holds the parts that the service has stored, `<instant>-<random>.parquet`, and at most one
 * `day-<hash>.parquet`, the rows of those that were compacted. Other than those of observations, parts have no order
 * that would say which ones a compaction covers: its swap has a list of them.
 */

/** Folder levels to sync, as a new source creates them: date, source, table and lake. */
const PARTITION_LEVELS = 4;

const COMPACTED = /^day-[0-9a-f]+\.parquet$/;

/** In the folder of a swap: the names of the files whose rows the compacted one has. */
const COVERED = 'covered.json';

export function compactedName(hash: string): string {
  return `day-${hash}.parquet`;
}

export function isCompacted(name: string): boolean {
  return COMPACTED.test(name);
}

/** The files of a partition, by name; each row is in one of them. */
export async function listPredictionFiles(dataDir: string, source: SourceId, date: ServiceDate): Promise<string[]> {
  const partition = predictionPartition(dataDir, source, date);
  const names = (await listNames(partition)).filter((name) => name.endsWith('.parquet')).sort();
  return names.map((name) => path.join(partition, name));
}

/**
 * Replaces files of a partition by the compacted one. The first rename commits the swap: after a crash
 * `finishPredictionSwaps` completes it. Files that are added meanwhile stay.
 * @param aside a folder with the compacted file and the list of `noteCovered`, synced; gone afterwards
 */
export async function swapPredictions(
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  aside: string,
): Promise<void> {
  const swap = swapFolder(dataDir, source, date);
  await mkdir(path.dirname(swap), { recursive: true });
  await assertMayPublish();
  await rename(aside, swap);
  await syncFolder(path.dirname(swap));
  await finishSwap(dataDir, source, date);
}

interface Covered {
  readonly files: readonly string[];
}

/** Notes in the folder of a compacted file the names of the files that it covers. */
export async function noteCovered(aside: string, files: readonly string[]): Promise<void> {
  await writeJsonAtomically(coveredFile(aside), { files } satisfies Covered);
}

function coveredFile(folder: string): string {
  return path.join(folder, COVERED);
}

/**
 * Completes swaps that a crash interrupted, before the files of partitions are listed. No compaction of these days runs
 * meanwhile.
 * @param isWanted whether those of a day; units of the same run may be at work on other days
 * @throws ExternalError `swap_damaged`
 */
export async function finishPredictionSwaps(
  dataDir: string,
  isWanted: (date: ServiceDate) => boolean = () => true,
): Promise<void> {
  for (const { source, date } of await listPredictionSwaps(dataDir)) {
    if (isWanted(date)) await finishSwap(dataDir, source, date);
  }
}

/** Days whose swap is under way, or waits to be completed. */
export async function listPredictionSwaps(
  dataDir: string,
): Promise<{ readonly source: SourceId; readonly date: ServiceDate }[]> {
  const root = predictionStateFolder(dataDir);
  const swaps: { source: SourceId; date: ServiceDate }[] = [];
  for (const folder of await listNames(root)) {
    const source = folder.replace(/^source=/, '');
    if (!isSourceId(source)) continue;
    for (const name of await listNames(path.join(root, folder, 'swaps'))) {
      const date = parseServiceDate(name.replace(/^service_date=/, ''));
      if (date) swaps.push({ source, date });
    }
  }
  return swaps;
}

async function finishSwap(dataDir: string, source: SourceId, date: ServiceDate): Promise<void> {
  const swap = swapFolder(dataDir, source, date);
  const partition = predictionPartition(dataDir, source, date);
  const old = path.join(swap, 'old');
  const covered = (await findJson<Covered>(coveredFile(swap)))?.files ?? null;
  if (covered === null && (await isThere(old))) {
    throw new ExternalError(
      'swap_damaged',
      `${coveredFile(swap)} cannot be read: restore it from a backup, or move the files of ${old} that are not in the day's file back to ${partition}`,
    );
  }
  if (covered !== null) {
    const compacted = (await listNames(swap)).find(isCompacted);
    if (compacted !== undefined) {
      // The folder is renamed as a whole. When `old` exists, this step is already done.
      await rename(partition, old).catch(ignore('ENOENT', 'ENOTEMPTY', 'EEXIST'));
      await mkdir(partition, { recursive: true });
      await rename(path.join(swap, compacted), path.join(partition, compacted));
    }
    const added = (await listNames(old)).filter((name) => !covered.includes(name));
    for (const name of added) await rename(path.join(old, name), path.join(partition, name));
    await syncFolders(partition, PARTITION_LEVELS).catch(ignore('ENOENT'));
    // Before the list, without which its files would count as added.
    await rm(old, { recursive: true, force: true });
    await syncFolder(swap);
  }
  await rm(swap, { recursive: true, force: true });
}

/** Whether a swap of the day is under way, or waits to be completed. */
export function isSwappingPredictions(dataDir: string, source: SourceId, date: ServiceDate): Promise<boolean> {
  return isThere(swapFolder(dataDir, source, date));
}

function swapFolder(dataDir: string, source: SourceId, date: ServiceDate): string {
  return path.join(predictionStateFolder(dataDir), `source=${source}`, 'swaps', `service_date=${date}`);
}

function ignore(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.some((code) => isSystemError(error, code))) throw error;
  };
}
