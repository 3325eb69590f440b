import path from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../pipeline/config/usage-error.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { exitCode } from '../exit-code.ts';
import { listRecorded } from '../realtime-sources.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
  readDay,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface RebuildOptions extends CommonOptions {
  readonly date?: string;
  readonly from?: string;
  readonly to?: string;
  readonly into: string;
  readonly json?: boolean;
}

export function addRebuildObservationsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('rebuild-observations')
    .description(
      'Rebuild the sightings of past days from stored answers, in a separate data folder: the rows are the same.',
    )
    .requiredOption('--into <folder>', 'the new data folder; must not exist, or be empty')
    .option('--date <date>', 'the service date')
    .option('--from <date>', 'the first service date')
    .option('--to <date>', 'the last service date')
    .option('--json', 'print JSON')
    .action(async (options: RebuildOptions) => {
      tools.finish(await rebuild(options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber rebuild-observations --date 2026-03-28 --into again', 'the sightings of a day'],
    ['taktgeber run finalise-stop-events --date 2026-03-28 --data again', 'its stop events; compare `rowsHash`'],
  ]);
}

async function rebuild(options: RebuildOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const { from, to } = readPeriod(options);
  const config = await loadCommandConfig(tools, options);
  const sources = await listRecorded(config);
  // Imported on demand, as it loads the database engine and all formats.
  const { rebuildObservations } = await import('../rebuild-observations.ts');
  const into = path.resolve(io.cwd, options.into);
  const { attempts, days } = await rebuildObservations({ config, sources, into, from, to }, effects, io.interrupt);
  if (options.json) printJson(io, { into, attempts, days });
  else {
    const played = Object.values(attempts).reduce((sum, n) => sum + n, 0);
    printLine(io, `${played} stored answers gave ${days.length} days of sightings in ${into}`);
    for (const { source, serviceDate } of days) printLine(io, `  ${source} ${serviceDate}`);
  }
  return exitCode.done;
}

function readPeriod({ date, from, to }: RebuildOptions): { from: ServiceDate; to: ServiceDate } {
  const first = readDate(date ?? from, date ? '--date' : '--from');
  const last = readDate(date ?? to ?? from, date ? '--date' : '--to');
  if (date !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError('--date excludes --from and --to');
  }
  if (last < first) throw new UsageError('--to lies before --from');
  return { from: first, to: last };
}

function readDate(text: string | undefined, option: string): ServiceDate {
  if (text === undefined) throw new UsageError('name --date, or --from');
  return readDay(option, text);
}
