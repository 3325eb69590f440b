import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { identifyThisProcess } from '../../pipeline/effects/process-identity.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { RealtimeTally } from '../../pipeline/model/realtime-tally.ts';
import {
  AUSTRIA,
  addDays,
  type Instant,
  type ServiceDate,
  serviceDayStart,
} from '../../pipeline/model/service-time.ts';
import { durationSeconds, type RunState } from '../../pipeline/operations/job-run.ts';
import type { ShardCounts } from '../../pipeline/scale-out/shards/shard.ts';
import { EVALUATE_PREDICTIONS } from '../definitions/evaluate-predictions.ts';
import { INGEST_TIMETABLE } from '../definitions/ingest-timetable.ts';
import { listRealtimeIds } from '../definitions/realtime-sources.ts';
import type { Job } from '../job/job.ts';
import { polledSource } from '../job/resources.ts';
import { listLocks } from '../locks/locks.ts';
import { readJobStates } from '../runner/job-state.ts';
import { readShards } from '../runner/read-shards.ts';
import { findLastEnded, findLastWorked } from '../runner/run-statistics.ts';

/** How a service does, read from its data folder: what metrics show and alerts are decided by. */
export interface ServiceFacts {
  readonly nowMilliseconds: number;
  /** Each part is null where it cannot be read: then nothing is known of it. */
  readonly timetable: readonly TimetableFact[] | null;
  readonly realtime: readonly RealtimeFact[] | null;
  readonly jobs: readonly JobFact[] | null;
  readonly predictions: readonly PredictionFact[] | null;
  /** None where no database is configured. */
  readonly shards: readonly ShardCounts[] | null;
  /** Null also without an object store. */
  readonly store: StoreFact | null;
  readonly disk: DiskFact | null;
  /** Parts that are null because the folder of another machine has the newer state: they are looked at there. */
  readonly elsewhere: ReadonlySet<FolderPart>;
}

/** What the last run of a job has left in the folder of its machine alone, until it runs on another one. */
type FolderPart = keyof typeof jobsOfParts;

const jobsOfParts = { timetable: INGEST_TIMETABLE, predictions: EVALUATE_PREDICTIONS } as const;

interface TimetableFact {
  readonly source: string;
  /** Time since its feed was found good; null: never, or by a clock that was ahead. */
  readonly ageSeconds: number | null;
  readonly endDate: ServiceDate | null;
  /** To the end of its last day; null where the feed has none. */
  readonly remainingSeconds: number | null;
  /** Whether its licence ends with its last day; absent: it does not. */
  readonly stopAfterValidity?: boolean;
}

export interface RealtimeFact {
  readonly source: string;
  readonly status: 'fresh' | 'stale' | 'standby' | 'never';
  readonly ageSeconds: number | null;
  /** Null where neither a publication nor the configuration has it. */
  readonly maxAgeSeconds: number | null;
  readonly trouble: string | null;
  readonly tally: RealtimeTally | null;
  /** Whether an answer is expected; false for a source that is polled on demand only and was not requested. */
  readonly isExpected: boolean;
}

export interface JobFact {
  readonly job: string;
  /** Of the last run with a conclusive result, see `findLastEnded`; null: there was none. */
  readonly lastStatus: RunState | null;
  readonly lastSummary: string | null;
  readonly lastStartedAt: string | null;
  readonly lastSuccessAt: string | null;
  /** The machine whose folder has what the job has made last; null: none is known. */
  readonly lastHost: string | null;
  readonly lastDurationSeconds: number | null;
  /** Since when a scheduled run is due, or is running; 0: none is, or it is not known. */
  readonly lateSeconds: number;
  /** A scheduled run is due, and no earlier run shows since when. */
  readonly isDueFirstTime: boolean;
  readonly isRunning: boolean;
}

/** Errors in seconds on one measured day. */
export interface MeasuredFact {
  readonly serviceDate: ServiceDate;
  readonly pairs: number;
  readonly ours: number;
  /** Of the forecast that the delay stays. */
  readonly persistence: number;
}

export interface PredictionFact {
  readonly source: string;
  /** The newest first. */
  readonly days: readonly MeasuredFact[];
}

/** What is on this machine and not in the object store. */
interface StoreFact {
  /** Of the poller; null: not counted yet. */
  readonly waitingFiles: number | null;
  /** Jobs that have ended. */
  readonly waitingJobs: number;
}

interface DiskFact {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  /** Files that it can still hold; null: the file system has no table of files. */
  readonly freeFiles: number | null;
}

export interface FactsRequest {
  readonly config: Config;
  readonly jobs: readonly Job[];
  /** Whether the jobs are run at their times; else none is late. */
  readonly isScheduling: boolean;
  /** False where feeds of the command line are ingested instead of the configured ones, which then are not missed. */
  readonly areFeedsConfigured?: boolean;
  readonly clock: Clock;
}

/** Days of the record of predictions that are looked at. */
export const MEASURED_DAYS = 3;

/** Reads all facts; a part that fails is null. */
export async function readServiceFacts(request: FactsRequest): Promise<ServiceFacts> {
  const nowMilliseconds = request.clock.nowMilliseconds();
  const { dataDir } = request.config;
  const jobs = await orUnknown(readJobs(request, nowMilliseconds));
  const places = findPlaces(request.config, jobs);
  const ofFolder = <Part>(part: FolderPart, read: () => Promise<Part>) =>
    places[part] === 'here' ? orUnknown(read()) : null;
  const [timetable, realtime, predictions, shards, store, disk] = await Promise.all([
    ofFolder('timetable', () => readTimetables(request, nowMilliseconds)),
    orUnknown(readRealtime(request, nowMilliseconds)),
    ofFolder('predictions', () => readPredictions(dataDir)),
    orUnknown(readShards(request.config, silentLog)),
    orUnknown(readStore(request.config)),
    orUnknown(readDisk(dataDir)),
  ]);
  const elsewhere = new Set(folderParts.filter((part) => places[part] === 'elsewhere'));
  return { nowMilliseconds, timetable, realtime, jobs, predictions, shards, store, disk, elsewhere };
}

const folderParts = Object.keys(jobsOfParts) as readonly FolderPart[];

/**
 * Where the newest state of each part is: in the folder of the machine that did the work last. Others are as old as their
 * last run. Null: not known, as while the database of the runs is away.
 */
function findPlaces(
  { operations }: Config,
  jobs: readonly JobFact[] | null,
): Readonly<Record<FolderPart, 'here' | 'elsewhere' | null>> {
  const findPlace = (part: FolderPart) => {
    if (operations.postgresUrl === null) return 'here';
    if (jobs === null) return null;
    const host = jobs.find(({ job }) => job === jobsOfParts[part])?.lastHost ?? hostname();
    return host === hostname() ? 'here' : 'elsewhere';
  };
  return { timetable: findPlace('timetable'), predictions: findPlace('predictions') };
}

/** Whatever fails here fails elsewhere too, where it is logged: what looks after a service must outlive its data. */
async function orUnknown<Part>(part: Promise<Part>): Promise<Part | null> {
  return part.catch(() => null);
}

async function readStore({ dataDir, store }: Config): Promise<StoreFact | null> {
  if (store.url === null) return null;
  const { findPolledPublication, listUnpublishedJobs } = await import(
    '../../pipeline/scale-out/object-store/waiting.ts'
  );
  const polled = await findPolledPublication(dataDir);
  return { waitingFiles: polled?.waitingFiles ?? null, waitingJobs: (await listUnpublishedJobs(dataDir)).length };
}

/** The published sources, and the configured ones that no published timetable contains. */
async function readTimetables(
  { config: { dataDir, sources: configured }, areFeedsConfigured = true }: FactsRequest,
  nowMilliseconds: number,
): Promise<TimetableFact[]> {
  // Imported on demand, as it loads the reader of snapshots.
  const { findCurrentTimetableId, readSourceChecks, readTimetableManifest } = await import(
    '../../pipeline/snapshots/timetable-files.ts'
  );
  const id = await findCurrentTimetableId(dataDir);
  const sources = id === null ? [] : (await readTimetableManifest(dataDir, id)).sources;
  const checks = await readSourceChecks(dataDir);
  const published = sources.map(({ sourceId, endDate }) => ({
    source: sourceId,
    ageSeconds: findAgeSeconds(checks[sourceId] ?? null, nowMilliseconds),
    endDate,
    remainingSeconds: findRemainingSeconds(endDate, nowMilliseconds),
    stopAfterValidity: configured.some((one) => one.id === sourceId && one.stopAfterValidity),
  }));
  const wanted = areFeedsConfigured ? configured : [];
  const missing = wanted.filter((one) => !sources.some(({ sourceId }) => sourceId === one.id));
  const absent = missing.map(async ({ id: source, stopAfterValidity }) => {
    const endDate = stopAfterValidity ? await findWithdrawnEnd(dataDir, source, nowMilliseconds) : null;
    return {
      source,
      ageSeconds: findAgeSeconds(checks[source] ?? null, nowMilliseconds),
      endDate,
      remainingSeconds: findRemainingSeconds(endDate, nowMilliseconds),
      ...(stopAfterValidity ? { stopAfterValidity } : {}),
    };
  });
  return [...published, ...(await Promise.all(absent))];
}

/** Last day of a source that is left out of the timetable since its licence has ended; null if it never loaded. */
async function findWithdrawnEnd(
  dataDir: string,
  source: SourceId,
  nowMilliseconds: number,
): Promise<ServiceDate | null> {
  const { listFeedManifests } = await import('../../pipeline/timetable/feed/feed-manifest.ts');
  const { findLastDay, serveVersions } = await import('../../pipeline/timetable/feed/version-days.ts');
  const newest = (await listFeedManifests(dataDir, source)).at(-1);
  if (newest === undefined) return null;
  return findLastDay(
    serveVersions([newest], Math.floor(nowMilliseconds / 1000) as Instant, { stopAfterValidity: true }),
  );
}

function findRemainingSeconds(endDate: ServiceDate | null, nowMilliseconds: number): number | null {
  return endDate === null ? null : serviceDayStart(addDays(endDate, 1), AUSTRIA) - nowMilliseconds / 1000;
}

/**
 * The sources that are polled into this folder, if any are: what another machine polls is not here, or grows old here
 * after that machine has taken over, and is reported there.
 */
async function listOwnSources({ config, clock }: FactsRequest): Promise<readonly SourceId[]> {
  const ids = config.polling.isEnabled ? listRealtimeIds(config) : [];
  if (config.operations.postgresUrl === null || ids.length === 0) return ids;
  // While the database is away, each machine looks at all of them: an alert too many is better than one too few.
  const locks = await listLocks(config, { clock, log: silentLog }).catch(() => []);
  const { host } = await identifyThisProcess();
  const elsewhere = new Set(locks.filter((lock) => lock.host !== host).map(({ resource }) => resource));
  return ids.filter((id) => !elsewhere.has(polledSource(id)));
}

async function readRealtime(request: FactsRequest, nowMilliseconds: number): Promise<RealtimeFact[]> {
  const { config } = request;
  const { peekRealtimeManifest } = await import('../../pipeline/snapshots/realtime-files.ts');
  const { readStandby } = await import('../../pipeline/realtime/polling/standby.ts');
  const manifest = await peekRealtimeManifest(config.dataDir);
  const standby = await readStandby(config.dataDir);
  return (await listOwnSources(request)).map((source): RealtimeFact => {
    const state = manifest?.sources.find(({ id }) => id === source);
    const configured = config.realtime.find(({ id }) => id === source);
    const isStandby = standby[source]?.isStandby ?? configured?.isStandby ?? false;
    const ageSeconds = findAgeSeconds(state?.lastSuccessAt ?? null, nowMilliseconds);
    const isFresh = state !== undefined && ageSeconds !== null && ageSeconds <= state.maxAgeSeconds;
    return {
      source,
      status: isStandby ? 'standby' : isFresh ? 'fresh' : ageSeconds === null ? 'never' : 'stale',
      ageSeconds,
      maxAgeSeconds: state?.maxAgeSeconds ?? configured?.maxAgeSeconds ?? null,
      trouble: state?.trouble ?? null,
      tally: state?.tally ?? null,
      // The sample is polled only where it is served.
      isExpected: state ? state.lastAttemptAt !== null || state.trouble !== null : configured !== undefined,
    };
  });
}

async function readJobs(request: FactsRequest, nowMilliseconds: number): Promise<JobFact[]> {
  const { config, clock, isScheduling } = request;
  const states = await readJobStates(request.jobs, config, { clock, log: silentLog });
  return states.map(({ job, runs, runningSince, lastSuccessAt, nextAt }) => {
    const run = findLastEnded(runs);
    const due = isScheduling ? nextAt : null;
    const since = runningSince === null ? due : Date.parse(runningSince);
    const isDue = due !== null && due <= clock.nowMilliseconds();
    return {
      job: job.name,
      lastStatus: run?.state ?? null,
      lastSummary: run?.summary ?? null,
      lastStartedAt: run?.startedAt ?? null,
      lastSuccessAt,
      lastHost: findLastWorked(runs)?.host ?? null,
      lastDurationSeconds: run && durationSeconds(run),
      // The lock of the poller is held for as long as it polls; it has no times, so it is never late.
      lateSeconds: due === null || since === null ? 0 : Math.max(0, nowMilliseconds - since) / 1000,
      isDueFirstTime: isDue && runningSince === null && run === null,
      isRunning: runningSince !== null,
    };
  });
}

async function readPredictions(dataDir: string): Promise<PredictionFact[]> {
  const { listModelSources } = await import('../../pipeline/predictions/learning/model-store.ts');
  const { listMeasuredDays } = await import('../../pipeline/predictions/measured/measured-days.ts');
  const sources = await listModelSources(dataDir);
  return Promise.all(
    sources.map(async (source) => {
      const days = await listMeasuredDays(dataDir, source, MEASURED_DAYS);
      return { source, days: days.flatMap(toMeasured) };
    }),
  );
}

type MeasuredDay = Awaited<
  ReturnType<typeof import('../../pipeline/predictions/measured/measured-days.ts').listMeasuredDays>
>[number];

function toMeasured({ serviceDate, figures }: MeasuredDay): MeasuredFact[] {
  const all = figures.find(({ pairsOf, unit }) => pairsOf === 'all' && unit === 'raw');
  const errors = all?.errors.find(({ slice }) => slice === 'all');
  const { ours, persistence } = errors?.meanError ?? {};
  if (errors === undefined || ours === undefined || persistence === undefined) return [];
  if (ours === null || persistence === null) return [];
  return [{ serviceDate, pairs: errors.pairs, ours, persistence }];
}

/** The disk of a folder. */
export async function readDisk(folder: string): Promise<DiskFact> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, freeFiles: files > 0 ? ffree : null };
}

/** @returns null for no time, or one that a wrong clock has put into the future */
function findAgeSeconds(isoTime: string | null, nowMilliseconds: number): number | null {
  if (isoTime === null || isTextAhead(isoTime, nowMilliseconds)) return null;
  return Math.max(0, nowMilliseconds - Date.parse(isoTime)) / 1000;
}
