import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import type { Config } from '../pipeline/config/load-config.ts';
import { UsageError } from '../pipeline/config/usage-error.ts';
import { fixedClock, nowInstant } from '../pipeline/effects/clock.ts';
import type { Effects } from '../pipeline/effects/effects.ts';
import { isSystemError } from '../pipeline/effects/world-error.ts';
import { openObservations } from '../pipeline/lake/observations/observation-store.ts';
import { listObservedDates, listObservedSources } from '../pipeline/lake/observations/partition-files.ts';
import { feedManifestFolder, lakeFolder, observationPartition, tableFolder } from '../pipeline/lake/paths.ts';
import { listRawAnswers, readRawBytes } from '../pipeline/lake/raw-answers.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import { addDays, type Instant, type ServiceDate, toEpochDay } from '../pipeline/model/service-time.ts';
import { openSources, type PolledSource } from '../pipeline/realtime/polling/open-sources.ts';
import { openRealtimeSink } from '../pipeline/realtime/polling/poll-here.ts';
import type { RealtimeSink } from '../pipeline/realtime/polling/realtime-sink.ts';
import { replayAnswers } from '../pipeline/realtime/polling/replay-answers.ts';
import { makeReplayFolder } from './replay-folder.ts';

interface RebuildRequest {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
  /** A folder that does not exist or is empty; it becomes a data folder. */
  readonly into: string;
  /** Service dates, both included. */
  readonly from: ServiceDate;
  readonly to: ServiceDate;
}

interface RebuiltObservations {
  /** Number of attempts by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly days: readonly { readonly source: SourceId; readonly serviceDate: ServiceDate }[];
}

/** Reports on a service date start the day before and end half a day after its last trip. */
const REPORT_DAYS_BEFORE = 1;
const REPORT_DAYS_AFTER = 2;
/** Replayed time between two publications: the interval at which the poller writes closed sightings. */
const PUBLISH_SECONDS = 600;
/** After this time no sighting is open. */
const LONG_AFTER_SECONDS = 30 * 86_400;

/**
 * Replays the stored answers of some service dates into a separate data folder, with the same parsing, matching and
 * journal as the poller, at full speed. The real folder is read, never written.
 * @throws UsageError for a folder that is not empty
 * @throws WorldError `timetable_unavailable`
 */
export async function rebuildObservations(
  { config, sources, into, from, to }: RebuildRequest,
  effects: Effects,
  signal: AbortSignal,
): Promise<RebuiltObservations> {
  await assertEmpty(into);
  const begin = startOf(addDays(from, -REPORT_DAYS_BEFORE));
  const end = startOf(addDays(to, REPORT_DAYS_AFTER + 1));
  await makeReplayFolder(config.dataDir, startOf(from), into);
  await linkTimetables(config.dataDir, into);
  const clock = fixedClock(new Date(begin * 1000).toISOString());
  const replayed = { ...effects, clock, sleep: sleepBy(clock) };
  const polled = await openSources(sources, effects);
  const sink = publishRarely(await openRealtimeSink({ ...config, dataDir: into }, polled, replayed));
  const recordings = {
    list: (source: SourceId) => listRawAnswers(config.dataDir, source, begin, end),
    read: (rawId: string) => readRawBytes(config.dataDir, rawId),
  };
  let attempts: ReadonlyMap<string, number>;
  try {
    attempts = await replayAnswers({ sources: polled, recordings, sink, effects: replayed, signal });
  } finally {
    await sink.close();
  }
  signal.throwIfAborted();
  await closeAll(into, polled, config, effects, (nowInstant(clock) + LONG_AFTER_SECONDS) as Instant);
  return { attempts: Object.fromEntries(attempts), days: await keepDays(into, from, to) };
}

/** Closes all open sightings, which are then written to the lake. */
async function closeAll(
  into: string,
  sources: readonly PolledSource[],
  { ingest }: Config,
  { log }: Effects,
  now: Instant,
): Promise<void> {
  for (const { id, facts } of sources) {
    if (facts.archive !== 'full') continue;
    const store = await openObservations(into, id, ingest, { log });
    try {
      await store.flush(now);
    } finally {
      await store.close();
    }
  }
}

/** Midnight UTC: answers are selected by fetch time. */
function startOf(date: ServiceDate): Instant {
  return (toEpochDay(date) * 86_400) as Instant;
}

async function assertEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  throw new UsageError(`${folder} is not empty; name a new folder`);
}

/** Links the timetables that days are built from; raw answers are not linked, so that no cleaning reaches them. */
async function linkTimetables(dataDir: string, into: string): Promise<void> {
  const manifests = (folder: string) => path.dirname(feedManifestFolder(folder, '' as SourceId));
  await mkdir(path.dirname(manifests(into)), { recursive: true });
  await symlink(path.resolve(manifests(dataDir)), manifests(into), 'junction');
  for (const schema of ['gtfs', 'timetable'] as const) {
    const folder = path.dirname(tableFolder(dataDir, schema, 'x'));
    await symlink(path.resolve(folder), path.join(lakeFolder(into), schema), 'junction');
  }
}

/** A sleep that advances the clock and returns at once. */
function sleepBy(clock: ReturnType<typeof fixedClock>): Effects['sleep'] {
  return async (milliseconds, signal) => {
    signal?.throwIfAborted();
    clock.set(new Date(clock.nowMilliseconds() + milliseconds).toISOString());
  };
}

/** Publishes rarely: nothing reads these snapshots, but publishing also closes completed trips. */
function publishRarely(sink: RealtimeSink): RealtimeSink {
  let publishedAt = 0;
  return {
    ...sink,
    async publish(states, now) {
      if (now - publishedAt < PUBLISH_SECONDS) return;
      publishedAt = now;
      await sink.publish(states, now);
    },
  };
}

/** Removes days outside of the range, which are incomplete. */
async function keepDays(into: string, from: ServiceDate, to: ServiceDate): Promise<RebuiltObservations['days']> {
  const kept = [];
  for (const source of await listObservedSources(into)) {
    for (const serviceDate of await listObservedDates(into, source)) {
      if (from <= serviceDate && serviceDate <= to) kept.push({ source, serviceDate });
      else await rm(observationPartition(into, source, serviceDate), { recursive: true });
    }
  }
  return kept;
}
