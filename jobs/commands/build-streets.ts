import path from 'node:path';
import type { Command } from 'commander';
import type { StreetsManifest } from '../../pipeline/streets/published-streets.ts';
import { type Job, type JobContext, type JobOutcome, type Json, noOptions } from '../job/job.ts';
import { exitCodeOf, runJob } from '../runner/run.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

/** A new graph is not used before these steps. */
const NEXT_STEPS = [
  'next: run "taktgeber run ingest-timetable" to recompute the walks between stops',
  'then: restart the service if it is running',
];

interface BuildOptions extends CommonOptions {
  readonly from: string;
  readonly exitCode?: boolean;
  readonly json?: boolean;
}

export function addBuildStreetsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('build-streets')
    .description(
      'Build the street graph for walks from an OpenStreetMap extract; without one, walks are straight lines.',
    )
    .requiredOption('--from <file>', 'the extract, an .osm.pbf file')
    .option('--exit-code', 'exit with 3 if the graph is unchanged')
    .option('--json', 'print the result as JSON')
    .action(async (options: BuildOptions) => {
      tools.finish(await build(options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber build-streets --from austria.osm.pbf', 'for all stops of the country'],
    ['taktgeber run ingest-timetable', 'afterwards: recomputes the walks between stops'],
  ]);
  command.addHelpText(
    'after',
    `
The extract should cover all stops; walks outside it stay straight lines. A running service takes the new
graph at its next start. Building takes about five times the size of the file on the disk, for a while.`,
  );
}

async function build(options: BuildOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const job = buildStreetsJob(path.resolve(io.cwd, options.from), io.interrupt);
  const config = await loadCommandConfig(tools, options, { isWriter: true });
  const record = await runJob(job, { config, effects, options: noOptions, stopping: io.interrupt });
  if (options.json) printJson(io, { job: job.name, ...record });
  else if (record.status === 'failed') io.stderr.write(`error: ${record.summary}\n`);
  else printLine(io, `${job.name}: ${record.summary} (${record.durationSeconds} s)`);
  return exitCodeOf(record, { isDetailed: options.exitCode === true });
}

/** A job that is not in `all-jobs.ts`, as no schedule may run it. */
function buildStreetsJob(pbf: string, signal: AbortSignal): Job {
  return {
    name: 'build-streets',
    summary: 'Builds the street graph for walks.',
    accepts: [],
    run: (context) => buildAndReport(pbf, signal, context),
  };
}

async function buildAndReport(pbf: string, signal: AbortSignal, { config, effects }: JobContext): Promise<JobOutcome> {
  const { buildStreets } = await import('../../pipeline/streets/build-streets.ts');
  const { manifest, isUnchanged } = await buildStreets({ pbf, dataDir: config.dataDir, signal }, effects);
  const details = manifest as unknown as Json;
  if (isUnchanged) return { status: 'unchanged', summary: `unchanged, street graph ${manifest.id} stays`, details };
  for (const step of NEXT_STEPS) effects.log.info(step);
  return { status: 'done', summary: describe(manifest), details };
}

function describe({ id, source, tiles }: StreetsManifest): string {
  const megabytes = (tiles.bytes / 1e6).toFixed(1);
  return `published street graph ${id} of ${source.name}: ${tiles.count} tiles, ${megabytes} MB`;
}
