import path from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { isSourceId, type SourceId } from '../../pipeline/model/ids.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { parseFeeds } from '../definitions/feeds.ts';
import type { DueWork, Job, JobOptionName, JobOptions } from '../job/job.ts';
import { renderTable } from '../job/text-table.ts';
import { assertDistributable } from '../runner/backfill.ts';
import { exitCodeOf, runJob } from '../runner/run.ts';
import {
  addCommonOptions,
  addConcurrencyOption,
  addExamples,
  type CommandTools,
  type CommonOptions,
  findDay,
  loadCommandConfig,
  readConcurrency,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface RunOptions extends CommonOptions {
  readonly source?: readonly string[];
  readonly gtfs?: readonly string[];
  readonly file?: readonly string[];
  readonly mapping?: string;
  readonly from?: string;
  readonly to?: string;
  readonly date?: string;
  readonly into?: string;
  readonly concurrency?: number;
  /** Former name of `concurrency`. */
  readonly parallel?: number;
  readonly resume?: boolean;
  readonly distribute?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly exitCode?: boolean;
  readonly json?: boolean;
}

export function addRunCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('run')
    .description('Run one job now. A second run on the same input changes nothing and reports so.')
    .argument('<job>', `one of ${tools.jobs.map(({ name }) => name).join(', ')}`)
    .option('--source <id...>', 'only these of the configured sources')
    .option('--gtfs <[id=]feed...>', 'GTFS zip, folder or address, instead of the configured sources')
    .option('--file <path...>', 'archives to import: paths, or patterns in quotes')
    .option('--mapping <name>', 'how to read them: a built-in mapping, or your own .sql file')
    .option('--from <date>', 'first service date')
    .option('--to <date>', 'last service date')
    .option('--date <date>', 'a single date')
    .option('--into <folder>', 'new data folder for the rebuilt data; must be missing or empty')
    .option('--distribute', 'queue the shards for workers (taktgeber work) and wait; needs operations.postgresUrl')
    .option('--resume', 'with --from and --to: skip what the last such run completed')
    .option('--dry-run', 'publish nothing; list what would be done and why')
    .option('--force', 'also do what would be skipped: unchanged input, a timetable held back because it shrank')
    .option('--exit-code', 'exit with 3 if nothing changed, and with 1 also for a feed that never loaded')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, options: RunOptions) => {
      tools.finish(await run(getJob(tools.jobs, name), options, tools));
    });
  const about = 'with --from and --to: units to run at once (see below), within one memory limit';
  addConcurrencyOption(command, about, '--parallel');
  command.addHelpText('after', () => `\n${describeDivisions(tools.jobs).join('\n')}`);
  addExamples(addCommonOptions(command), [
    ['taktgeber run ingest-timetable', 'the configured sources, or the sample'],
    ['taktgeber run ingest-timetable --gtfs wien=feed.zip', 'your own feed, as source "wien"'],
    ['taktgeber run ingest-timetable --exit-code || …', 'act only if something changed or failed'],
    ['taktgeber run build-marts --dry-run', 'the outdated days, and why'],
    [
      'taktgeber run finalise-stop-events --from 2026-01-01 --to 2026-03-31 --concurrency 2',
      'day by day, two at a time',
    ],
    ['taktgeber run finalise-stop-events --from 2026-01-01 --to 2026-03-31 --distribute', 'the same by all workers'],
    ['taktgeber run rebuild-observations --date 2026-03-28 --into again', 'observations from stored responses'],
    ["taktgeber run import-history --file '2025-*.csv' --mapping my.sql", 'your own archives, read by your SQL'],
  ]);
}

/** What --concurrency and --resume mean for which job. */
function describeDivisions(jobs: readonly Job[]): string[] {
  const nouns = [...new Set(jobs.flatMap(({ division }) => division?.noun ?? []))];
  const width = Math.max(...nouns.map((noun) => noun.length));
  const undivided = jobs.flatMap(({ name, notDivisibleReason }) =>
    notDivisibleReason ? [`  ${name}, as ${notDivisibleReason}`] : [],
  );
  return [
    'Units of a run with --from and --to:',
    ...nouns.map((noun) => {
      const names = jobs.filter(({ division }) => division?.noun === noun).map(({ name }) => name);
      return `  ${noun.padEnd(width)}  ${names.join(', ')}`;
    }),
    'Shards of a run with --distribute:',
    ...jobs.flatMap(({ name, division }) => (division?.shards ? [`  ${name}, by ${division.shards.noun}`] : [])),
    'Not divided, although their input covers several days:',
    ...undivided,
  ];
}

async function run(job: Job, options: RunOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const concurrency = readConcurrency(options, tools);
  const jobOptions = { ...toJobOptions(job, options, io.cwd), concurrency: concurrency ?? 1 };
  const config = await loadCommandConfig(tools, options, { isWriter: true });
  if (jobOptions.isDistributed) {
    if (concurrency !== undefined) throw new UsageError('--concurrency and --distribute exclude each other');
    assertDistributable(job, config);
  }
  const record = await runJob(job, { config, effects, options: jobOptions, stopping: io.interrupt });
  if (options.json) printJson(io, { job: job.name, ...record });
  else if (record.status === 'failed') io.stderr.write(`error: ${record.summary}\n`);
  else {
    if (record.due && record.due.length > 0) for (const line of renderDue(record.due)) printLine(io, line);
    printLine(io, `${job.name}: ${record.summary} (${record.durationSeconds} s)`);
  }
  return exitCodeOf(record, { isDetailed: options.exitCode === true });
}

function renderDue(due: readonly DueWork[]): string[] {
  return renderTable(
    [{ title: 'WHAT' }, { title: 'WHY' }],
    due.map(({ what, reason }) => [what, reason]),
  );
}

/** @throws UsageError for an option that the job does not support, and for an invalid value */
function toJobOptions(job: Job, options: RunOptions, cwd: string): Omit<JobOptions, 'concurrency'> {
  const offered: readonly JobOptionName[] = [
    ...(['source', 'gtfs', 'file', 'mapping'] as const),
    ...(['from', 'to', 'date', 'force', 'into'] as const),
  ];
  for (const name of offered) {
    if (options[name] !== undefined && !job.accepts.includes(name)) {
      throw new UsageError(`${job.name} does not support --${name}`);
    }
  }
  if (options.source && options.gtfs) throw new UsageError('--source and --gtfs exclude each other');
  const [from, to] = [findDay('--from', options.from), findDay('--to', options.to)];
  if (from && to && from > to) throw new UsageError('--from lies after --to');
  if (options.date !== undefined && (from || to)) throw new UsageError('--date and --from or --to exclude each other');
  return {
    feeds: options.gtfs ? parseFeeds(options.gtfs, cwd) : null,
    sourceIds: options.source?.map(toSource) ?? null,
    files: options.file?.map((file) => path.resolve(cwd, file)) ?? null,
    mapping: options.mapping === undefined ? null : toMapping(options.mapping, cwd),
    from,
    to,
    date: findDay('--date', options.date),
    into: options.into === undefined ? null : path.resolve(cwd, options.into),
    isDryRun: options.dryRun === true,
    isForced: options.force === true,
    isResumed: options.resume === true,
    isDistributed: options.distribute === true,
  };
}

/** Makes a relative path absolute; a name stays unchanged. */
function toMapping(text: string, cwd: string): string {
  return /[/\\]|\.sql$/.test(text) ? path.resolve(cwd, text) : text;
}

function toSource(text: string): SourceId {
  if (!isSourceId(text)) throw new UsageError(`"${text}" cannot name a source: use a-z, 0-9, "_" and "-"`);
  return text;
}
