import { rm } from 'node:fs/promises';
import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import { startThread } from '../pipeline/effects/threads.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import type { MapsOutcome, MapsRequest } from '../pipeline/network-maps/build-network-maps.ts';
import type { LearnOutcome, LearnRequest } from '../pipeline/predictions/learning/learn-source.ts';
import type { PollThreadInput } from '../pipeline/realtime/polling/poll-here.ts';
import type { PolledSourceState } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { ReplayInput } from '../pipeline/realtime/polling/replay-here.ts';
import type { PastRequest, WrittenDay } from '../pipeline/sample/write-past.ts';
import { withSampleCredit } from './definitions/sample-sources.ts';
import { engineSettings } from './job/job.ts';
import type { Parts, RunningApi } from './job/parts.ts';

const inPipeline = (file: string) => new URL(`../pipeline/${file}.js`, import.meta.url);
const threads = {
  maps: inPipeline('network-maps/build-network-maps'),
  learning: inPipeline('predictions/learning/learn-source'),
  past: inPipeline('sample/write-past'),
  polling: inPipeline('realtime/polling/poll-here'),
  replay: inPipeline('realtime/polling/replay-here'),
  upstream: inPipeline('sample/upstream/serve-sample'),
};

/** The real parts; each is loaded when it is first used. */
export const realParts: Parts = {
  ingestTimetable: async ({ config, sources, refresh, dataDir, isDryRun, isForced, stopping }, effects) => {
    const { ingestTimetable } = await import('../pipeline/timetable/ingest-timetable.ts');
    const { openWalkRouter } = await import('../pipeline/streets/open-walk-router.ts');
    const { readMergeRules } = await import('../pipeline/timetable/merging/read-merge-rules.ts');
    const { minShareOfPrevious, refetchHours } = config.timetable;
    const settings = {
      ...engineSettings({ config, stopping }),
      keepSnapshots: config.snapshots.keep,
      minShareOfPrevious,
      refetchHours,
      maxRejectedBytes: config.raw.maxRejectedBytes,
      merging: await readMergeRules(dataDir, config.merging),
    };
    const walks = await openWalkRouter(dataDir, effects.log);
    const request = { sources, refresh, dataDir, settings, mvo: config.mvo, isDryRun, isForced };
    return ingestTimetable(request, { ...effects, walks });
  },
  buildNetworkMaps: (request, effects, signal) =>
    startThread<MapsRequest, MapsOutcome>(threads.maps, request, effects, { signal }).result,
  writeSample: async (file, today) => {
    const { buildSampleFeed } = await import('../pipeline/sample/feed/sample-feed.ts');
    const { readSampleLookups } = await import('../pipeline/sample/feed/read-sample-lookups.ts');
    const { writeSampleZip } = await import('../pipeline/sample/feed/write-sample-zip.ts');
    await writeSampleZip(buildSampleFeed({ today }, await readSampleLookups()), file);
  },
  writeSamplePast: (request, effects, signal) =>
    startThread<PastRequest, readonly WrittenDay[]>(threads.past, request, effects, { signal }).result,
  learn: (request, effects, signal) =>
    startThread<LearnRequest, LearnOutcome>(threads.learning, request, effects, { signal }).result,
  startApi: async (config, effects, polled) => {
    const { startApi } = await import('../api/start-api.ts');
    return startApi(withSampleCredit(config), effects, await listAwaited(polled));
  },
  pollRealtime: async (request, effects) => {
    const { config, sources, rounds, signal } = request;
    if (rounds !== null) {
      const { pollHere } = await import('../pipeline/realtime/polling/poll-here.ts');
      return pollHere(request, effects);
    }
    // In a thread: applying a country's answers to its timetable takes seconds, which must not block requests.
    const input = { config, sources };
    return startThread<PollThreadInput, readonly PolledSourceState[]>(threads.polling, input, effects, { signal })
      .result;
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
    const { configureReplay, makeReplayFolder } = await import('./definitions/replay-folder.ts');
    const folder = await makeReplayFolder(config.dataDir, at);
    const stopping = new AbortController();
    const thread = startThread<ReplayInput, Record<string, number>>(
      threads.replay,
      { config, folder, sources, from, to },
      effects,
      { signal: stopping.signal },
    );
    thread.result.then(
      (outcomes) => effects.log.info(`reached the end of the recordings: ${JSON.stringify(outcomes)}`),
      (error: Error) => effects.log.warn(`the replay has ended: ${error.message}`),
    );
    const end = async (api?: RunningApi) => {
      stopping.abort();
      await Promise.allSettled([thread.result, api?.close()]);
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const awaited = await listAwaited(sources);
      const api = await startApi(withSampleCredit(configureReplay(config, folder)), effects, awaited);
      return { ...api, close: () => end(api) };
    } catch (error) {
      await end();
      throw error;
    }
  },
  startSampleUpstream: async (_config, effects) => {
    const stopping = new AbortController();
    const { ready, result } = startThread<null, void>(threads.upstream, null, effects, { signal: stopping.signal });
    const url = await ready;
    return {
      url,
      close: () => {
        stopping.abort();
        return result;
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
