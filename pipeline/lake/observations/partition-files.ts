import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { isThere, listNames, syncFolder, syncFolders } from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { observationPartition, observationStateFolder, observationsFolder } from '../paths.ts';
import { formatSegment } from './journal.ts';

/*
 * A partition holds `part-<writer>-<n>.parquet`, the rows of segment n of the journal of a writer, and at most one
 * `compact-<writer>-<n>.parquet` of each writer, the rows of all its segments up to n. The segments of a writer reach the
 * lake in order, so its parts up to n beside `compact-<writer>-<n>` are duplicates and are removed. Versions before
 * December 2026 wrote names without a writer.
 */

/** Folder levels to sync, as a new source creates them: date, source, table and lake. */
const PARTITION_LEVELS = 4;

const FILE_NAME = /^(part|compact)-(?:([0-9a-f]{8})-)?(\d+)\.parquet$/;

export function partName(writer: string, segment: number): string {
  return toName('part', writer, segment);
}

export function compactName(writer: string, segment: number): string {
  return toName('compact', writer, segment);
}

function toName(kind: 'part' | 'compact', writer: string, segment: number): string {
  return `${[kind, writer, formatSegment(segment)].filter((part) => part !== '').join('-')}.parquet`;
}

interface PartitionFile {
  readonly name: string;
  readonly isCompact: boolean;
  /** Empty: none. */
  readonly writer: string;
  readonly segment: number;
}

/** Files of a partition by their writer; others are left out. */
function groupByWriter(names: readonly string[]): Map<string, PartitionFile[]> {
  const groups = new Map<string, PartitionFile[]>();
  for (const name of names) {
    const [, kind, writer = '', segment] = FILE_NAME.exec(name) ?? [];
    if (kind === undefined) continue;
    const file = { name, isCompact: kind === 'compact', writer, segment: Number(segment) };
    groups.set(writer, [...(groups.get(writer) ?? []), file]);
  }
  return groups;
}

/** Splits the files of a partition into valid ones and those whose rows another file covers. */
export function sortOut(names: readonly string[]): { kept: string[]; covered: string[] } {
  const kept: string[] = [];
  const covered: string[] = [];
  for (const files of groupByWriter(names).values()) {
    const compacted = Math.max(-1, ...files.filter(({ isCompact }) => isCompact).map(({ segment }) => segment));
    for (const { name, isCompact, segment } of files) {
      const isCovered = isCompact ? segment < compacted : segment <= compacted;
      (isCovered ? covered : kept).push(name);
    }
  }
  return { kept: kept.sort(), covered: covered.sort() };
}

/** The newest segment of a writer among the files of a partition; -1 if there is none. */
export function newestSegment(names: readonly string[], writer: string): number {
  return Math.max(-1, ...(groupByWriter(names).get(writer) ?? []).map(({ segment }) => segment));
}

/** The valid files of a partition that one compacted file each replaces, by its name. */
export function planCompaction(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = [...groupByWriter(sortOut(names).kept)];
  return new Map(
    groups.map(([writer, files]) => [
      compactName(writer, Math.max(...files.map(({ segment }) => segment))),
      files.map(({ name }) => name),
    ]),
  );
}

/** Moves a finished file into its partition. A file of the same name is replaced: it holds the same rows. */
export async function placeFile(file: string, partition: string, name: string): Promise<void> {
  await mkdir(partition, { recursive: true });
  try {
    await rename(file, path.join(partition, name));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    // A compaction has just moved the folder away; it returns with the compacted file.
    await mkdir(partition, { recursive: true });
    await rename(file, path.join(partition, name));
  }
  await dropCovered(partition);
  await syncFolders(partition, PARTITION_LEVELS);
}

async function dropCovered(partition: string): Promise<void> {
  const { covered } = sortOut(await listNames(partition));
  for (const name of covered) await rm(path.join(partition, name), { force: true });
}

// ---- The swap of a whole partition -------------------------------------------------------------

/**
 * Replaces the files of a partition by the compacted ones. The first rename commits the swap: after a crash
 * `finishSwaps` completes it. Files that are added meanwhile, and those of other writers, stay.
 * @param aside a folder with only the compacted files, synced; removed afterwards
 */
export async function swapPartition(
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

/**
 * Completes swaps that a crash interrupted. Harmless without any, or while the compaction is still running.
 * @param isWanted whether those of a day; another process may swap the files of other days at the same time
 */
export async function finishSwaps(
  dataDir: string,
  source: SourceId,
  isWanted: (date: ServiceDate) => boolean = () => true,
): Promise<void> {
  const names = await listNames(swapsFolder(dataDir, source));
  const dates = names.flatMap((name) => parseServiceDate(SWAP_NAME.exec(name)?.[1] ?? '') ?? []);
  for (const date of [...new Set(dates)].sort()) if (isWanted(date)) await finishSwap(dataDir, source, date);
}

/** Does nothing where the day has no swap. */
export async function finishSwap(dataDir: string, source: SourceId, date: ServiceDate): Promise<void> {
  const swap = swapFolder(dataDir, source, date);
  const partition = observationPartition(dataDir, source, date);
  const old = path.join(swap, 'old');
  const names = await listNames(path.dirname(swap));
  // A crash before their removal has left them.
  const ended = names.filter((name) => name.startsWith(`${path.basename(swap)}.`));
  for (const name of ended) await rm(path.join(path.dirname(swap), name), { recursive: true, force: true });
  if (!names.includes(path.basename(swap))) return;
  const compacted = (await listNames(swap)).filter((name) => FILE_NAME.test(name));
  if (compacted.length > 0) {
    // The old folder is renamed as a whole. When `old` exists, this step is already done.
    await rename(partition, old).catch(ignore('ENOENT', 'ENOTEMPTY', 'EEXIST'));
    await mkdir(partition, { recursive: true });
    for (const name of compacted)
      await rename(path.join(swap, name), path.join(partition, name)).catch(ignore('ENOENT'));
  }
  // Files added meanwhile are in the old folder and move back; compacted ones are dropped with it.
  const present = await listNames(partition);
  const { kept } = sortOut([...present, ...(await listNames(old))]);
  // The compacted file may have the name of the one that it replaces.
  const moved = kept.filter((name) => !present.includes(name));
  for (const name of moved) await rename(path.join(old, name), path.join(partition, name)).catch(ignore('ENOENT'));
  await dropCovered(partition);
  await syncFolders(partition, PARTITION_LEVELS).catch(ignore('ENOENT'));
  // Renamed before it is removed: a removal file by file could meet the next swap of the day under the same name.
  const aside = `${swap}.${randomBytes(6).toString('hex')}`;
  await rename(swap, aside).catch(ignore('ENOENT'));
  await rm(aside, { recursive: true, force: true });
}

/** Whether a swap of the day is under way, or waits to be completed. */
export function isSwapping(dataDir: string, source: SourceId, date: ServiceDate): Promise<boolean> {
  return isThere(swapFolder(dataDir, source, date));
}

/** Of a swap, or with a random ending of one that has ended. */
const SWAP_NAME = /^service_date=([^.]+)(\.[0-9a-f]{12})?$/;

function swapsFolder(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'swaps');
}

function swapFolder(dataDir: string, source: SourceId, date: ServiceDate): string {
  return path.join(swapsFolder(dataDir, source), `service_date=${date}`);
}

// ---- Lists -------------------------------------------------------------------------------------

/** Sources with observations in the lake. */
export async function listObservedSources(dataDir: string): Promise<SourceId[]> {
  const names = await listNames(observationsFolder(dataDir));
  return names
    .map((name) => name.replace(/^source=/, ''))
    .filter(isSourceId)
    .sort();
}

/** Service dates with observations in the lake, oldest first. */
export async function listObservedDates(dataDir: string, source: SourceId): Promise<ServiceDate[]> {
  return listDates(path.join(observationsFolder(dataDir), `source=${source}`));
}

/** The valid files of a partition, by name; each row is in one of them. */
export async function listObservationFiles(dataDir: string, source: SourceId, date: ServiceDate): Promise<string[]> {
  const partition = observationPartition(dataDir, source, date);
  return sortOut(await listNames(partition)).kept.map((name) => path.join(partition, name));
}

async function listDates(folder: string): Promise<ServiceDate[]> {
  const names = await listNames(folder);
  return names.flatMap((name) => parseServiceDate(name.replace(/^service_date=/, '')) ?? []).sort();
}

function ignore(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.some((code) => isSystemError(error, code))) throw error;
  };
}
