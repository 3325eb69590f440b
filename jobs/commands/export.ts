import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { isSystemError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import {
  type ExportFormat,
  type ExportProfile,
  exportFormats,
  exportProfiles,
} from '../../pipeline/lake/export/export-formats.ts';
import type { ExportQuestion } from '../../pipeline/lake/export/export-select.ts';
import { isSourceId, type SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { exitCode } from '../job/exit-code.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  findDay,
  loadCommandConfig,
} from './command-tools.ts';
import { printLine } from './io.ts';

interface ExportOptions extends CommonOptions {
  readonly table: string;
  readonly from?: string;
  readonly to?: string;
  readonly source?: readonly string[];
  readonly line?: readonly string[];
  readonly format: ExportFormat;
  readonly profile?: ExportProfile;
  readonly out: string;
}

export function addExportCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('export')
    .description('Write rows of stop events, observations, predictions or a mart to one file.')
    .requiredOption('--out <path>', 'the file, or a folder for a file with a generated name')
    .option('--table <name>', 'stop_events, observations, predictions or a mart, e.g. punctuality_cube', 'stop_events')
    .option('--from <date>', 'first service date')
    .option('--to <date>', 'last service date')
    .option('--source <id...>', 'only rows of these sources; of marts, "*" is all sources together')
    .option('--line <label...>', 'only rows of these lines')
    .addOption(new Option('--format <format>', 'kind of file').choices(exportFormats).default('parquet'))
    .addOption(new Option('--profile <name>', 'Parquet for readers with few features').choices(exportProfiles))
    .action(async (options: ExportOptions) => {
      tools.finish(await runExport(options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber export --from 2026-01-01 --to 2026-01-31 --out january.parquet', 'the calls of a month'],
    ['taktgeber export --table line_daily --source "*" --format csv --out lines.csv', 'each line by day'],
    ['taktgeber export --profile portable --line U1 --out exports/', 'for readers with limited Parquet support'],
  ]);
}

async function runExport(options: ExportOptions, tools: CommandTools): Promise<number> {
  const { io } = tools;
  if (options.profile && options.format !== 'parquet') throw new UsageError('--profile requires --format parquet');
  const [from, to] = [findDay('--from', options.from), findDay('--to', options.to)];
  if (from && to && from > to) throw new UsageError('--from lies after --to');
  const sources = options.source?.map(toSource) ?? null;
  const question = { table: options.table, from, to, sources, lines: options.line ?? null };
  const file = await chooseFile(path.resolve(io.cwd, options.out), options, from, to);
  const rows = await writeExport(question, file, options, tools);
  printLine(io, `wrote ${rows.toLocaleString('en')} rows to ${file}`);
  return exitCode.done;
}

async function writeExport(
  question: ExportQuestion,
  file: string,
  options: ExportOptions,
  tools: CommandTools,
): Promise<number> {
  const { dataDir, ingest } = await loadCommandConfig(tools, options);
  // Imported on demand: the help must not load the engine.
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const { parquetFacts } = await import('../../pipeline/lake/parquet-facts.ts');
  const { buildExportSelect, listExportSources } = await import('../../pipeline/lake/export/export-select.ts');
  const { exportRows } = await import('../../pipeline/lake/export/export-rows.ts');
  return withEngine(dataDir, { ...ingest, signal: tools.io.interrupt }, async (db) => {
    const select = await buildExportSelect(db, dataDir, question);
    const sources = options.format === 'parquet' ? await listExportSources(db, dataDir, question) : [];
    const facts = await parquetFacts(dataDir, options.table, sources);
    const progress = watchSize(options.table, tools);
    try {
      const { format, profile = null } = options;
      return await exportRows(db, { select, file, format, profile, facts }, progress.watch);
    } finally {
      progress.stop();
    }
  });
}

const PROGRESS_MILLISECONDS = 2000;

/** Reports the size of the file while it grows, as its final size is unknown. */
function watchSize(table: string, { effects }: CommandTools) {
  let timer: NodeJS.Timeout | null = null;
  return {
    watch(file: string): void {
      timer = setInterval(async () => {
        const bytes = await stat(file).then(
          ({ size }) => size,
          () => 0,
        );
        effects.log.progress(`${table}: ${Math.round(bytes / 1e6)} MB written`);
      }, PROGRESS_MILLISECONDS);
      timer.unref();
    },
    stop(): void {
      if (timer) clearInterval(timer);
    },
  };
}

/** In a folder the generated name describes the content. */
async function chooseFile(
  out: string,
  { out: typed, table, format }: ExportOptions,
  from: ServiceDate | null,
  to: ServiceDate | null,
): Promise<string> {
  if (!typed.endsWith('/') && !(await isFolder(out))) return out;
  const name = [table, ...(from ? [from] : []), ...(to ? [to] : [])].join('_');
  return path.join(out, `${name}.${format}`);
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

function toSource(text: string): SourceId | '*' {
  if (text === '*' || isSourceId(text)) return text;
  throw new UsageError(`"${text}" cannot name a source: use a-z, 0-9, "_" and "-", or "*"`);
}
