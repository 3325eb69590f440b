import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { fixedClock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { assertMayPublish } from '../../pipeline/effects/publication-guard.ts';
import { withTemporaryFolder } from '../../pipeline/effects/temporary-folders.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { listObservedDates, listObservedSources } from '../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, workFolder } from '../../pipeline/lake/paths.ts';
import { listRawAnswers, readRawBytes } from '../../pipeline/lake/raw-answers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import { openRealtimeSink } from '../../pipeline/realtime/polling/open-realtime-sink.ts';
import { openSources, type PolledSource } from '../../pipeline/realtime/polling/open-sources.ts';
import type { RealtimeSink } from '../../pipeline/realtime/polling/realtime-sink.ts';
import { replayAnswers } from '../../pipeline/realtime/polling/replay-answers.ts';
import { makeReplayFolder } from './replay-folder.ts';

export interface RebuildRequest {
  readonly config: Config;
  /** Sources whose answers are replayed. */
  readonly sources: readonly ConfiguredSource[];
  /** The data folder that gets the observations. */
  readonly into: string;
  /** Service dates, both included. */
  readonly from: ServiceDate;
  readonly to: ServiceDate;
  /** The timetable of this instant is matched with. */
  readonly timetableAt: Instant;
  /** Answers fetched at or after `begin` and before `end` are replayed. */
  readonly begin: Instant;
  readonly end: Instant;
}

export interface RebuiltObservations {
  /** Number of attempts by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly days: readonly { readonly source: SourceId; readonly serviceDate: ServiceDate }[];
}

/** Replayed time between two publications: the interval at which the poller writes closed observations. */
const PUBLISH_SECONDS = 600;
/** After this time no observation is open. */
const LONG_AFTER_SECONDS = 30 * 86_400;

/**
 * Replays the stored answers of some service dates into a data folder, with the same parsing, matching and journal as
 * the poller, at full speed. The real folder is read, never written.
 * @throws ExternalError `timetable_unavailable`
 */
export async function rebuildDays(
  { config, sources, into, from, to, timetableAt, begin, end }: RebuildRequest,
  effects: Effects,
  signal: AbortSignal,
): Promise<RebuiltObservations> {
  return withTemporaryFolder(workFolder(into), async (folder) => {
    await makeReplayFolder(config.dataDir, timetableAt, folder);
    const clock = fixedClock(new Date(begin * 1000).toISOString());
    const replayed = { ...effects, clock, sleep: sleepBy(clock) };
    const polled = await openSources(sources, effects);
    const sink = publishRarely(await openRealtimeSink({ ...config, dataDir: folder }, polled, replayed));
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
    await closeAll(folder, polled, config, effects, (nowInstant(clock) + LONG_AFTER_SECONDS) as Instant);
    return { attempts: Object.fromEntries(attempts), days: await moveDays(folder, into, from, to) };
  });
}

/** Closes all open observations, which are then written to the lake. */
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

/** Moves the days of the range; those around it are incomplete, and left behind. */
async function moveDays(
  folder: string,
  into: string,
  from: ServiceDate,
  to: ServiceDate,
): Promise<RebuiltObservations['days']> {
  const moved = [];
  for (const source of await listObservedSources(folder)) {
    for (const serviceDate of await listObservedDates(folder, source)) {
      if (serviceDate < from || serviceDate > to) continue;
      const target = observationPartition(into, source, serviceDate);
      await assertMayPublish();
      // Of an attempt that was killed before it was noted.
      await rm(target, { recursive: true, force: true });
      await mkdir(path.dirname(target), { recursive: true });
      await rename(observationPartition(folder, source, serviceDate), target);
      moved.push({ source, serviceDate });
    }
  }
  return moved;
}
