import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Duckdb } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import { importRecordFile } from '../../lake/paths.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { findStopEventManifest, type StopEventInput } from '../stop-events/stop-event-store.ts';
import { type ArchiveTurn, ownTurn } from './archive-turns.ts';
import {
  buildDays,
  IMPORT_RULES_VERSION,
  type ImportedDay,
  type ImportFacts,
  isMadeOf,
  listInputs,
  publishDays,
  setUpImport,
} from './import-days.ts';
import { type StagedArchive, type StagedBatch, type StagedDay, stageArchive } from './stage-archive.ts';

/** Result of the last import of an archive; written last. The rows of its days are in their own manifests. */
interface ImportRecord {
  readonly sourceId: SourceId;
  readonly inputs: readonly StopEventInput[];
  readonly rulesVersion: number;
  /** The requested days; null: all. */
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  /** Sum of `refused`, `rowsOutside` and the rows of all days. */
  readonly rowsRead: number;
  /** Rows without a service date, by code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly rowsOutside: number;
  /** Rows of the archive, refused ones among them. */
  readonly days: readonly { readonly serviceDate: ServiceDate; readonly rows: number }[];
  /** Days that this import has built; the counts below are theirs. */
  readonly builtDays: number;
  readonly refusedInDays: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, number>>;
  readonly importedAt: string;
}

async function findImportRecord(dataDir: string, source: SourceId, archiveName: string): Promise<ImportRecord | null> {
  return findJson<ImportRecord>(importRecordFile(dataDir, source, archiveName));
}

async function writeImportRecord(dataDir: string, archiveName: string, record: ImportRecord): Promise<void> {
  await writeJsonAtomically(importRecordFile(dataDir, record.sourceId, archiveName), record);
}

/** Whether all requested days exist, built from this file by this mapping and these rules. */
async function isImported(
  record: ImportRecord,
  facts: ImportFacts,
  period: { readonly from: ServiceDate | null; readonly to: ServiceDate | null },
): Promise<boolean> {
  if (!isMadeOf(record, facts)) return false;
  const coversBegin = record.from === null || (period.from !== null && period.from >= record.from);
  const coversEnd = record.to === null || (period.to !== null && period.to <= record.to);
  if (!coversBegin || !coversEnd) return false;
  for (const { serviceDate } of record.days) {
    if ((period.from && serviceDate < period.from) || (period.to && serviceDate > period.to)) continue;
    const manifest = await findStopEventManifest(facts.dataDir, facts.source, serviceDate);
    if (manifest?.kind !== 'import' || !isMadeOf(manifest, facts)) return false;
  }
  return true;
}

interface ImportRequest {
  readonly facts: ImportFacts;
  readonly file: string;
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  /** Everything except publishing. */
  readonly isDryRun: boolean;
  /** Rebuilds days that exist already. */
  readonly isForced: boolean;
  /** Among archives that are imported at the same time; absent: it is alone. */
  readonly turn?: ArchiveTurn;
}

export interface ImportOutcome {
  /** All days existed already, built from the same file by the same mapping and rules. */
  readonly isUnchanged: boolean;
  readonly record: ImportRecord;
}

/**
 * Imports one archive into the stop events. Its days are built in batches and published one by one; after a crash the
 * next import builds the missing ones.
 * @param folder an empty work folder on the same disk as the lake
 * @throws MappingError when the mapping does not fit the archive
 * @throws ExternalError `archive_unreadable`; `import_conflict` where a day has rows of a realtime source
 */
export async function importArchive(
  db: Duckdb,
  folder: string,
  request: ImportRequest,
  log: Log,
): Promise<ImportOutcome> {
  const { facts, file, isForced } = request;
  const known = await findImportRecord(facts.dataDir, facts.source, facts.archiveName);
  if (known && !isForced && (await isImported(known, facts, request))) return { isUnchanged: true, record: known };
  log.progress(`${facts.archiveName}: reading`);
  const stagedFolder = path.join(folder, 'staged');
  try {
    const staged = await stageArchive(db, file, facts.mapping, stagedFolder, request);
    return await importStaged(db, folder, request, staged, log);
  } finally {
    // The next archive is staged in the same place, also after a failure.
    await rm(stagedFolder, { recursive: true, force: true });
  }
}

async function importStaged(
  db: Duckdb,
  folder: string,
  request: ImportRequest,
  staged: StagedArchive,
  log: Log,
): Promise<ImportOutcome> {
  const { facts, from, to, isDryRun } = request;
  const days = staged.batches.flatMap((batch) => batch.days);
  const waiting = await listWaiting(days, request);
  const built = await importDays({ db, folder, log }, request, staged.batches, waiting);
  const record: ImportRecord = {
    sourceId: facts.source,
    inputs: listInputs(facts),
    rulesVersion: IMPORT_RULES_VERSION,
    from,
    to,
    rowsRead: staged.rowsRead,
    refused: nonZero({ unreadable_line: staged.unreadable, no_service_date: staged.withoutDate }),
    rowsOutside: staged.outside,
    days,
    builtDays: built.length,
    refusedInDays: total(built.map(({ refused }) => refused)),
    notes: total(built.map(({ notes }) => notes)),
    importedAt: facts.builtAt,
  };
  assertAllThere(record, facts.archiveName);
  if (!isDryRun) await writeImportRecord(facts.dataDir, facts.archiveName, record);
  return { isUnchanged: built.length === 0, record };
}

/** @param waiting the days to build; the others are in the lake */
async function importDays(
  { db, folder, log }: { readonly db: Duckdb; readonly folder: string; readonly log: Log },
  { facts, isDryRun, turn = ownTurn }: ImportRequest,
  batches: readonly StagedBatch[],
  waiting: readonly StagedDay[],
): Promise<ImportedDay[]> {
  turn.announce(waiting.map(({ serviceDate }) => serviceDate));
  await setUpImport(db, facts);
  const built: ImportedDay[] = [];
  for (const batch of batches) {
    const days = batch.days.filter((day) => waiting.includes(day));
    if (days.length === 0) continue;
    log.progress(`${facts.archiveName}: ${days[0]!.serviceDate}, day ${built.length + 1} of ${waiting.length}`);
    const result = await buildDays(db, batch, days, facts);
    built.push(...result);
    for (const { serviceDate } of days) await turn.waitFor(serviceDate);
    if (!isDryRun) await publishDays(db, result, facts, await makeFolder(folder));
  }
  return built;
}

/** Days that are missing or out of date. Nothing has been written when this throws. */
async function listWaiting(days: readonly StagedDay[], { facts, isForced }: ImportRequest): Promise<StagedDay[]> {
  const waiting: StagedDay[] = [];
  for (const day of days) {
    const manifest = await findStopEventManifest(facts.dataDir, facts.source, day.serviceDate);
    if (manifest?.kind === 'realtime') {
      const what = `${facts.source} already has recorded rows for ${day.serviceDate}`;
      throw new ExternalError('import_conflict', `${what}; import the archive under another name with --source`);
    }
    if (isForced || manifest === null || !isMadeOf(manifest, facts)) waiting.push(day);
  }
  return waiting;
}

function assertAllThere({ rowsRead, refused, rowsOutside, days }: ImportRecord, name: string): void {
  const dated = days.reduce((sum, { rows }) => sum + rows, 0);
  const left = Object.values(refused).reduce((sum, n) => sum + n, 0) + rowsOutside;
  if (rowsRead !== dated + left) throw new Error(`${name}: of ${rowsRead} rows ${dated} have a day and ${left} do not`);
}

async function makeFolder(folder: string): Promise<string> {
  const made = path.join(folder, 'published');
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  return made;
}

function total(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of counts) for (const [name, n] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + n;
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nonZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
}
