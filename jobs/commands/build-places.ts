import path from 'node:path';
import type { Command } from 'commander';
import type { PlacesManifest } from '../../pipeline/snapshots/places-contract.ts';
import type { Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { addBuildOptions, type BuildOptions, runBuildJob } from './build-command.ts';
import { addCommonOptions, addExamples, type CommandTools } from './command-tools.ts';

interface PlacesOptions extends BuildOptions {
  readonly addresses?: string;
}

export function addBuildPlacesCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('build-places')
    .description('Build the search index of addresses and places from an OpenStreetMap extract.')
    .requiredOption('--from <file>', 'the extract, an .osm.pbf file')
    .option('--addresses <folder>', "Austria's address register, unpacked; its addresses replace those of the extract")
    .action(async (options: PlacesOptions) => {
      tools.finish(await build(options, tools));
    });
  addExamples(addCommonOptions(addBuildOptions(command, 'index')), [
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

function build(options: PlacesOptions, tools: CommandTools): Promise<number> {
  const { io } = tools;
  const resolve = (file: string) => path.resolve(io.cwd, file);
  const files = {
    pbf: resolve(options.from),
    registerFolder: options.addresses === undefined ? null : resolve(options.addresses),
  };
  return runBuildJob(buildPlacesJob(files, io.interrupt), options, tools);
}

interface InputFiles {
  readonly pbf: string;
  readonly registerFolder: string | null;
}

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
