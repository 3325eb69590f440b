import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { fromEpochDay, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { listRecorded } from '../definitions/realtime-sources.ts';
import type { RequestedTrip } from '../explain/find-trip-rows.ts';
import { exitCode } from '../job/exit-code.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
  parseCount,
  readDay,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface ExplainOptions extends CommonOptions {
  readonly date?: string;
  readonly source?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addExplainCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('explain')
    .description(
      'Show the data behind the stop events of a trip: observations, predictions, raw responses, messages, timetable.',
    )
    .argument('<trip>', 'a journeyRef of the api, or a trip id together with --date')
    .argument('[stop]', 'id or name of a stop, or the position of the call, from 0')
    .option('--date <date>', 'the service date of a trip id')
    .option('--source <id>', 'only data of this realtime source')
    .option('--limit <answers>', 'maximum number of raw responses read per source', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (trip: string, stop: string | undefined, options: ExplainOptions) => {
      tools.finish(await explain(trip, stop ?? null, options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber explain trip-1 --date 2026-03-28', 'all calls of a trip'],
    ['taktgeber explain trip-1 Graz --date 2026-03-28 --json', 'one call, for a program'],
  ]);
}

async function explain(
  text: string,
  stop: string | null,
  options: ExplainOptions,
  tools: CommandTools,
): Promise<number> {
  const { io, effects } = tools;
  const config = await loadCommandConfig(tools, options);
  const { trip, date } = await readTrip(text, options.date, config);
  // Imported on demand, as it loads the database engine.
  const { explainTrip } = await import('../explain/explain-trip.ts');
  const { renderExplanation } = await import('../explain/render-explanation.ts');
  const realtime = await listRecorded(config);
  const sourceIds = options.source === undefined ? null : [toSourceId(options.source)];
  const request = { config, realtime, trip, date, stop, sourceIds, answerLimit: options.limit };
  const explained = await explainTrip(request, effects);
  if (options.json) printJson(io, explained);
  else for (const line of renderExplanation(explained)) printLine(io, line);
  if (explained.length > 0) return exitCode.done;
  const where = stop === null ? '' : ` at "${stop}"`;
  io.stderr.write(`error: no data for trip "${text}"${where} on ${date}\n`);
  return exitCode.failed;
}

/** @throws UsageError for what is neither a reference of this service nor a trip id with its date */
async function readTrip(
  text: string,
  dateText: string | undefined,
  config: Config,
): Promise<{ trip: RequestedTrip; date: ServiceDate }> {
  if (dateText !== undefined) {
    return { trip: { tripId: text }, date: readDay('--date', dateText) };
  }
  const { openJourneyReference } = await import('../../api/start-api.ts');
  const journey = await openJourneyReference(config, text);
  if (!journey) throw new UsageError(`"${text}" is not a journeyRef of this service; a trip id needs --date`);
  return { trip: { key: journey.tripKey }, date: fromEpochDay(journey.day) };
}
