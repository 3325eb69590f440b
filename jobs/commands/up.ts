import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { plainFeed } from '../../pipeline/config/source-config.ts';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { ExternalError, mayPass } from '../../pipeline/effects/external-error.ts';
import type { Http } from '../../pipeline/effects/http.ts';
import { logFrom } from '../../pipeline/effects/log.ts';
import { findCurrentMapsId } from '../../pipeline/snapshots/network-map-files.ts';
import { hasService, listFeedManifests } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { keepAlerting } from '../alerts/keep-alerting.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { BUILD_NETWORK_MAPS } from '../definitions/build-network-maps.ts';
import { chooseFeeds, parseFeeds } from '../definitions/feeds.ts';
import { isSample } from '../definitions/realtime-sources.ts';
import { describeError, exitCode } from '../job/exit-code.ts';
import { type JobOptions, noOptions } from '../job/job.ts';
import { asOnlyService, type WhenOwned } from '../locks/service-lock.ts';
import { findUnsharedLocks } from '../locks/unshared-locks.ts';
import { monitorJobs } from '../monitoring/monitor-jobs.ts';
import { type Monitoring, openMonitoring } from '../monitoring/open-monitoring.ts';
import { keepRealtimeFresh, listPolled } from '../polling/keep-polling.ts';
import { runJob } from '../runner/run.ts';
import { findReadableTimetable, rebuildOutdated } from '../schedule/rebuild-outdated.ts';
import { runAndLog } from '../schedule/run-and-log.ts';
import { buildSamplePast } from '../schedule/sample-past.ts';
import { keepSamplePlaces } from '../schedule/sample-places.ts';
import { runSchedule } from '../schedule/schedule.ts';
import { sweepLeftovers } from '../schedule/sweep-leftovers.ts';
import {
  addCommonOptions,
  addExamples,
  addListenOptions,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
} from './command-tools.ts';
import { followStore } from './follow-store.ts';
import { printJson, printLine, untilInterrupted } from './io.ts';
import type { ServedApi } from './run-api.ts';

interface UpOptions extends CommonOptions {
  readonly gtfs?: readonly string[];
  readonly json?: boolean;
}

export function addUpCommand(program: Command, commandTools: CommandTools): void {
  const command = program
    .command('up')
    .description('Ingest the timetable, serve it, poll the realtime sources and run the jobs, in one process.')
    .option('--gtfs <[id=]feed...>', 'GTFS zip, folder or address, instead of the configured sources')
    .option('--json', 'print the addresses as JSON')
    .action(async (options: UpOptions) => {
      const { config, tools } = await loadServiceConfig(commandTools, options);
      const run = (whenOwned: WhenOwned) => up(config, options, tools, whenOwned);
      const isAlone = config.schedule.isEnabled || config.polling.isEnabled;
      tools.finish(await (isAlone ? asOnlyService(config.dataDir, tools.effects, run) : run(async () => true)));
    });
  addExamples(addListenOptions(addCommonOptions(command)), [
    ['taktgeber up', 'the configured sources, or else the built-in sample'],
    ['taktgeber up --gtfs feed.zip', 'your own feed'],
    ['taktgeber up --gtfs wien=a.zip graz=https://example.org/b.zip', 'two feeds as one timetable'],
  ]);
}

async function up(config: Config, options: UpOptions, tools: CommandTools, whenOwned: WhenOwned): Promise<number> {
  // First: an orchestrator checks liveness also while the first timetable is ingested.
  const monitoring = await openMonitoring(config, tools.effects, tools.io.interrupt);
  try {
    return await upFollowing(options, { tools, config, monitoring, whenOwned });
  } finally {
    await monitoring.close();
  }
}

interface Upkeep {
  readonly tools: CommandTools;
  readonly config: Config;
  readonly monitoring: Monitoring;
  readonly whenOwned: WhenOwned;
}

/** What other machines publish is served here as well, also where this one runs no jobs. */
async function upFollowing(options: UpOptions, upkeep: Upkeep): Promise<number> {
  const { tools, config, monitoring } = upkeep;
  const unshared = config.schedule.isEnabled ? findUnsharedLocks(config) : null;
  if (unshared !== null) tools.effects.log.warn(`${unshared.sentence}: ${unshared.remedy}`);
  const following = await followStore(config, monitoring.effects);
  try {
    return await upMonitored(options, upkeep);
  } finally {
    await following.close();
  }
}

async function upMonitored(options: UpOptions, { tools, config, monitoring, whenOwned }: Upkeep): Promise<number> {
  const { io, effects, services } = tools;
  const started = effects.clock.nowMilliseconds();
  const jobOptions = { ...noOptions, feeds: options.gtfs ? parseFeeds(options.gtfs, io.cwd) : null };
  const isServable = await isServableAlready(config, jobOptions);
  const first = isServable ? 'published' : await ingestBeforeServing(tools, config, jobOptions);
  if (first === 'nothing') return exitCode.failed;

  await keepSamplePlaces(config.dataDir, effects, jobOptions.feeds === null && isSample(config));
  const isSampleServed = jobOptions.feeds === null;
  const served = { ...config, sources: listServed(config, jobOptions) };
  const api = await services.startApi(served, monitoring.effects, await listPolled(config, { isSampleServed }));
  monitoring.begin(api.findTrouble);
  const ending = new AbortController();
  const signal = AbortSignal.any([io.interrupt, ending.signal]);
  // From here on the output is the log of a service, at its configured level.
  const watched = {
    jobs: tools.jobs,
    config,
    isScheduling: config.schedule.isEnabled,
    areFeedsConfigured: jobOptions.feeds === null,
  };
  const monitored = monitorJobs(watched, monitoring);
  const upkeepTools = {
    ...tools,
    jobs: monitored.jobs,
    effects: { ...monitored.effects, log: logFrom(config.logLevel, effects.log) },
  };
  const polling = { config, functions: services, effects: upkeepTools.effects, signal };
  const realtime = whenOwned(signal).then((isOwned) =>
    isOwned ? keepRealtimeFresh(polling, { isSampleServed }) : undefined,
  );
  let [upkeep, alerting] = [Promise.resolve(), Promise.resolve()];
  try {
    await renderWhereToLook(api, options, tools, started);
    alerting = keepAlerting({ ...watched, effects: upkeepTools.effects, signal });
    upkeep = whenOwned(signal).then((isOwned) =>
      isOwned ? keepFresh(upkeepTools, config, jobOptions, { isIngestDue: first === 'published' }) : undefined,
    );
    await untilInterrupted(io.interrupt);
    effects.log.info('Stopping within ten seconds; press Ctrl-C again to stop immediately.');
  } finally {
    ending.abort();
    await Promise.all([upkeep, realtime, alerting, api.close()]);
  }
  return exitCode.done;
}

/** The configured sources, or the feeds of the command line in their place. */
function listServed({ sources }: Config, { feeds }: JobOptions): Config['sources'] {
  if (feeds === null) return sources;
  const unnamed = { kind: 'gtfs', name: null, attribution: null, licence: null, ...plainFeed } as const;
  return feeds.map(
    ({ id, location, headers }) => sources.find((one) => one.id === id) ?? { id, gtfs: location, headers, ...unnamed },
  );
}

/**
 * Whether the published timetable comes from the configured sources, so that the service can start without an upstream.
 * Feeds of the command line and the sample are ingested first, as exactly these are wanted.
 */
async function isServableAlready(config: Config, options: JobOptions): Promise<boolean> {
  if (options.feeds !== null || config.sources.length === 0) return false;
  const published = await findReadableTimetable(config.dataDir);
  const ids = published?.sources.map(({ sourceId }) => sourceId) ?? [];
  const missing = config.sources.filter(({ id }) => !ids.includes(id));
  if (ids.length === 0 || ids.length + missing.length !== config.sources.length) return false;
  // A source that has only unusable on-demand service is in no snapshot.
  const versions = await Promise.all(missing.map(({ id }) => listFeedManifests(config.dataDir, id)));
  return versions.every((manifests) => manifests.length > 0 && !hasService(manifests.at(-1)!));
}

/**
 * Ingests the timetable. When a feed fails, or the disk is full, the timetable published before is served.
 * @returns `published`: it could not begin, and is still due
 */
async function ingestBeforeServing(
  tools: CommandTools,
  config: Config,
  options: JobOptions,
): Promise<'ran' | 'published' | 'nothing'> {
  const { effects, io, jobs } = tools;
  const job = getJob(jobs, 'ingest-timetable');
  if (chooseFeeds(config, options).length === 0)
    effects.log.info('No source is configured: using the built-in sample, a fictional country.');
  // One line suffices here: `status` shows the report by table and reason.
  const brief = { ...effects, log: { ...effects.log, info: () => {} } };
  const context = { config, effects: brief, options, stopping: io.interrupt };
  const run = await waitWhileBusy(() => runJob(job, context), tools).catch((error: unknown) => {
    if (!mayPass(error)) throw error;
    return { status: 'refused' as const, summary: describeError(error).sentence };
  });
  if (run.status === 'done' || run.status === 'unchanged') {
    effects.log.info(`${run.summary} (details: taktgeber status)`);
    return 'ran';
  }
  const published = await findReadableTimetable(config.dataDir);
  if (!published) {
    io.stderr.write(`error: ${run.summary}\n`);
    return 'nothing';
  }
  effects.log.warn(`${run.summary}; serving the last published data`);
  return run.status === 'refused' ? 'published' : 'ran';
}

/** Wait before a timetable that another process ingests is looked at again. */
const BUSY_MILLISECONDS = 30_000;

/** Runs a job as soon as no other process writes the same; the store then has what that one has made. */
async function waitWhileBusy<Result>(run: () => Promise<Result>, { effects, io }: CommandTools): Promise<Result> {
  let logged = '';
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ExternalError && error.code === 'job_running')) throw error;
      if (error.message !== logged) effects.log.warn(`waiting for a timetable to serve: ${error.message}`);
      logged = error.message;
    }
    await effects.sleep(BUSY_MILLISECONDS, io.interrupt);
  }
}

async function renderWhereToLook(
  api: ServedApi,
  options: UpOptions,
  tools: CommandTools,
  started: number,
): Promise<void> {
  const { io, effects } = tools;
  const { addresses, warning } = await findAddressesToOpen(api.url, effects);
  if (warning !== null) effects.log.warn(warning);
  const readySeconds = (effects.clock.nowMilliseconds() - started) / 1000;
  if (options.json) {
    printJson(io, { url: api.url, addresses, readySeconds });
    return;
  }
  const [home, ...others] = addresses;
  printLine(io, `Ready in ${readySeconds.toFixed(1)} s on ${home} (Ctrl-C stops it). Try:`);
  for (const address of others) printLine(io, `  ${address}`);
}

async function keepFresh(
  { jobs, effects, io }: CommandTools,
  config: Config,
  options: JobOptions,
  { isIngestDue }: { isIngestDue: boolean },
): Promise<void> {
  const request = { jobs, config, effects, options, signal: io.interrupt };
  await sweepLeftovers(config, effects);
  if (isIngestDue) await runAndLog(getJob(jobs, 'ingest-timetable'), request);
  await rebuildOutdated(request);
  if (!config.schedule.isEnabled) return;
  // A new installation need not wait for the night to have its maps.
  if ((await findCurrentMapsId(config.dataDir)) === null) await runAndLog(getJob(jobs, BUILD_NETWORK_MAPS), request);
  // First, so that past days hold the simulated record and not what the poller saw while the service was up.
  if (options.feeds === null && isSample(config)) await buildSamplePast(request);
  await runSchedule(request);
}

/** Well-known stop names, the best known first; the last ones match in any feed. */
const WELL_KNOWN_STOPS = ['Praterstern', 'Hauptbahnhof', 'Hbf', 'Bahnhof', 'Central', 'St', 'a', 'e'];

interface WorthOpening {
  /** The landing page, the page of a well-known stop with its board, the docs. */
  readonly addresses: readonly string[];
  /** Set when the timetable does not cover today, so the board is of its last day, or when the api refused. */
  readonly warning: string | null;
}

interface Period {
  readonly begin: string;
  readonly end: string;
}

/**
 * Returns three addresses to open, taken from answers of the api, so that they work. If the api is too busy to answer,
 * only addresses that need no search are returned.
 */
async function findAddressesToOpen(
  base: string,
  effects: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  try {
    return await requestAddresses(base, effects);
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    const warning = `no example board: ${error.message}`;
    return { addresses: [`${base}/`, `${base}/docs`], warning };
  }
}

/** @throws ExternalError when the api does not answer, or refuses */
async function requestAddresses(
  base: string,
  { http, clock }: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  const { timetable } = await getJson<{ timetable?: Period }>(`${base}/v2/meta`, http);
  const today = new Date(clock.nowMilliseconds()).toISOString().slice(0, 10);
  const isOfToday = timetable === undefined || (timetable.begin <= today && today <= timetable.end);
  const time = isOfToday ? '' : `?time=${timetable.end}T08:00`;
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
    if (stops[0]) return `${base}/stops/${encodeURIComponent(stops[0].id)}${time}`;
  }
  return `${base}/stops`;
}

async function getJson<Shape>(url: string, http: Http): Promise<Shape> {
  const { body } = await http({ url, timeoutSeconds: 15, maxBytes: 1_000_000 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Shape;
}
