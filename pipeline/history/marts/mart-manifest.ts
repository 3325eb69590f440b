import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { martFile, martsFolder } from '../../lake/paths.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { type DailyMart, type MartName, martTables } from './mart-tables.ts';

/** Inputs of the marts: a month is stale when its stop events or its rules have changed. */
interface MartManifest {
  /** By `YYYY-MM`, oldest first. */
  readonly months: Readonly<Record<string, MonthFacts>>;
}

/** The file of one month. Each has its own, so that machines which build different months never write the same file. */
interface MonthManifest {
  readonly formatVersion: 1;
  /** Null: the month is gone, whatever the former manifest says. */
  readonly facts: MonthFacts | null;
}

/** One file for all months, written by earlier versions. The file of a month takes precedence. */
interface FormerManifest extends MartManifest {
  readonly formatVersion: 1;
}

export interface MonthFacts {
  /** `nameRules` of the build; empty while the files are being replaced, and after a crash meanwhile. */
  readonly rules: string;
  readonly days: Readonly<Record<ServiceDate, DayFacts>>;
  readonly files: Readonly<Partial<Record<MartName, MartFileFacts>>>;
  readonly builtAt: string;
}

export interface DayFacts {
  /** By source, the hash of its stop events: `rowsHash` of their manifest. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<DailyMart, number>>;
}

export interface MartFileFacts {
  readonly rows: number;
  readonly bytes: number;
}

const MONTH_FOLDER = /^month=(\d{4}-\d{2})$/;

/** Mart names in the order in which their files are replaced. */
export const martNames = Object.keys(martTables) as MartName[];

function formerManifestFile(dataDir: string): string {
  return path.join(martsFolder(dataDir), 'manifest.json');
}

/** Not an identifier, so that it cannot be the name of a mart. */
function monthManifestsFolder(dataDir: string): string {
  return path.join(martsFolder(dataDir), 'month-manifests');
}

function monthManifestFile(dataDir: string, month: string): string {
  return path.join(monthManifestsFolder(dataDir), `month=${month}`, 'manifest.json');
}

/** A month whose file is damaged has no facts, and is built again. */
export async function readMartManifest(dataDir: string): Promise<MartManifest> {
  const months = new Map(Object.entries(await readFormerMonths(dataDir)));
  for (const name of await listNames(monthManifestsFolder(dataDir))) {
    const month = MONTH_FOLDER.exec(name)?.[1];
    if (month === undefined) continue;
    const own = await findJson<MonthManifest>(monthManifestFile(dataDir, month));
    if (own?.formatVersion === 1 && typeof own.facts === 'object' && own.facts) months.set(month, own.facts);
    else months.delete(month);
  }
  return { months: Object.fromEntries([...months].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

async function readFormerMonths(dataDir: string): Promise<MartManifest['months']> {
  const former = await findJson<FormerManifest>(formerManifestFile(dataDir));
  return former?.formatVersion === 1 && typeof former.months === 'object' ? former.months : {};
}

/** @param facts null where no file of the month is left: this is written down, as the former manifest may name it */
export async function writeMonthFacts(dataDir: string, month: string, facts: MonthFacts | null): Promise<void> {
  const manifest: MonthManifest = { formatVersion: 1, facts };
  await writeJsonAtomically(monthManifestFile(dataDir, month), manifest);
}

/** Whether the files of a month match its facts, and none is missing in these. */
export async function isIntact(dataDir: string, month: string, facts: MonthFacts): Promise<boolean> {
  return martNames.every((mart) => facts.files[mart]) && (await hasRecordedFiles(dataDir, month, facts));
}

async function hasRecordedFiles(dataDir: string, month: string, { files }: MonthFacts): Promise<boolean> {
  for (const mart of martNames) {
    const recorded = files[mart];
    if (recorded && (await sizeOf(martFile(dataDir, mart, month))) !== recorded.bytes) return false;
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
 * Recorded months that a build has begun to replace or remove, and has not ended: they will be built again. One that
 * lacks a mart which is new in this version is whole.
 */
export async function listHalfReplacedMonths(dataDir: string): Promise<string[]> {
  const { months } = await readMartManifest(dataDir);
  const half: string[] = [];
  for (const [month, facts] of Object.entries(months)) {
    if (facts.rules === '' || !(await hasRecordedFiles(dataDir, month, facts))) half.push(month);
  }
  return half;
}

/**
 * Checked before a history is published: the months of a run are built one by one, and others continue after a failure.
 * @throws ExternalError `marts_unfinished`
 */
export async function assertSettledMonths(dataDir: string): Promise<void> {
  const { unsettled } = await sortOutMonths(dataDir);
  if (unsettled.length === 0) return;
  throw new ExternalError(
    'marts_unfinished',
    `the marts of ${unsettled.join(', ')} are partially replaced, so the history is unchanged. Run build-marts for all days`,
    { isRetryable: true },
  );
}

/** Months that have a folder in some mart, recorded or not. */
export async function listMartMonths(dataDir: string): Promise<string[]> {
  const months = new Set<string>();
  for (const mart of martNames) {
    for (const name of await listNames(path.join(martsFolder(dataDir), mart))) {
      const month = MONTH_FOLDER.exec(name)?.[1];
      if (month && (await listNames(path.dirname(martFile(dataDir, mart, month)))).length > 0) months.add(month);
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
