import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Http } from '../../pipeline/effects/http.ts';
import { logFrom } from '../../pipeline/effects/log.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';
import { getJob } from '../all-jobs.ts';
import { exitCode } from '../exit-code.ts';
import { chooseFeeds, parseFeeds } from '../feeds.ts';
import { type JobOptions, noOptions } from '../job.ts';
import { keepRealtimeFresh, listPolled } from '../keep-polling.ts';
import type { RunningServer } from '../parts.ts';
import { isSample } from '../realtime-sources.ts';
import { runJob } from '../run.ts';
import { giveSampleItsPast } from '../sample-past.ts';
import { runAndTell, runSchedule } from '../schedule.ts';
import {
  addCommonOptions,
  addExamples,
  addListenOptions,
  type CommandTools,
  type CommonOptions,
  findPublishedTimetable,
  loadCommandConfig,
} from './command-tools.ts';
import { printJson, printLine, untilInterrupted } from './io.ts';

interface UpOptions extends CommonOptions {
  readonly gtfs?: readonly string[];
  readonly json?: boolean;
}

export function addUpCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('up')
    .description('Ingest the timetable, serve it, ask the realtime sources, keep all fresh: in one process.')
    .option('--gtfs <[id=]feed...>', 'GTFS zip, folder or address, instead of the configured sources')
    .option('--json', 'print the addresses as JSON')
    .action(async (options: UpOptions) => {
      tools.finish(await up(options, tools));
    });
  addExamples(addListenOptions(addCommonOptions(command)), [
    ['taktgeber up', 'the configured sources, or else the built-in sample'],
    ['taktgeber up --gtfs feed.zip', 'a feed of your own'],
    ['taktgeber up --gtfs wien=a.zip graz=https://example.org/b.zip', 'two feeds as one timetable'],
  ]);
}

async function up(options: UpOptions, tools: CommandTools): Promise<number> {
  const { io, effects, parts } = tools;
  const started = effects.clock.nowMilliseconds();
  const config = await loadCommandConfig(tools, options);
  const jobOptions = { ...noOptions, feeds: options.gtfs ? parseFeeds(options.gtfs, io.cwd) : null };
  const isServable = await isServableAlready(config, jobOptions);
  if (!isServable && !(await ingestBeforeServing(tools, config, jobOptions))) return exitCode.failed;

  const isSampleServed = jobOptions.feeds === null;
  const api = await parts.startApi(config, effects, await listPolled(config, { isSampleServed }));
  const ending = new AbortController();
  const signal = AbortSignal.any([io.interrupt, ending.signal]);
  // What goes on from here on is the log of a service, and no answer to the person who started it.
  const upkeepTools = { ...tools, effects: { ...effects, log: logFrom(config.logLevel, effects.log) } };
  const realtime = keepRealtimeFresh({ config, parts, effects: upkeepTools.effects, signal }, { isSampleServed });
  let upkeep = Promise.resolve();
  try {
    await renderWhereToLook(api, options, tools, started);
    upkeep = keepFresh(upkeepTools, config, jobOptions, { isIngestDue: isServable });
    await untilInterrupted(io.interrupt);
    effects.log.info('Stopping, which takes ten seconds at most; a second Ctrl-C ends it at once.');
  } finally {
    ending.abort();
    await Promise.all([upkeep, realtime, api.close()]);
  }
  return exitCode.done;
}

/**
 * Whether what is published comes from the configured sources, so that the service need not wait for an upstream.
 * Feeds typed by hand, and the sample, are ingested first: somebody wants to see just these.
 */
async function isServableAlready(config: Config, options: JobOptions): Promise<boolean> {
  if (options.feeds !== null || config.sources.length === 0) return false;
  const published = await findPublishedTimetable(config.dataDir);
  const ids = published?.sources.map(({ sourceId }) => sourceId) ?? [];
  return ids.length === config.sources.length && config.sources.every(({ id }) => ids.includes(id));
}

/**
 * Ingests what is to be served. A feed in trouble costs freshness, not the service: what is published serves on.
 * @returns whether there is something to serve
 */
async function ingestBeforeServing(tools: CommandTools, config: Config, options: JobOptions): Promise<boolean> {
  const { effects, io, jobs } = tools;
  const job = getJob(jobs, 'ingest-timetable');
  if (chooseFeeds(config, options).length === 0)
    effects.log.info('No source is configured: using the built-in sample, a made-up country.');
  // `status` has the report by table and reason: here one line of it is enough.
  const brief = { ...effects, log: { ...effects.log, info: () => {} } };
  const run = await runJob(job, { config, effects: brief, options, stopping: io.interrupt });
  if (run.status !== 'failed') {
    effects.log.info(`${run.summary} (listed by: taktgeber status)`);
    return true;
  }
  const published = await findPublishedTimetable(config.dataDir);
  if (!published) {
    io.stderr.write(`error: ${run.summary}\n`);
    return false;
  }
  effects.log.warn(`${run.summary}; serving what was published before`);
  return true;
}

async function renderWhereToLook(
  api: RunningServer,
  options: UpOptions,
  tools: CommandTools,
  started: number,
): Promise<void> {
  const { io, effects } = tools;
  const { addresses, warning } = await findWorthOpening(api.url, effects);
  if (warning !== null) effects.log.warn(warning);
  const readySeconds = (effects.clock.nowMilliseconds() - started) / 1000;
  if (options.json) {
    printJson(io, { url: api.url, addresses, readySeconds });
    return;
  }
  const [home, ...others] = addresses;
  printLine(io, `Ready in ${readySeconds.toFixed(1)} s on ${home}, Ctrl-C stops it. Worth opening:`);
  for (const address of others) printLine(io, `  ${address}`);
}

async function keepFresh(
  { jobs, effects, io }: CommandTools,
  config: Config,
  options: JobOptions,
  { isIngestDue }: { isIngestDue: boolean },
): Promise<void> {
  const request = { jobs, config, effects, options, signal: io.interrupt };
  if (isIngestDue) await runAndTell(getJob(jobs, 'ingest-timetable'), request);
  if (!config.schedule.isEnabled) return;
  // First, so that what is over counts as it went, and not as what was seen of it while the service was up.
  if (options.feeds === null && isSample(config)) await giveSampleItsPast(request);
  await runSchedule(request);
}

/** Names that a person may know, the best known first; the last ones find something in any feed. */
const WELL_KNOWN_STOPS = ['Praterstern', 'Hauptbahnhof', 'Hbf', 'Bahnhof', 'Central', 'St', 'a', 'e'];

interface WorthOpening {
  /** The landing page, the board of a stop that many know, the docs. */
  readonly addresses: readonly string[];
  /** One sentence when the timetable is not of today, whose board is then of its last day; or when the api refused. */
  readonly warning: string | null;
}

interface Period {
  readonly begin: string;
  readonly end: string;
}

/**
 * Three addresses worth opening, from what the api itself says, so that they answer. This is a courtesy: an api that is
 * too busy for it continues to serve, and only addresses that need no search are named.
 */
async function findWorthOpening(
  base: string,
  effects: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  try {
    return await askWhatAnswers(base, effects);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const warning = `no board was looked up to be shown here: ${error.message}`;
    return { addresses: [`${base}/`, `${base}/docs`], warning };
  }
}

/** @throws WorldError when the api does not answer, or refuses */
async function askWhatAnswers(
  base: string,
  { http, clock }: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  const { timetable } = await getJson<{ timetable?: Period }>(`${base}/v2/meta`, http);
  const today = new Date(clock.nowMilliseconds()).toISOString().slice(0, 10);
  const isOfToday = timetable === undefined || (timetable.begin <= today && today <= timetable.end);
  const time = isOfToday ? '' : `?time=${timetable.end}T08:00:00Z`;
  return {
    addresses: [`${base}/`, await findBoardAddress(base, http, time), `${base}/docs`],
    warning: isOfToday
      ? null
      : `the timetable runs from ${timetable.begin} to ${timetable.end}: boards need a time within it`,
  };
}

async function findBoardAddress(base: string, http: Http, time: string): Promise<string> {
  for (const name of WELL_KNOWN_STOPS) {
    const { stops } = await getJson<{ stops: readonly { id: string }[] }>(
      `${base}/v2/stops?query=${encodeURIComponent(name)}&limit=1`,
      http,
    );
    if (stops[0]) return `${base}/v2/stops/${encodeURIComponent(stops[0].id)}/departures${time}`;
  }
  return `${base}/v2/meta`;
}

async function getJson<Shape>(url: string, http: Http): Promise<Shape> {
  const { body } = await http({ url, timeoutSeconds: 15, maxBytes: 1_000_000 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Shape;
}
