import path from 'node:path';
import type { Command } from 'commander';
import { type StreetsManifest, streetModes } from '../../pipeline/streets/published-streets.ts';
import type { Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { addBuildOptions, type BuildOptions, runBuildJob } from './build-command.ts';
import { addCommonOptions, addExamples, type CommandTools } from './command-tools.ts';

/** A new graph is not used before these steps. */
const NEXT_STEPS = [
  'next: run "taktgeber run ingest-timetable" to recompute the walks between stops',
  'then: restart the service if it is running',
];

export function addBuildStreetsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('build-streets')
    .description(
      'Build the street graph for walking, bicycle and car from an OpenStreetMap extract; without one, walks are straight lines.',
    )
    .requiredOption('--from <file>', 'the extract, an .osm.pbf file')
    .action(async (options: BuildOptions) => {
      tools.finish(await build(options, tools));
    });
  addExamples(addCommonOptions(addBuildOptions(command, 'graph')), [
    ['taktgeber build-streets --from austria.osm.pbf', 'for all stops of the country'],
    ['taktgeber run ingest-timetable', 'afterwards: recomputes the walks between stops'],
  ]);
  command.addHelpText(
    'after',
    `
The extract should cover all stops; walks outside it stay straight lines. The setting streets.car leaves out cars. A running service takes the new
graph at its next start. While it runs, it needs about five times the size of the file on disk.`,
  );
}

function build(options: BuildOptions, tools: CommandTools): Promise<number> {
  const job = buildStreetsJob(path.resolve(tools.io.cwd, options.from), tools.io.interrupt);
  return runBuildJob(job, options, tools);
}

function buildStreetsJob(pbf: string, signal: AbortSignal): Job {
  return {
    name: 'build-streets',
    summary: 'Builds the street graph for walking, bicycle and car.',
    accepts: [],
    run: (context) => buildAndReport(pbf, signal, context),
  };
}

async function buildAndReport(pbf: string, signal: AbortSignal, { config, effects }: JobContext): Promise<JobOutcome> {
  const { buildStreets } = await import('../../pipeline/streets/build-streets.ts');
  const modes = streetModes.filter((mode) => mode !== 'car' || config.streets.car);
  const { manifest, isUnchanged } = await buildStreets({ pbf, dataDir: config.dataDir, modes, signal }, effects);
  const details = manifest as unknown as Json;
  if (isUnchanged) return { status: 'unchanged', summary: `unchanged, street graph ${manifest.id} stays`, details };
  for (const step of NEXT_STEPS) effects.log.info(step);
  return { status: 'done', summary: describe(manifest), details };
}

function describe({ id, modes = [], source, tiles }: StreetsManifest): string {
  const megabytes = (tiles.bytes / 1e6).toFixed(1);
  return `published street graph ${id} of ${source.name} for ${modes.join(', ')}: ${tiles.count} tiles, ${megabytes} MB`;
}
