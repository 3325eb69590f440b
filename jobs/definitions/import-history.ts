import path from 'node:path';
import type { Duckdb } from '../../pipeline/effects/duckdb.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { MappingError } from '../../pipeline/history/archives/archive-mapping.ts';
import { type ArchiveTurn, ownTurn, queueArchives } from '../../pipeline/history/archives/archive-turns.ts';
import { type FoundMapping, findMapping, listMappings } from '../../pipeline/history/archives/find-mapping.ts';
import type { ImportOutcome } from '../../pipeline/history/archives/import-archive.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { RunCounts } from '../../pipeline/operations/job-run.ts';
import {
  type BackfillPlan,
  type DueWork,
  engineSettings,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
  type Json,
} from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { sumCounts } from '../job/sum-counts.ts';

/** Imports archives of other systems into the stop events. */
export function importHistoryJob(): Job {
  return {
    name: 'import-history',
    summary: 'Imports archives of past days (Parquet, CSV) into the stop events, using an SQL mapping.',
    accepts: ['file', 'mapping', 'source', 'from', 'to', 'force'],
    timeoutMinutes: 24 * 60,
    listWritten: async ({ options }) =>
      withMappingErrors(async () => {
        const { mapping } = await readImportOptions(options);
        return ofSources('stop-events', [getSource(options, mapping)]);
      }),
    division: { noun: 'archives', plan: planArchives },
    run: (context) => withMappingErrors(() => importHistory(context)),
  };
}

/** A mapping that cannot be read is wrong usage. */
async function withMappingErrors<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof MappingError) throw new UsageError(error.message);
    throw error;
  }
}

/** An archive is read as a whole, so its days are not divided. */
async function planArchives(context: JobContext): Promise<BackfillPlan> {
  const { files: patterns } = await readImportOptions(context.options);
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const { dataDir } = context.config;
  const files = await withEngine(dataDir, engineSettings(context), (db) => listArchives(db, patterns));
  const turns = new Map<string, ArchiveTurn>();
  return {
    units: files.map((file) => ({ name: file, options: { files: [file] } })),
    begin: async (_context, waiting) => {
      const queue = queueArchives(waiting.length);
      for (const [place, { name }] of waiting.entries()) turns.set(name, queue[place]!);
    },
    runUnit: async (inner, { name }) => {
      const turn = turns.get(name);
      try {
        return await importHistory(inner, turn);
      } catch (error) {
        // Wrong usage would end the other archives too.
        const code = findRefusalCode(error);
        if (code === null) throw error;
        const summary = (error as Error).message;
        return { status: 'failed', summary, hasBadInput: true, counts: { problems: { [code]: 1 } } };
      } finally {
        turn?.end();
      }
    },
  };
}

/** One imported archive. */
interface ImportedFile {
  readonly file: string;
  readonly outcome: ImportOutcome;
}

/** An archive that was not imported; nothing of it is in the lake. */
interface RefusedFile {
  readonly file: string;
  readonly code: string;
  readonly error: Error;
}

/**
 * Imports the archives that can be imported, and names the others.
 * @throws the error of the archives where none can be imported, a MappingError where the mapping is the cause
 */
async function importHistory(context: JobContext, turn = ownTurn): Promise<JobOutcome> {
  const { config, options } = context;
  const { files, mapping } = await readImportOptions(options);
  const source = getSource(options, mapping);
  // Imported on demand, as it loads the database engine.
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const imported: ImportedFile[] = [];
  const refused: RefusedFile[] = [];
  await withEngine(config.dataDir, engineSettings(context), async (db, folder) => {
    for (const file of await listArchives(db, files)) {
      try {
        imported.push({ file, outcome: await importFile(db, folder, file, { ...mapping, source, turn }, context) });
      } catch (error) {
        const code = findRefusalCode(error);
        if (code === null) throw error;
        refused.push({ file, code, error: error as Error });
      }
    }
  });
  if (imported.length === 0) throw summarise(refused);
  const outcome = toJobOutcome(imported, source, options);
  return refused.length === 0 ? outcome : nameRefused(outcome, refused);
}

/** Codes of errors that are about one archive, and say nothing of the others. */
const ARCHIVE_CODES = ['archive_unreadable', 'import_conflict'];

/** @returns null for an error that ends the run */
function findRefusalCode(error: unknown): string | null {
  if (error instanceof MappingError) return 'mapping_misfit';
  return error instanceof ExternalError && ARCHIVE_CODES.includes(error.code) ? error.code : null;
}

/** The error of a run that has imported nothing: wrong usage where the mapping fits none of the archives. */
function summarise(refused: readonly RefusedFile[]): Error {
  const [first] = refused;
  if (refused.length === 1) return first!.error;
  const messages = refused.map(({ error }) => error.message).join('; ');
  const isMisfit = refused.every(({ error }) => error instanceof MappingError);
  return isMisfit ? new MappingError(messages) : new ExternalError(first!.code, messages);
}

function nameRefused(outcome: JobOutcome, refused: readonly RefusedFile[]): JobOutcome {
  const problems = { ...outcome.counts?.problems };
  for (const { code } of refused) problems[code] = (problems[code] ?? 0) + 1;
  const messages = refused.map(({ error }) => error.message).join('; ');
  const archives = refused.length === 1 ? '1 archive was' : `${refused.length} archives were`;
  return {
    ...outcome,
    status: 'failed',
    summary: `${outcome.summary}; ${archives} not imported: ${messages}`,
    counts: { ...outcome.counts, problems },
    details: [
      ...(outcome.details as readonly Json[]),
      ...refused.map(({ file, code, error }) => ({ file, code, message: error.message })),
    ],
  };
}

async function listArchives(db: Duckdb, patterns: readonly string[]): Promise<string[]> {
  const { findArchives } = await import('../../pipeline/history/archives/read-archive.ts');
  const files: string[] = [];
  for (const pattern of patterns) files.push(...(await findArchives(db, pattern)));
  return files;
}

/** Imports one archive. */
export async function importFile(
  db: Duckdb,
  folder: string,
  file: string,
  { mapping, hash, source, turn = ownTurn }: FoundMapping & { readonly source: SourceId; readonly turn?: ArchiveTurn },
  { config, effects, options }: JobContext,
): Promise<ImportOutcome> {
  const { hashFile } = await import('../../pipeline/history/archives/read-archive.ts');
  const { importArchive } = await import('../../pipeline/history/archives/import-archive.ts');
  const facts = {
    dataDir: config.dataDir,
    source,
    mapping,
    mappingHash: hash,
    archiveName: path.basename(file),
    archiveHash: await hashFile(file),
    builtAt: new Date(effects.clock.nowMilliseconds()).toISOString(),
  };
  const { from, to, isDryRun, isForced } = options;
  return importArchive(db, folder, { facts, file, from, to, isDryRun, isForced, turn }, effects.log);
}

async function readImportOptions({
  files,
  mapping,
}: JobOptions): Promise<{ files: readonly string[]; mapping: FoundMapping }> {
  if (files === null) throw new UsageError('import-history requires --file with the path of an archive or a pattern');
  if (mapping === null) {
    throw new UsageError(`import-history requires --mapping: one of ${(await listMappings()).join(', ')}, or a file`);
  }
  // A path is already absolute, so the base folder does not matter.
  return { files, mapping: await findMapping(mapping, '/') };
}

function getSource({ sourceIds }: JobOptions, { mapping }: FoundMapping): SourceId {
  if (sourceIds && sourceIds.length !== 1) throw new UsageError('an archive belongs to exactly one --source');
  return sourceIds?.[0] ?? mapping.source;
}

function toJobOutcome(imported: readonly ImportedFile[], source: SourceId, { isDryRun }: JobOptions): JobOutcome {
  const details = imported.map(({ file, outcome }) => ({ file, ...outcome })) as unknown as Json;
  const changed = imported.filter(({ outcome }) => !outcome.isUnchanged);
  if (changed.length === 0) {
    const what = imported.length === 1 ? 'the archive is' : `${imported.length} archives are`;
    return { status: 'unchanged', summary: `nothing changed, ${what} already in the lake`, details };
  }
  const summary = changed.map(describeImport).join('; ');
  const did = isDryRun ? 'dry run, nothing written: ' : `into ${source}: `;
  return {
    status: 'done',
    summary: `${did}${summary}`,
    details,
    counts: countRows(changed),
    due: changed.map(describeDue),
  };
}

function describeDue({ file, outcome: { record } }: ImportedFile): DueWork {
  const reason = `${record.builtDays} of its ${record.days.length} days are missing or were built from other input`;
  return { what: path.basename(file), reason };
}

/** Rows of the archives as they were read; those of days that were there already are neither out nor refused. */
function countRows(changed: readonly ImportedFile[]): RunCounts {
  return sumCounts(
    changed.map(({ outcome: { record } }) => {
      const problems = { ...record.refused, ...record.refusedInDays };
      const rowsRefused = Object.values(problems).reduce((sum, n) => sum + n, 0);
      return { rowsIn: record.rowsRead, rowsRefused, problems };
    }),
  );
}

function describeImport({ file, outcome: { record } }: ImportedFile): string {
  const refused = { ...record.refused, ...record.refusedInDays };
  const codes = Object.entries(refused).map(([code, n]) => `${n.toLocaleString('en')} ${code}`);
  const total = Object.values(refused).reduce((sum, n) => sum + n, 0);
  return [
    `${path.basename(file)}: ${record.rowsRead.toLocaleString('en')} rows read`,
    `${record.builtDays} of ${record.days.length} days made`,
    `${total.toLocaleString('en')} refused${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`,
  ].join(', ');
}
