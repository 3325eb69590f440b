import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Json } from '@duckdb/node-api';
import type { Command } from 'commander';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { syncFile } from '../../pipeline/effects/files.ts';
import { countColumns } from '../../pipeline/effects/log.ts';
import type { ReadOnlyDuckdb, SqlResult } from '../../pipeline/effects/read-only-duckdb.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { parquetFacts } from '../../pipeline/lake/parquet-facts.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable, type TextColumn } from '../job/text-table.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
  parseCount,
} from './command-tools.ts';
import type { Io } from './io.ts';
import { openLake } from './open-lake.ts';

interface SqlOptions extends CommonOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly parquet?: string;
  readonly limit: number;
}

/** Lists the tables and views. */
const TABLES_STATEMENT =
  'select table_schema || \'.\' || table_name as "table", count(*) as columns from information_schema.columns group by all order by 1';

export function addSqlCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('sql')
    .description(
      'Query the lake in SQL: gtfs.<table> as published, timetable.<table>, observations, stop_events, counted_calls, predictions and marts.<name>.',
    )
    .argument('[statement]', 'an SQL statement (default: read from stdin, or typed at a prompt)')
    .option('--json', 'print a JSON array of objects')
    .option('--csv', 'print CSV')
    .option('--parquet <file>', 'write the rows of one query to a Parquet file')
    .option('--limit <rows>', 'maximum number of rows shown', parseCount, 1000)
    .action(async (statement: string | undefined, options: SqlOptions) => {
      tools.finish(await runSql(statement, options, tools));
    });
  addExamples(addCommonOptions(command), [
    [`taktgeber sql "show all tables"`, 'all tables and views'],
    [`taktgeber sql "select stop_name from gtfs.stops limit 5"`, 'a table'],
    ['taktgeber sql --csv < query.sql > result.csv', 'from a file to a file'],
    [`taktgeber sql --parquet lines.parquet "from marts.line_daily"`, 'a file for other tools'],
    ['taktgeber sql', 'interactively'],
  ]);
}

async function runSql(statement: string | undefined, options: SqlOptions, tools: CommandTools): Promise<number> {
  const kinds = (['json', 'csv', 'parquet'] as const).filter((kind) => options[kind] !== undefined);
  if (kinds.length > 1) throw new UsageError(`--${kinds[0]} and --${kinds[1]} exclude each other`);
  if (statement?.trim() === '') throw new UsageError('the statement is empty');
  const { io } = tools;
  const file = options.parquet === undefined ? null : path.resolve(io.cwd, options.parquet);
  const write = options.json ? writeJsonRows : options.csv ? writeCsvRows : tableWriter(options.limit);
  const config = await loadCommandConfig(tools, options);
  const aside = file && `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const duckdb = await openLake({
    dataDir: config.dataDir,
    outputFile: aside,
    timeLimitSeconds: config.sql.timeLimitSeconds,
    remedy: 'Narrow it, e.g. by source and service_date, or raise sql.timeLimitSeconds.',
    log: tools.effects.log,
  });
  const stopQuery = () => duckdb.interrupt();
  io.interrupt.addEventListener('abort', stopQuery);
  try {
    if (file && aside) {
      const facts = await parquetFacts(config.dataDir, 'query', []);
      await writeRows(duckdb, statement ?? (await readAll(io)), file, aside, { io, facts });
    } else if (statement === undefined && io.stdin.isTTY) await converse(duckdb, write, io);
    else await answerStatement(duckdb, statement ?? (await readAll(io)), write, io);
    return exitCode.done;
  } finally {
    io.interrupt.removeEventListener('abort', stopQuery);
    duckdb.close();
  }
}

async function answerStatement(duckdb: ReadOnlyDuckdb, sql: string, write: SqlWriter, io: Io): Promise<void> {
  try {
    await duckdb.query(sql, (result) => write(result, io));
    // An interrupted result just ends.
    io.interrupt.throwIfAborted();
  } catch (error) {
    if (io.interrupt.aborted) throw io.interrupt.reason;
    throw error;
  }
}

/** A reader sees the old file or the complete new one. */
async function writeRows(
  duckdb: ReadOnlyDuckdb,
  sql: string,
  file: string,
  aside: string,
  { io, facts }: { readonly io: Io; readonly facts: string },
): Promise<void> {
  try {
    const rows = await duckdb.writeParquet(sql, `compression zstd, use_tmp_file false, ${facts}`);
    await syncFile(aside);
    await rename(aside, file);
    io.stdout.write(`wrote ${rows.toLocaleString('en')} rows to ${file}\n`);
  } catch (error) {
    await rm(aside, { force: true });
    if (io.interrupt.aborted) throw io.interrupt.reason;
    throw error;
  }
}

async function readAll(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  const sql = Buffer.concat(chunks).toString('utf8');
  if (sql.trim() === '') throw new UsageError('no statement was given, neither as an argument nor on stdin');
  return sql;
}

/** Interactive mode: statements end with a semicolon, Ctrl-C discards the input, Ctrl-D ends. */
async function converse(duckdb: ReadOnlyDuckdb, write: SqlWriter, io: Io): Promise<void> {
  io.stderr.write('Read-only SQL on the lake. End statements with ";". Type .tables to list tables, .quit to exit.\n');
  const readline = createInterface({ input: io.stdin, output: io.stderr as NodeJS.WritableStream, prompt: 'sql> ' });
  let typed = '';
  const prompt = () => {
    readline.setPrompt(typed === '' ? 'sql> ' : '...> ');
    readline.prompt();
  };
  readline.on('SIGINT', () => {
    typed = '';
    duckdb.interrupt();
    io.stderr.write('\n');
    prompt();
  });
  prompt();
  for await (const line of readline) {
    if (typed === '' && ['.quit', '.exit'].includes(line.trim())) break;
    typed += typed === '' && line.trim() === '.tables' ? `${TABLES_STATEMENT};` : `${line}\n`;
    if (typed.trim() === '') typed = '';
    if (typed.trimEnd().endsWith(';')) {
      const statement = typed;
      typed = '';
      await runStatement(duckdb, statement, write, io);
    }
    prompt();
  }
  readline.close();
}

/** An error in a statement does not end the session. */
async function runStatement(duckdb: ReadOnlyDuckdb, sql: string, write: SqlWriter, io: Io): Promise<void> {
  try {
    await answerStatement(duckdb, sql, write, io);
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    io.stderr.write(`${error.message}\n`);
  }
}

/** Writes one result to stdout. */
type SqlWriter = (result: SqlResult, io: Io) => Promise<void>;

/**
 * Prints an aligned table. Column widths require all rows in memory, so there is a limit.
 * @param limit maximum number of rows
 */
function tableWriter(limit: number): SqlWriter {
  return async ({ columns, batches }, io) => {
    const rows: string[][] = [];
    let isCut = false;
    for await (const batch of batches) {
      const room = limit - rows.length;
      for (const row of batch.slice(0, room)) rows.push(row.map(toText));
      isCut = batch.length > room;
      if (isCut) break;
    }
    const head = columns.map(({ name, isNumeric }) => ({ title: name, align: isNumeric ? 'end' : 'start' }) as const);
    for (const line of fitTerminal(renderTable(head, rows), head, rows, io)) io.stdout.write(`${line}\n`);
    if (isCut) io.stderr.write(`Only the first ${limit} rows are shown; see --limit, --csv and --json.\n`);
  };
}

/** The table, or one line per value where the terminal would break its lines; a pipe always gets the table. */
function fitTerminal(
  table: readonly string[],
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  { stdout }: Io,
): readonly string[] {
  const width = Math.max(...table.map((line) => line.length));
  const isWide = width > countColumns(stdout, Number.POSITIVE_INFINITY);
  return isWide && rows.length > 0 ? renderRecords(columns, rows) : table;
}

/** Shows each row as a block of names and values. */
function renderRecords(columns: readonly TextColumn[], rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap((row, i) => {
    const values = columns.map(({ title }, index) => [title, row[index] ?? '']);
    return [`-- row ${i + 1} --`, ...renderTable([{ title: '' }, { title: '' }], values).slice(2)];
  });
}

/** A JSON array of objects, one per line; streamed, so of any length. */
const writeJsonRows: SqlWriter = async ({ columns, batches }, io) => {
  let before = '[';
  for await (const batch of batches) {
    for (const row of batch) {
      const object = Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
      io.stdout.write(`${before}\n${JSON.stringify(object)}`);
      before = ',';
    }
  }
  io.stdout.write(before === '[' ? '[]\n' : '\n]\n');
};

/** CSV by RFC 4180, with a header; null is an empty field, an empty text is `""`. */
const writeCsvRows: SqlWriter = async ({ columns, batches }, io) => {
  io.stdout.write(`${columns.map(({ name }) => toCsvField(name)).join(',')}\n`);
  for await (const batch of batches) {
    for (const row of batch) io.stdout.write(`${row.map(toCsvField).join(',')}\n`);
  }
};

function toText(value: Json): string {
  if (value === null) return 'NULL';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function toCsvField(value: Json): string {
  if (value === null) return '';
  const text = toText(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
