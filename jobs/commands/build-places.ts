import path from 'node:path';
import type { Command } from 'commander';
import type { PlacesManifest } from '../../pipeline/snapshots/places-contract.ts';
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

interface BuildOptions extends CommonOptions {
  readonly from: string;
  readonly addresses?: string;
  readonly exitCode?: boolean;
  readonly json?: boolean;
}

export function addBuildPlacesCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('build-places')
    .description('Build the index of addresses and places for the search from an OpenStreetMap extract.')
    .requiredOption('--from <file>', 'the extract, an .osm.pbf file')
    .option('--addresses <folder>', "Austria's address register, unpacked; its addresses replace those of the extract")
    .option('--exit-code', 'exit with 3 if the index is unchanged')
    .option('--json', 'print the result as JSON')
    .action(async (options: BuildOptions) => {
      tools.finish(await build(options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber build-places --from austria.osm.pbf', 'addresses and places of the map'],
    ['taktgeber build-places --from austria.osm.pbf --addresses Adresse_Relationale_Tabellen', 'official addresses'],
  ]);
  command.addHelpText(
    'after',
    `
The extract is the one of build-streets, and should cover all stops. The register has the files ADRESSE.csv,
STRASSE.csv, ORTSCHAFT.csv and GEMEINDE.csv. A running service uses the new index within a second or two.`,
  );
}

async function build(options: BuildOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const resolve = (file: string) => path.resolve(io.cwd, file);
  const files = {
    pbf: resolve(options.from),
    registerFolder: options.addresses === undefined ? null : resolve(options.addresses),
  };
  const job = buildPlacesJob(files, io.interrupt);
  const config = await loadCommandConfig(tools, options, { isWriter: true });
  const record = await runJob(job, { config, effects, options: noOptions, stopping: io.interrupt });
  if (options.json) printJson(io, { job: job.name, ...record });
  else if (record.status === 'failed') io.stderr.write(`error: ${record.summary}\n`);
  else printLine(io, `${job.name}: ${record.summary} (${record.durationSeconds} s)`);
  return exitCodeOf(record, { isDetailed: options.exitCode === true });
}

interface InputFiles {
  readonly pbf: string;
  readonly registerFolder: string | null;
}

/** A job that is not in `all-jobs.ts`, as no schedule may run it. */
function buildPlacesJob(files: InputFiles, signal: AbortSignal): Job {
  return {
    name: 'build-places',
    summary: 'Builds the index of addresses and places.',
    accepts: [],
    run: (context) => buildAndReport(files, signal, context),
  };
}

async function buildAndReport(
  files: InputFiles,
  signal: AbortSignal,
  { config, effects }: JobContext,
): Promise<JobOutcome> {
  const { buildPlaces } = await import('../../pipeline/places/build-places.ts');
  const { manifest, isUnchanged } = await buildPlaces({ ...files, dataDir: config.dataDir, signal }, effects);
  const details = manifest as unknown as Json;
  if (isUnchanged) return { status: 'unchanged', summary: `unchanged, place index ${manifest.id} stays`, details };
  return { status: 'done', summary: describe(manifest), details };
}

function describe({ id, extract, rows, addresses, places, stopsCovered }: PlacesManifest): string {
  const count = (number: number) => number.toLocaleString('en');
  const refused = addresses.read - addresses.published + places.read - places.published;
  const found = `${count(rows.addresses)} addresses, ${count(rows.streets)} streets, ${count(rows.places)} places`;
  const covered = stopsCovered === null ? '' : `; covers ${Math.floor(stopsCovered * 100)} % of the stops`;
  return `published place index ${id} of ${extract.name}: ${found}, ${count(refused)} rows refused${covered}`;
}
