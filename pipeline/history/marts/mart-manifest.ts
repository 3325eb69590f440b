import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { isSystemError, WorldError } from '../../effects/world-error.ts';
import { martFile, martsFolder } from '../../lake/paths.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { type DailyMart, type MartName, martTables } from './mart-tables.ts';

/** Inputs of the marts: a month is stale when its stop events or its rules have changed. */
interface MartManifest {
  readonly formatVersion: 1;
  /** By `YYYY-MM`. */
  readonly months: Readonly<Record<string, MonthFacts>>;
}

export interface MonthFacts {
  /** `nameRules` of the build; empty while the files are being replaced, and after a crash meanwhile. */
  readonly rules: string;
  readonly days: Readonly<Record<ServiceDate, DayFacts>>;
  readonly files: Readonly<Partial<Record<MartName, FileFacts>>>;
  readonly builtAt: string;
}

export interface DayFacts {
  /** By source, the hash of its stop events: `rowsHash` of their manifest. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<DailyMart, number>>;
}

export interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
}

/** Mart names in the order in which their files are replaced. */
export const martNames = Object.keys(martTables) as MartName[];

function manifestFile(dataDir: string): string {
  return path.join(martsFolder(dataDir), 'manifest.json');
}

export async function readMartManifest(dataDir: string): Promise<MartManifest> {
  const manifest = await findJson<MartManifest>(manifestFile(dataDir));
  return manifest?.formatVersion === 1 && typeof manifest.months === 'object'
    ? manifest
    : { formatVersion: 1, months: {} };
}

/** @param facts null where no file of the month is left */
export async function writeMonthFacts(dataDir: string, month: string, facts: MonthFacts | null): Promise<void> {
  const { months } = await readMartManifest(dataDir);
  const others = Object.entries(months).filter(([name]) => name !== month);
  const all = [...others, ...(facts ? [[month, facts] as const] : [])].sort(([a], [b]) => (a < b ? -1 : 1));
  await writeJsonAtomically(manifestFile(dataDir), { formatVersion: 1, months: Object.fromEntries(all) });
}

/** Whether the files of a month match its facts. */
export async function isIntact(dataDir: string, month: string, { files }: MonthFacts): Promise<boolean> {
  for (const mart of martNames) {
    const recorded = files[mart];
    if (!recorded || (await sizeOf(martFile(dataDir, mart, month))) !== recorded.bytes) return false;
  }
  return true;
}

/**
 * Months are replaced mart by mart: after a build that was killed or has failed in between, some files of a month are old,
 * some new, and some may be missing.
 */
export async function sortOutMonths(dataDir: string): Promise<{ settled: string[]; unsettled: string[] }> {
  const { months } = await readMartManifest(dataDir);
  const all = [...new Set([...Object.keys(months), ...(await listMartMonths(dataDir))])].sort();
  const settled: string[] = [];
  for (const month of all) {
    const facts = months[month];
    if (facts && facts.rules !== '' && (await isIntact(dataDir, month, facts))) settled.push(month);
  }
  return { settled, unsettled: all.filter((month) => !settled.includes(month)) };
}

/**
 * Asked before a history is published: the months of a run are built one by one, and others go on where one has failed.
 * @throws WorldError `marts_unfinished`
 */
export async function assertSettledMonths(dataDir: string): Promise<void> {
  const { unsettled } = await sortOutMonths(dataDir);
  if (unsettled.length === 0) return;
  throw new WorldError(
    'marts_unfinished',
    `the marts of ${unsettled.join(', ')} are partly replaced, so the history stays as it was: run build-marts for all days`,
    { isRetryable: true },
  );
}

/** Months that have a folder in some mart, recorded or not. */
export async function listMartMonths(dataDir: string): Promise<string[]> {
  const months = new Set<string>();
  for (const mart of martNames) {
    for (const name of await listNames(path.join(martsFolder(dataDir), mart))) {
      const month = /^month=(\d{4}-\d{2})$/.exec(name)?.[1];
      if (month && (await readdir(path.dirname(martFile(dataDir, mart, month)))).length > 0) months.add(month);
    }
  }
  return [...months].sort();
}

/** @returns bytes; null where there is no such file */
export async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
