import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { finishSwaps, listObservedSources } from '../../pipeline/lake/observations/partition-files.ts';
import { finishPredictionSwaps, listPredictionSwaps } from '../../pipeline/lake/predictions/prediction-files.ts';
import { fetchTrees } from '../../pipeline/scale-out/object-store/fetch-trees.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { isIndependent } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { TreesLost } from '../../pipeline/scale-out/object-store/trees-lost.ts';
import {
  type FoundMark,
  findBusy,
  forgetMark,
  listMarks,
  noteGivenUp,
} from '../../pipeline/scale-out/object-store/writing-marks.ts';
import { storesByHand } from './job-stores.ts';
import { publishStores } from './publish-stores.ts';

/** Publishes what earlier jobs of this folder could not; a job that has died may have left it as well. */
export async function publishWaiting(context: StoreContext): Promise<void> {
  for (const mark of await listMarks(context.dataDir)) {
    if (mark.isAtWork) continue;
    try {
      await publishOrDiscard(context, mark);
    } catch (error) {
      // Metadata of an Iceberg table, or a tree that other machines have changed again and again.
      if (!(error instanceof ExternalError)) throw error;
      if (error.code !== 'write_lost') throw unpublished(mark.job, error);
      context.effects.log.warn(`${error.message}; local changes by ${mark.job} are discarded`);
    }
    // A swap that could not be completed during another job is left to a later run: without the mark, the parts that it
    // covers would be fetched again beside their rows.
    if (!mark.stores.includes('predictions') || (await listPredictionSwaps(context.dataDir)).length === 0)
      await forgetMark(mark);
  }
}

/** Other jobs of the folder may write paths of a tree while its local changes are discarded. */
const MAX_ATTEMPTS = 3;

/**
 * Publishes what a mark lists. If another machine was faster, all local changes of the tree are discarded: a part of them
 * would be data that the other machine's manifest does not describe. The job runs again when it is due.
 */
async function publishOrDiscard(context: StoreContext, mark: FoundMark): Promise<void> {
  if (mark.givenUp) await discardChanges(context, mark, mark.givenUp);
  await finishCompactions(context, mark);
  for (let attempt = 1; ; attempt++) {
    try {
      // Partial output of a running job is published by that job at its end, or it leaves its own mark.
      const { files, removed } = await publishStores(
        context,
        mark.stores,
        await findBusy(context.dataDir, context.effects.clock),
      );
      if (attempt > 1) return;
      context.effects.log.info(`published ${files} new files of ${mark.job}, and ${removed} removals, that waited`);
      return;
    } catch (error) {
      if (!(error instanceof TreesLost) || attempt === MAX_ATTEMPTS) throw error;
      context.effects.log.warn(`${error.message}; local changes there by ${mark.job} are discarded`);
      const trees = [...error.lost.keys()];
      await noteGivenUp(mark, trees);
      await discardChanges(context, mark, trees);
    }
  }
}

/** A killed compaction leaves the files of its day elsewhere: they are not removals. */
async function finishCompactions(context: StoreContext, { stores }: FoundMark): Promise<void> {
  const { dataDir } = context;
  if (stores.includes('observations')) {
    for (const source of await listObservedSources(dataDir)) await finishSwaps(dataDir, source);
  }
  if (!stores.includes('predictions')) return;
  const isBusy = await findBusy(context.dataDir, context.effects.clock);
  // Those of days that a job is at work on are its own: no two processes may complete a swap.
  await finishPredictionSwaps(dataDir, (date) => !isBusy(`lake/predictions/source=x/service_date=${date}/x.parquet`));
}

/** Files that do not refer to each other stay, as do those that are written by hand: they cannot be made again. */
async function discardChanges(context: StoreContext, mark: FoundMark, trees: readonly string[]): Promise<void> {
  const isBusy = await findBusy(context.dataDir, context.effects.clock);
  const overruled = mark.stores.filter((store) => !isIndependent(store) && !storesByHand.includes(store));
  const isWantedTree = (name: string) => trees.includes(name);
  await fetchTrees(context, { stores: mark.stores, overruled, isBusy, isWantedTree });
}

/** The error of a job whose results stay on this machine for now. */
export function unpublished(job: string, cause: ExternalError): ExternalError {
  const sentence = `output of ${job} on this machine is not published: ${cause.message}; the next run publishes it`;
  return new ExternalError(cause.code, sentence, { cause, isRetryable: cause.isRetryable });
}
