import { rm } from 'node:fs/promises';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';
import type { Metrics } from '../../pipeline/metrics/metrics.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { ReplayInput } from '../../pipeline/realtime/polling/replay-here.ts';
import { withSampleCredit } from '../definitions/sample-sources.ts';
import { type LakeOptions, openLake } from './open-lake.ts';

/** A running API. */
export interface ServedApi {
  /** Address without a trailing slash. */
  readonly url: string;
  /** Why it should get no requests at present, in a few words; `null`: it answers. */
  findTrouble?(): string | null;
  close(): Promise<void>;
}

/** Memory of page queries, limited to leave enough for requests. */
const EXPLORE_THREADS = 2;
const EXPLORE_MEMORY = '1GB';

type ApiEffects = Effects & { readonly metrics?: Metrics };

/**
 * Starts the API on the published snapshots; it switches to newer ones by itself.
 * @param polled the realtime sources that this process or another one polls
 */
export async function runApi(
  config: Config,
  effects: ApiEffects,
  polled: readonly ConfiguredSource[],
): Promise<ServedApi> {
  const { startApi } = await import('../../api/start-api.ts');
  const openLakeHere = (limits: Pick<LakeOptions, 'outputFile' | 'timeLimitSeconds'>) =>
    openLake({
      ...limits,
      dataDir: config.dataDir,
      remedy: 'Narrow it, e.g. by source and service_date.',
      log: effects.log,
      engine: { threads: EXPLORE_THREADS, memoryLimit: EXPLORE_MEMORY },
    });
  return startApi(withSampleCredit(config), { ...effects, openLake: openLakeHere }, await listAwaited(polled));
}

export interface ReplayRequest {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
  /** Start of the replay. */
  readonly at: Instant;
  /** Answers fetched at or after `from` and before `to` are played. */
  readonly from: Instant;
  readonly to: Instant;
}

/** Serves a past time as it was known then; `effects.clock` defines its course. */
export async function runReplay(request: ReplayRequest, effects: ApiEffects): Promise<ServedApi> {
  const { config, sources, at, from, to } = request;
  const { configureReplay, makeReplayFolder } = await import('../definitions/replay-folder.ts');
  const folder = await makeReplayFolder(config.dataDir, at);
  const stopping = new AbortController();
  const thread = startThread<ReplayInput, Record<string, number>>(
    moduleUrl('pipeline/realtime/polling/replay-here.js'),
    { config, folder, sources, from, to },
    effects,
    { signal: stopping.signal },
  );
  thread.result.then(
    (outcomes) => effects.log.info(`reached the end of the recordings: ${JSON.stringify(outcomes)}`),
    (error: Error) => effects.log.warn(`the replay has ended: ${error.message}`),
  );
  const end = async (api?: ServedApi) => {
    stopping.abort();
    await Promise.allSettled([thread.result, api?.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const api = await runApi(configureReplay(config, folder), effects, sources);
    return { ...api, close: () => end(api) };
  } catch (error) {
    await end();
    throw error;
  }
}

/** When the first stored answer of these sources was fetched, at or after `from` and before `to`; `null` without one. */
export async function findFirstAnswer(
  dataDir: string,
  sources: readonly SourceId[],
  from: Instant,
  to: Instant,
): Promise<Instant | null> {
  const { listRawAnswers } = await import('../../pipeline/lake/raw-answers.ts');
  const firsts: number[] = [];
  for (const source of sources) {
    const [first] = await listRawAnswers(dataDir, source, from, to);
    if (first) firsts.push(Math.floor(Date.parse(first.fetchedAt) / 1000));
  }
  return firsts.length === 0 ? null : (Math.min(...firsts) as Instant);
}

async function listAwaited(sources: readonly ConfiguredSource[]) {
  const { listProvidedAreas } = await import('../../pipeline/realtime/polling/provides.ts');
  return sources.map((source) => {
    const { id, isStandby } = source;
    return { id, provides: listProvidedAreas(source), isStandby };
  });
}
