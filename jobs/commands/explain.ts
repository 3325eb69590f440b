import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { ExternalError, isSystemError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { formatTimestamp, fromEpochDay, type Instant, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../pipeline/snapshots/timetable-contract.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { listRecorded } from '../definitions/realtime-sources.ts';
import type { RequestedTrip } from '../explain/find-trip-rows.ts';
import { findTripsOfToday, listScheduledRows, type ScheduledTrip } from '../explain/scheduled-trips.ts';
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
    .argument(
      '<trip>',
      'a journeyRef of the API; a trip id with --date; for today, a trip id, line, train number or stop',
    )
    .argument('[stop]', 'id or name of a stop, or the position of the call, from 0')
    .option('--date <date>', 'the service date of a trip id (default: today)')
    .option('--source <id>', 'only data of this realtime source')
    .option('--limit <answers>', 'maximum number of raw responses read per source', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (trip: string, stop: string | undefined, options: ExplainOptions) => {
      tools.finish(await explain(trip, stop ?? null, options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber explain Meidling', 'the trip of today that calls there next, or just did'],
    ['taktgeber explain U6 Meidling', 'the same, of one line'],
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
  const timetable = once(() => readTimetable(config.dataDir));
  const { trip, date, stop: wanted } = await readTrip(text, stop, { options, config, timetable }, tools);
  // Imported on demand, as it loads the database engine.
  const { explainTrip } = await import('../explain/explain-trip.ts');
  const { renderExplanation } = await import('../explain/render-explanation.ts');
  const realtime = await listRecorded(config);
  const sourceIds = options.source === undefined ? null : [toSourceId(options.source)];
  const findScheduled = once(async () => {
    const tables = await timetable();
    return tables && listScheduledRows(tables, trip, date);
  });
  const request = {
    config,
    realtime,
    trip,
    date,
    stop: wanted,
    findScheduled,
    sourceIds,
    answerLimit: options.limit,
  };
  const explained = await explainTrip(request, effects);
  if (options.json) printJson(io, explained);
  else for (const line of renderExplanation(explained)) printLine(io, line);
  if (explained.length > 0) return exitCode.done;
  const where = stop === null ? '' : ` at "${stop}"`;
  io.stderr.write(`error: no data for trip "${text}"${where} on ${date}\n`);
  return exitCode.failed;
}

type TimetableReader = () => Promise<TimetableTables | null>;

/** Finds something when it is first needed, and once. */
function once<Found>(find: () => Promise<Found>): () => Promise<Found> {
  let found: Promise<Found> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}

/** The published timetable; null if there is none that this version can read. */
async function readTimetable(dataDir: string): Promise<TimetableTables | null> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) return null;
  try {
    return (await readTimetableSnapshot(dataDir, id)).tables;
  } catch (error) {
    // Without it, past days can still be explained.
    if (error instanceof ExternalError || isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

interface WantedTrip {
  readonly trip: RequestedTrip;
  readonly date: ServiceDate;
  readonly stop: string | null;
}

/** @throws UsageError for what is neither a reference of this service, nor a trip id with its date, nor a trip of today */
async function readTrip(
  text: string,
  stop: string | null,
  { options, config, timetable }: { options: ExplainOptions; config: Config; timetable: TimetableReader },
  { effects }: CommandTools,
): Promise<WantedTrip> {
  if (options.date !== undefined) return { trip: { tripId: text }, date: readDay('--date', options.date), stop };
  const { openJourneyReference } = await import('../../api/start-api.ts');
  const journey = await openJourneyReference(config, text);
  if (journey) return { trip: { key: journey.tripKey }, date: fromEpochDay(journey.day), stop };
  const tables = await timetable();
  const found = tables ? findTripsOfToday(tables, text, stop, nowInstant(effects.clock)) : [];
  const [nearest] = found;
  if (!nearest) {
    const calls = stop === null ? '' : ` and calls at "${stop}"`;
    throw new UsageError(
      tables
        ? `no trip of today has the id, line, number or stop "${text}"${calls}; for another day, add --date to a trip id`
        : `"${text}" is not a journeyRef of this service, and no timetable is published in which to find it; a trip id needs --date`,
    );
  }
  for (const line of renderChoice(found)) effects.log.info(line);
  return {
    trip: { key: nearest.key },
    date: nearest.date,
    stop: nearest.stop === null ? null : String(nearest.stop.position),
  };
}

/** How many of the other trips that match are listed. */
const MAX_OTHERS = 5;

/** Says which trip was chosen of several; nothing for the only one. */
function renderChoice([chosen, ...others]: readonly ScheduledTrip[]): string[] {
  if (!chosen || others.length === 0) return [];
  const name = ({ line, headsign }: ScheduledTrip) => `${line} to ${headsign}`;
  const clock = ({ time, zone }: ScheduledTrip) => formatTimestamp(time as Instant, zone).slice(11, 16);
  const at = chosen.stop === null ? '' : ` at ${chosen.stop.name}`;
  const count = `${others.length + 1} trips of today match.`;
  return [
    `${count} Explaining ${name(chosen)}, ${clock(chosen)}${at} (trip id ${chosen.tripId}). Others:`,
    ...others.slice(0, MAX_OTHERS).map((trip) => `  ${clock(trip)}  ${name(trip)}  ${trip.tripId}`),
  ];
}
