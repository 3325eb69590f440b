import type { Command } from 'commander';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { type ClockCourse, movingClock } from '../../pipeline/effects/clock.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import {
  AUSTRIA,
  addDays,
  formatTimestamp,
  type Instant,
  localDate,
  parseTimestamp,
  type ServiceDate,
  serviceDayStart,
} from '../../pipeline/model/service-time.ts';
import { listRecorded } from '../definitions/realtime-sources.ts';
import { exitCode } from '../job/exit-code.ts';
import { openMonitoring } from '../monitoring/open-monitoring.ts';
import {
  addCommonOptions,
  addExamples,
  addListenOptions,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
  readDay,
} from './command-tools.ts';
import { printJson, printLine, untilInterrupted } from './io.ts';

interface ReplayOptions extends CommonOptions {
  readonly date?: string;
  readonly at?: string;
  readonly speed: string;
  readonly json?: boolean;
}

const FASTEST = 600;
/** Answers from shortly before the start are part of what was known then. */
const RUN_UP_SECONDS = 1800;

export function addReplayCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('replay')
    .description('Serve a past day as it was known then: stored responses, a moving clock, the same routes.')
    .option('--date <date>', 'the day, starting with its first stored response')
    .option('--at <time>', 'the start time, RFC 3339, e.g. 2026-03-29T01:55:00+01:00')
    .option('--speed <times>', `speed factor, up to ${FASTEST}`, '60')
    .option('--json', 'print the address as JSON')
    .action(async (options: ReplayOptions) => {
      tools.finish(await replay(options, tools));
    });
  addExamples(addListenOptions(addCommonOptions(command)), [
    ['taktgeber replay --date 2026-03-28', 'the day, one hour per minute'],
    ['taktgeber replay --at 2026-03-29T01:55:00+01:00 --speed 1', 'the night of the clock change, at original speed'],
  ]);
}

async function replay(options: ReplayOptions, commandTools: CommandTools): Promise<number> {
  const speed = readSpeed(options.speed);
  const request = readBegin(options);
  const { config, tools } = await loadServiceConfig(commandTools, options);
  const { io, effects, services } = tools;
  const sources = await listRecorded(config);
  const at = 'at' in request ? request.at : await findFirst(config, sources, request.date, tools);
  const course: ClockCourse = { at: at * 1000, since: effects.clock.nowMilliseconds(), speed };
  const to = serviceDayStart(addDays(localDate(at, AUSTRIA), 1), AUSTRIA);
  const span = { from: (at - RUN_UP_SECONDS) as Instant, to };
  const monitoring = await openMonitoring(config, effects, io.interrupt);
  try {
    const replayed = { ...monitoring.effects, clock: movingClock(course) };
    const api = await services.startReplay({ config, sources, at, ...span }, replayed);
    monitoring.begin(api.findTrouble);
    const begin = formatTimestamp(at, AUSTRIA);
    if (options.json) printJson(io, { url: api.url, at: begin, speed });
    else printLine(io, `Serving ${begin} at ${api.url}, ${speed} times as fast; Ctrl-C stops it.`);
    await untilInterrupted(io.interrupt);
    await api.close();
  } finally {
    await monitoring.close();
  }
  return exitCode.done;
}

function readSpeed(text: string): number {
  const speed = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || speed <= 0 || speed > FASTEST) {
    throw new UsageError(`--speed is "${text}", but must be a number above 0, up to ${FASTEST}`);
  }
  return speed;
}

function readBegin({ date, at }: ReplayOptions): { readonly at: Instant } | { readonly date: ServiceDate } {
  if ((date === undefined) === (at === undefined)) throw new UsageError('replay needs either --date or --at');
  if (at !== undefined) {
    const instant = parseTimestamp(at);
    if (instant === null) throw new UsageError(`--at is "${at}", but must be a time as in 2026-03-29T01:55:00+01:00`);
    return { at: instant };
  }
  return { date: readDay('--date', date!) };
}

/** @throws UsageError when no answer of the day is stored */
async function findFirst(
  { dataDir }: Config,
  sources: readonly ConfiguredSource[],
  date: ServiceDate,
  { services }: CommandTools,
): Promise<Instant> {
  const begin = serviceDayStart(date, AUSTRIA);
  const end = serviceDayStart(addDays(date, 1), AUSTRIA);
  const first = await services.findFirstAnswer(
    dataDir,
    sources.map(({ id }) => id),
    begin,
    end,
  );
  if (first === null) {
    throw new UsageError(`no response of ${date} is stored; raw.maxAgeHours limits how long raw responses are kept`);
  }
  return first;
}
