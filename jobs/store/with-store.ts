import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { readCodeVersion } from '../../pipeline/effects/project-files.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';
import { assertReadable, findDataFormat, newestFormat } from '../../pipeline/lake/data-format.ts';
import { finishSwaps, listObservedSources } from '../../pipeline/lake/observations/partition-files.ts';
import { finishPredictionSwaps } from '../../pipeline/lake/predictions/prediction-files.ts';
import type { FetchOutcome } from '../../pipeline/object-store/fetch-outcome.ts';
import { fetchTrees } from '../../pipeline/object-store/fetch-trees.ts';
import { fetchIcebergMetadata, publishIcebergMetadata } from '../../pipeline/object-store/iceberg-metadata.ts';
import { type PublishOutcome, publishTrees } from '../../pipeline/object-store/publish-trees.ts';
import type { StoreContext } from '../../pipeline/object-store/store-context.ts';
import { isIndependent, type StoreName } from '../../pipeline/object-store/store-rules.ts';
import { TreesLost } from '../../pipeline/object-store/trees-lost.ts';
import {
  busyPaths,
  type FoundMark,
  forgetMark,
  listMarks,
  markWriting,
  noteGivenUp,
} from '../../pipeline/object-store/writing-marks.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';
import { storesByHand, storesOf } from './job-stores.ts';
import { openConfiguredStore } from './open-store.ts';
import { listHalfReplaced, listUnfinished } from './unfinished.ts';

/**
 * A job that first brings the data folder to the state of the object store, and afterwards publishes what it has written.
 * Without a store it is the job itself. A failure to publish is one of the job, and may pass: what waits is published by
 * the next run of any job of this folder.
 */
export function withStore(job: Job, config: Config): Job {
  if (config.store.url === null) return job;
  return { ...job, run: (context) => runWithStore(job, context) };
}

/**
 * Brings the folder to the state of the store before it is known what a job locks; without a store nothing happens. A
 * failure is left to the run itself, which is recorded.
 */
export async function fetchForJob(job: Job, { config, effects, stopping }: JobContext): Promise<void> {
  if (config.store.url === null) return;
  try {
    await usingStore({ config, effects, stopping }, async (context) => {
      await publishWaiting(context);
      await fetchUnlessWritten(context, storesOf(job.name, config.engine).reads);
    });
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
  }
}

interface StoreUse {
  readonly config: Config;
  readonly effects: Effects;
  readonly stopping?: AbortSignal | undefined;
}

async function usingStore<Result>(use: StoreUse, task: (context: StoreContext) => Promise<Result>): Promise<Result> {
  const context = await openConfiguredStore(use.config, use.effects, use.stopping);
  try {
    return await task(context);
  } finally {
    context.store.close();
  }
}

async function runWithStore(job: Job, jobContext: JobContext): Promise<JobOutcome> {
  const { config, effects, stopping, options } = jobContext;
  const { reads, writes } = storesOf(job.name, config.engine);
  return usingStore({ config, effects, stopping }, async (context) => {
    await publishWaiting(context);
    await fetchUnlessWritten(context, reads);
    if (options.isDryRun) return job.run(jobContext);
    const { dataDir } = config;
    const mark = await markWriting(dataDir, job.name, writes, effects);
    try {
      const outcome = await job.run(jobContext);
      await publishWritten(context, job.name, writes);
      await mark.release();
      return outcome;
    } catch (error) {
      await mark.wait().catch((failure: Error) => effects.log.warn(`${job.name} left its mark: ${failure.message}`));
      throw error;
    }
  });
}

/** Publishes what earlier jobs of this folder could not; a job that has died may have left it as well. */
export async function publishWaiting(context: StoreContext): Promise<void> {
  for (const mark of await listMarks(context.dataDir)) {
    if (mark.isAtWork) continue;
    try {
      await publishOrGiveWay(context, mark);
    } catch (error) {
      // Metadata of an Iceberg table, or a tree that other machines have changed again and again.
      if (!(error instanceof WorldError)) throw error;
      if (error.code !== 'write_lost') throw unpublished(mark.job, error);
      context.effects.log.warn(`${error.message}; what ${mark.job} has written here gives way`);
    }
    await forgetMark(mark);
  }
}

/** Other jobs of the folder may write paths of a tree while it gives way. */
const MAX_ATTEMPTS = 3;

/**
 * Publishes what a mark says. Where another machine was faster, all that was written here of the tree gives way: a part of
 * it would be data that the other's manifest does not describe. The job makes its own again when it is due.
 */
async function publishOrGiveWay(context: StoreContext, mark: FoundMark): Promise<void> {
  if (mark.givenUp) await giveWay(context, mark, mark.givenUp);
  await finishCompactions(context, mark);
  for (let attempt = 1; ; attempt++) {
    try {
      // What a job at work has written by halves it publishes itself at its end, or leaves its own mark.
      const { files, removed } = await publishStores(context, mark.stores, await findBusy(context));
      if (attempt > 1) return;
      context.effects.log.info(`published ${files} new files of ${mark.job}, and ${removed} removals, that waited`);
      return;
    } catch (error) {
      if (!(error instanceof TreesLost) || attempt === MAX_ATTEMPTS) throw error;
      context.effects.log.warn(`${error.message}; what ${mark.job} has written there gives way`);
      const trees = [...error.lost.keys()];
      await noteGivenUp(mark, trees);
      await giveWay(context, mark, trees);
    }
  }
}

/** A compaction that was killed has left the files of its day elsewhere: they are no removals. */
async function finishCompactions(context: StoreContext, { stores }: FoundMark): Promise<void> {
  const { dataDir } = context;
  if (stores.includes('observations')) {
    for (const source of await listObservedSources(dataDir)) await finishSwaps(dataDir, source);
  }
  if (!stores.includes('predictions')) return;
  const isBusy = await findBusy(context);
  // Those of days that a job is at work on are its own: no two processes may complete a swap.
  await finishPredictionSwaps(dataDir, (date) => !isBusy(`lake/predictions/source=x/service_date=${date}/x.parquet`));
}

/** Files that do not refer to each other stay, as do those that are written by hand: they cannot be made again. */
async function giveWay(context: StoreContext, mark: FoundMark, trees: readonly string[]): Promise<void> {
  const isBusy = await findBusy(context);
  const overruled = mark.stores.filter((store) => !isIndependent(store) && !storesByHand.includes(store));
  const isWantedTree = (name: string) => trees.includes(name);
  await fetchTrees(context, { stores: mark.stores, overruled, isBusy, isWantedTree });
}

/** Whether a job of this folder is writing a path now. */
async function findBusy({ dataDir, effects }: StoreContext): Promise<(path: string) => boolean> {
  return busyPaths(await listMarks(dataDir), effects.clock);
}

/**
 * Fetches all but what other jobs of this folder are writing.
 * @param isWantedTree narrows the trees by their names; absent: all of these stores
 */
export async function fetchUnlessWritten(
  context: StoreContext,
  stores: readonly StoreName[],
  isWantedTree: (name: string) => boolean = () => true,
): Promise<FetchOutcome> {
  const { log } = context.effects;
  const isBusy = await findBusy(context);
  await fetchTrees(context, { stores: ['format'], isBusy });
  await assertKnownFormat(context.dataDir);
  const others = stores.filter((store) => store !== 'format');
  const listLeft = (paths: readonly string[]) => listHalfReplaced(context.dataDir, paths);
  const fetched = await fetchTrees(context, { stores: others, isWantedTree, isBusy, listUnfinished: listLeft });
  if (stores.includes(TABLES) && !isBusy(TABLE_FILE)) await fetchIcebergMetadata(context);
  const { files, bytes, removed, overruled, kept } = fetched;
  if (files + removed > 0)
    log.info(`fetched ${files} files (${bytes} bytes) from ${context.store.url}, removed ${removed}`);
  for (const path of overruled) log.warn(`${path} was changed here and in the object store: the store's is taken`);
  for (const path of kept) log.warn(`${path} stays: it, or what it names, was written here meanwhile`);
  return fetched;
}

/** Publishes stores while a job runs, for what reads them there before it ends; without a store nothing happens. */
export async function publishMeanwhile(use: StoreUse, stores: readonly StoreName[]): Promise<void> {
  if (use.config.store.url === null) return;
  await usingStore(use, (context) => publishStores(context, stores));
}

const TABLES: StoreName = 'Iceberg tables';
/** Stands for all of them. */
const TABLE_FILE = 'iceberg/lake/x/data/0.parquet';

/**
 * Publishes stores; metadata of Iceberg tables after the contents that they name.
 * @param isBusy paths that are left out
 */
export async function publishStores(
  context: StoreContext,
  stores: readonly StoreName[],
  isBusy: (path: string) => boolean = () => false,
): Promise<PublishOutcome> {
  const published = await publishTrees(context, {
    stores,
    isWanted: (place) => !isBusy(place),
    listUnfinished: (paths) => listUnfinished(context.dataDir, paths),
  });
  if (!stores.includes(TABLES) || isBusy(TABLE_FILE)) return published;
  return { ...published, files: published.files + (await publishIcebergMetadata(context)) };
}

/** @throws WorldError `data_too_new` when a newer program writes the store */
async function assertKnownFormat(dataDir: string): Promise<void> {
  const format = await findDataFormat(dataDir);
  if (format !== null) assertReadable(dataDir, format, await readCodeVersion(), newestFormat());
}

async function publishWritten(context: StoreContext, job: string, stores: readonly StoreName[]): Promise<void> {
  try {
    const { files, bytes, removed } = await publishStores(context, stores);
    if (files + removed > 0) {
      context.effects.log.info(
        `published ${files} files (${bytes} bytes new) to ${context.store.url}, removed ${removed}`,
      );
    }
  } catch (error) {
    throw error instanceof WorldError ? unpublished(job, error) : error;
  }
}

function unpublished(job: string, cause: WorldError): WorldError {
  const sentence = `what ${job} has written on this machine is not published: ${cause.message}; the next run publishes it`;
  return new WorldError(cause.code, sentence, { cause, isRetryable: cause.isRetryable });
}
