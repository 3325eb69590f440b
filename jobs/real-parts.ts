import { rm } from 'node:fs/promises';
import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import type { FeatureOutcome } from '../pipeline/predictions/learning/build-source-features.ts';
import type { TrainOutcome } from '../pipeline/predictions/learning/train-source.ts';
import type { PolledSourceState } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { PastRequest, WrittenDay } from '../pipeline/sample/write-past.ts';
import { engineSettings } from './job.ts';
import type { LearnRequest } from './learn-here.ts';
import type { Parts } from './parts.ts';
import type { PollThreadInput } from './poll-thread.ts';
import type { ReplayInput } from './replay-here.ts';
import { withSampleCredit } from './sample-sources.ts';
import { type RunningThread, startThread } from './threads.ts';

/** The parts as they are; each is loaded when it is first used. */
export const realParts: Parts = {
  ingestTimetable: async ({ config, sources, refresh, dataDir, isDryRun, isForced, stopping }, effects) => {
    const { ingestTimetable } = await import('../pipeline/timetable/ingest-timetable.ts');
    const { openWalkRouter } = await import('../pipeline/streets/open-walk-router.ts');
    const { minShareOfPrevious } = config.timetable;
    const settings = {
      ...engineSettings({ config, stopping }),
      keepSnapshots: config.snapshots.keep,
      minShareOfPrevious,
    };
    const walks = await openWalkRouter(dataDir, effects.log);
    return ingestTimetable({ sources, refresh, dataDir, settings, isDryRun, isForced }, { ...effects, walks });
  },
  writeSample: async (file, today) => {
    const { buildSampleFeed } = await import('../pipeline/sample/feed/sample-feed.ts');
    const { readSampleLookups } = await import('../pipeline/sample/feed/read-sample-lookups.ts');
    const { writeSampleZip } = await import('../pipeline/sample/feed/write-sample-zip.ts');
    await writeSampleZip(buildSampleFeed({ today }, await readSampleLookups()), file);
  },
  writeSamplePast: async (request, effects, signal) => {
    const file = new URL('./sample-past-thread.js', import.meta.url);
    const thread = startThread<PastRequest, readonly WrittenDay[]>(file, request, effects);
    return endWith(signal, thread);
  },
  learn: async (request, effects, signal) => {
    const file = new URL('./learn-thread.js', import.meta.url);
    return endWith(signal, startThread<LearnRequest, FeatureOutcome | TrainOutcome>(file, request, effects));
  },
  startApi: async (config, effects, polled) => {
    const { startApi } = await import('../api/start-api.ts');
    return startApi(withSampleCredit(config), effects, await listAwaited(polled));
  },
  pollRealtime: async (request, effects) => {
    const { config, sources, rounds, signal } = request;
    if (rounds !== null) {
      const { pollHere } = await import('./poll-here.ts');
      return pollHere(request, effects);
    }
    // Beside an api: laying a country's answers over its timetable takes seconds that no request should wait.
    const file = new URL('./poll-thread.js', import.meta.url);
    const thread = startThread<PollThreadInput, readonly PolledSourceState[]>(file, { config, sources }, effects);
    return endWith(signal, thread);
  },
  findFirstAnswer: async (dataDir, sources, from, to) => {
    const { listRawAnswers } = await import('../pipeline/lake/raw-answers.ts');
    const firsts: number[] = [];
    for (const source of sources) {
      const [first] = await listRawAnswers(dataDir, source, from, to);
      if (first) firsts.push(Math.floor(Date.parse(first.fetchedAt) / 1000));
    }
    return firsts.length === 0 ? null : (Math.min(...firsts) as Instant);
  },
  startReplay: async ({ config, sources, at, from, to }, effects) => {
    const { startApi } = await import('../api/start-api.ts');
    const { makeReplayFolder } = await import('./replay-folder.ts');
    const folder = await makeReplayFolder(config.dataDir, at);
    const file = new URL('./replay-thread.js', import.meta.url);
    const thread = startThread<ReplayInput, Record<string, number>>(
      file,
      { config, folder, sources, from, to },
      effects,
    );
    thread.result.then(
      (outcomes) => effects.log.info(`the recordings are over: ${JSON.stringify(outcomes)}`),
      (error: Error) => effects.log.warn(`the replay has ended: ${error.message}`),
    );
    const removeFolder = () => rm(folder, { recursive: true, force: true });
    try {
      const awaited = await listAwaited(sources);
      const api = await startApi({ ...withSampleCredit(config), dataDir: folder }, effects, awaited);
      const close = async () => {
        thread.stop();
        await Promise.allSettled([thread.result, api.close()]);
        await removeFolder();
      };
      return { url: api.url, close };
    } catch (error) {
      thread.stop();
      await Promise.allSettled([thread.result]);
      await removeFolder();
      throw error;
    }
  },
  startSampleUpstream: async (_config, effects) => {
    const file = new URL('./sample-upstream-thread.js', import.meta.url);
    const thread = startThread<null, null>(file, null, effects);
    const url = await thread.ready;
    return {
      url,
      close: async () => {
        thread.stop();
        await thread.result;
      },
    };
  },
};

async function listAwaited(sources: readonly ConfiguredSource[]) {
  const { listProvidedAreas } = await import('../pipeline/realtime/polling/provides.ts');
  return sources.map((source) => {
    const { id, isStandby } = source;
    return { id, provides: listProvidedAreas(source), isStandby };
  });
}

/** The result of a thread that is stopped when the signal says so; many threads may follow the same one in turn. */
async function endWith<Result>(signal: AbortSignal | undefined, thread: RunningThread<Result>): Promise<Result> {
  if (!signal) return thread.result;
  const stop = () => thread.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await thread.result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
