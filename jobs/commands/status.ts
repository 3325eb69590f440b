import path from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { SourceConfig } from '../../pipeline/config/source-config.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { listNames } from '../../pipeline/effects/files.ts';
import { listRejectedFeeds, type RejectedFeed } from '../../pipeline/lake/rejected-feeds.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { ShardCounts } from '../../pipeline/scale-out/shards/shard.ts';
import { type PlacesManifest, SAMPLE_PLACES } from '../../pipeline/snapshots/places-contract.ts';
import { currentPlacesFile, findCurrentPlacesId, findPlacesManifest } from '../../pipeline/snapshots/places-files.ts';
import type { MergeReport, SnapshotSource, TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import {
  currentStreetsFile,
  findCurrentStreetsId,
  findStreetsManifest,
  type StreetsManifest,
} from '../../pipeline/streets/published-streets.ts';
import { type KeptAside, readFeedPublications } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { findInForce } from '../../pipeline/timetable/feed/version-days.ts';
import { formatCount, renderFeedReport } from '../definitions/feed-report-lines.ts';
import { type ServedConfig, withSampleCredit } from '../definitions/sample-sources.ts';
import { describeError, exitCode } from '../job/exit-code.ts';
import { renderTable } from '../job/text-table.ts';
import { type HeldLock, listLocks } from '../locks/locks.ts';
import { readShards } from '../runner/read-shards.ts';
import { isFailure } from '../runner/run-statistics.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  findPublishedTimetable,
  loadCommandConfig,
} from './command-tools.ts';
import { type FeedNotes, findFeedNotes, renderFeed, renderRejected } from './feed-notes.ts';
import { printJson, printLine } from './io.ts';
import { shortTime } from './job-runs.ts';
import { listJobs, renderListings } from './jobs.ts';
import {
  findPredictionStatus,
  findRealtimeStatus,
  renderPredictionStatus,
  renderRealtimeStatus,
} from './realtime-status.ts';
import { describeVerdict } from './status-verdict.ts';

export function addStatusCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('status')
    .description('Show what is published, the accepted and refused rows of each source, and the last job runs.')
    .option('--json', 'print JSON')
    .option('--exit-code', 'exit with 3 if nothing is published')
    .action(async (options: CommonOptions & { json?: boolean; exitCode?: boolean }) => {
      const config = await loadCommandConfig(tools, options);
      const status = await readStatus(tools, config);
      const { problems, timetable } = status;
      if (options.json) printJson(tools.io, { dataDir: config.dataDir, ...status });
      else for (const line of renderStatus(config, status, nowInstant(tools.effects.clock))) printLine(tools.io, line);
      for (const problem of problems) tools.io.stderr.write(`error: ${problem}\n`);
      const whenWell = options.exitCode && !timetable ? exitCode.nothingToDo : exitCode.done;
      tools.finish(problems.length > 0 ? exitCode.failed : whenWell);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber status', 'for people'],
    ['taktgeber status --json', 'for programs'],
  ]);
}

/** Each part is null where it cannot be read, with the reason among the problems. */
async function readStatus(tools: CommandTools, config: Config) {
  const problems: string[] = [];
  const read = async <Part>(name: string, part: () => Promise<Part>): Promise<Part | null> => {
    try {
      return await part();
    } catch (error) {
      const { sentence, isBug } = describeError(error);
      if (isBug) throw error;
      problems.push(`${name}: ${sentence}`);
      return null;
    }
  };
  const nowMilliseconds = tools.effects.clock.nowMilliseconds();
  const timetable = await read('timetable', () => findTimetable(config.dataDir));
  const jobs = await read('jobs', () => listJobs(tools, config));
  return {
    timetable,
    feeds: await read('feeds', () => findFeedNotes(config, timetable)),
    rejectedFeeds: await read('rejected feeds', () => listRejectedFeeds(config.dataDir)),
    keptAside: await read('kept aside', () => findKeptAside(config.dataDir, timetable)),
    streets: await read('streets', () => findStreets(config.dataDir)),
    places: await read('places', () => findPlaces(config.dataDir)),
    realtime: await read('realtime', () => findRealtimeStatus(config, nowMilliseconds)),
    predictions: await read('predictions', () => findPredictionStatus(config)),
    jobs,
    shards: await read('shards', () => readShards(config, tools.effects.log)),
    // After the jobs, whose locks these are: where those cannot be read, the reason is the same.
    locks: jobs === null ? null : await read('locks', () => listLocks(config, tools.effects)),
    problems,
  };
}

type Status = Awaited<ReturnType<typeof readStatus>>;

function renderStatus(config: Config, status: Status, now: Instant): string[] {
  const { timetable, keptAside, feeds, rejectedFeeds, streets, places, realtime, predictions, jobs } = status;
  const { shards, locks, problems } = status;
  const isRead = (name: string) => !problems.some((problem) => problem.startsWith(`${name}: `));
  return [
    describeVerdict({ ...status, jobs: jobs && listVerdictJobs(jobs) }, now),
    `Data folder: ${config.dataDir}`,
    '',
    ...(isRead('timetable')
      ? [...renderTimetable(timetable, withSampleCredit(config).sources, keptAside ?? {}, now), '']
      : []),
    ...renderFeedNotes(feeds ?? [], rejectedFeeds ?? []),
    ...(isRead('streets') ? [renderStreets(streets), ''] : []),
    ...(places ? [renderPlaces(places), ''] : []),
    ...(realtime ? [...renderRealtimeStatus(realtime), ''] : []),
    ...(predictions ? [...renderPredictionStatus(predictions), ''] : []),
    ...(jobs ? renderListings(jobs) : []),
    ...(shards && shards.length > 0 ? ['', ...renderShards(shards)] : []),
    ...(locks && locks.length > 0 ? ['', ...renderLocks(locks)] : []),
  ];
}

function listVerdictJobs(jobs: NonNullable<Status['jobs']>) {
  return jobs.map(({ job, lastStatus, freshness }) => ({
    job,
    hasFailed: lastStatus !== null && isFailure(lastStatus),
    freshness,
  }));
}

function renderFeedNotes(feeds: readonly FeedNotes[], rejected: readonly RejectedFeed[]): string[] {
  const lines = [...feeds.flatMap(renderFeed), ...rejected.map(renderRejected)];
  return lines.length === 0 ? [] : [...lines, ''];
}

function renderShards(shards: readonly ShardCounts[]): string[] {
  const columns = [
    { title: 'UNITS FOR WORKERS' },
    ...['WAITING', 'ACTIVE', 'FAILED'].map((title) => ({ title, align: 'end' as const })),
  ];
  return [
    ...renderTable(
      columns,
      shards.map(({ job, waiting, active, failed }) => [job, ...[waiting, active, failed].map(formatCount)]),
    ),
    ...shards.flatMap(({ job, failures }) =>
      failures.map(({ unit, summary, failedAt }) => `${job}: ${unit} failed ${shortTime(failedAt)}: ${summary}`),
    ),
  ];
}

function renderLocks(locks: readonly HeldLock[]): string[] {
  return renderTable(
    ['LOCKED', 'BY', 'PROCESS', 'SINCE'].map((title) => ({ title })),
    locks.map(({ resource, job, pid, host, startedAt }) => [resource, job, `${pid} on ${host}`, shortTime(startedAt)]),
  );
}

/** @throws ExternalError `pointer_damaged` for a pointer without a snapshot; errors of reading the manifest */
async function findTimetable(dataDir: string): Promise<TimetableManifest | null> {
  const { currentTimetableFile } = await import('../../pipeline/snapshots/timetable-files.ts');
  const published = await findPublishedTimetable(dataDir);
  const remedy = 'run "taktgeber run ingest-timetable"';
  return published ?? assertNoPointer(currentTimetableFile(dataDir), `names no snapshot: ${remedy}`);
}

async function assertNoPointer(file: string, sentence: string): Promise<null> {
  if (!(await listNames(path.dirname(file))).includes(path.basename(file))) return null;
  throw new ExternalError('pointer_damaged', `${file} ${sentence}`);
}

/** The version of each published source that was kept aside, if any. */
async function findKeptAside(
  dataDir: string,
  published: TimetableManifest | null,
): Promise<Readonly<Record<string, KeptAside>>> {
  const found: Record<string, KeptAside> = {};
  for (const { sourceId } of published?.sources ?? []) {
    const { keptAside } = await readFeedPublications(dataDir, sourceId);
    if (keptAside) found[sourceId] = keptAside;
  }
  return found;
}

function renderTimetable(
  manifest: TimetableManifest | null,
  configured: ServedConfig['sources'],
  keptAside: Readonly<Record<string, KeptAside>>,
  now: Instant,
): string[] {
  if (!manifest) return ['No timetable is published yet. Run "taktgeber run ingest-timetable".'];
  const { stops, trips, times } = manifest.rows;
  const counts = Object.entries({ stops, trips, calls: times }).map(
    ([noun, count]) => `${formatCount(count ?? 0)} ${noun}`,
  );
  return [
    `Timetable ${manifest.id}, published ${manifest.createdAt}`,
    `Valid from ${manifest.beginDate} to ${manifest.endDate}: ${counts.join(', ')}`,
    ...manifest.sources.flatMap((source) => [
      '',
      describeSource(source),
      ...renderVersions(source, now),
      ...renderKeptAside(keptAside[source.sourceId]),
      ...renderCredits(configured.find(({ id }) => id === source.sourceId)),
      ...renderFeedReport(source.report),
    ]),
    ...renderMerges(manifest.merges),
  ];
}

/** What was merged by which rule, and the first of each. */
function renderMerges({ stations, trips, derivedContinuations, problems }: MergeReport): string[] {
  const lines = [
    ...renderMerged('stations', stations),
    ...renderMerged('trips', trips),
    ...(derivedContinuations > 0
      ? [`Through trips: ${formatCount(derivedContinuations)} continue as the next trip of their number or line`]
      : []),
    ...problems.map(({ code, source, place, detail }) => `Not merged: ${source}, ${place}: ${code} (${detail})`),
  ];
  return lines.length > 0 ? ['', ...lines] : [];
}

function renderMerged(noun: string, byRule: MergeReport['stations']): string[] {
  return byRule.flatMap(({ rule, count, samples }) => {
    if (count === 0) return [];
    const more = count > samples.length ? [`  and ${formatCount(count - samples.length)} more`] : [];
    return [
      `Merged ${noun} by ${ruleNames[rule] ?? rule}: ${formatCount(count)}`,
      ...samples.map((one) => `  ${one}`),
      ...more,
    ];
  });
}

const ruleNames: Readonly<Record<string, string>> = {
  table: 'merge table',
  global_id: 'register number',
  name: 'name and distance',
  number: 'number and times',
  line: 'line and times',
};

function renderCredits(configured: SourceConfig | undefined): string[] {
  const credits = [configured?.name, configured?.attribution, configured?.licence].filter(Boolean).join('; ');
  return credits ? [credits] : [];
}

function describeSource({
  sourceId,
  feedVersion,
  fetchedAt,
  publisherName,
  beginDate,
  endDate,
}: SnapshotSource): string {
  const publisher = publisherName === null ? '' : ` by ${publisherName}`;
  const validity = beginDate === null ? '' : `, valid from ${beginDate} to ${endDate ?? 'an unknown day'}`;
  return `Source ${sourceId}${publisher}: feed version ${feedVersion}, fetched ${fetchedAt}${validity}`;
}

/** Renders which of several versions is in force, which is future, and which ends with the present night. */
function renderVersions({ versions }: SnapshotSource, now: Instant): string[] {
  if (versions.length < 2) return [];
  const inForce = findInForce(versions, now);
  return versions.map(({ feedVersion, from, until }, i) => {
    if (i > inForce) return `Version ${feedVersion} starts on ${from}`;
    return i < inForce ? `Version ${feedVersion} ended on ${until}` : `Version ${feedVersion} is valid now`;
  });
}

function renderKeptAside(keptAside: KeptAside | undefined): string[] {
  if (!keptAside) return [];
  const { feedVersion, keptAsideAt, reason } = keptAside;
  const remedy = 'publish it with "taktgeber run ingest-timetable --force"';
  return [`Version ${feedVersion} has been held back since ${keptAsideAt}: ${reason}; ${remedy}`];
}

async function findStreets(dataDir: string): Promise<StreetsManifest | null> {
  const id = await findCurrentStreetsId(dataDir);
  const build = 'taktgeber build-streets';
  if (id === null) return assertNoPointer(currentStreetsFile(dataDir), `names no street graph: run "${build}"`);
  const manifest = await findStreetsManifest(dataDir, id);
  if (manifest) return manifest;
  throw new ExternalError('streets_damaged', `street graph ${id} has no manifest: run "${build}"`);
}

function renderStreets(manifest: StreetsManifest | null): string {
  if (!manifest) return 'No street graph is published: walks are straight lines. Run "taktgeber build-streets".';
  const { id, source, createdAt } = manifest;
  return `Street graph ${id} of ${source.name}, published ${createdAt}; © OpenStreetMap contributors, ODbL`;
}

async function findPlaces(dataDir: string): Promise<PlacesManifest | null> {
  const id = await findCurrentPlacesId(dataDir);
  const build = 'taktgeber build-places';
  if (id === null) return assertNoPointer(currentPlacesFile(dataDir), `names no place index: run "${build}"`);
  const manifest = await findPlacesManifest(dataDir, id);
  if (manifest) return manifest;
  throw new ExternalError('snapshot_damaged', `place index ${id} has no manifest of this version: run "${build}"`);
}

function renderPlaces({ id, extract, register, createdAt }: PlacesManifest): string {
  if (extract.name === SAMPLE_PLACES)
    return `Place index ${id} of ${extract.name}, published ${createdAt}; made-up houses`;
  const official = register === null ? '' : ' © Österreichisches Adressregister (BEV), CC BY 4.0;';
  const sources = register === null ? extract.name : `${extract.name} and ${register.name}`;
  return `Place index ${id} of ${sources}, published ${createdAt};${official} © OpenStreetMap contributors, ODbL`;
}
