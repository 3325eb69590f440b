import type { Config } from '../../pipeline/config/load-config.ts';
import type { Following } from '../../pipeline/scale-out/object-store/follow-trees.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import { findCurrentTimetableId } from '../../pipeline/snapshots/timetable-files.ts';
import type { MonitoredEffects } from '../monitoring/open-monitoring.ts';
import { openConfiguredStore, TREE_TIMEOUT_SECONDS } from '../store/open-store.ts';
import { orInterrupted } from './io.ts';

/** The loop of a tree retries by itself, with growing waits. */
const MAX_RETRY_SECONDS = 5;

/** What serves from a data folder that follows the object store. */
interface StoreFollowing {
  /**
   * Returns at once where there is a timetable to be served. Into an empty folder each tree is fetched first, or found to
   * be out of reach: streets are read at the start alone.
   * @throws the reason of `interrupt`
   */
  untilServable(interrupt: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Without an object store there is nothing to follow: the jobs write to this folder. */
const noFollowing: StoreFollowing = { untilServable: async () => {}, close: async () => {} };

/** Begins to keep the data folder at the state of the configured object store; requests never wait for it. */
export async function followStore(config: Config, effects: MonitoredEffects): Promise<StoreFollowing> {
  if (config.store.url === null) return noFollowing;
  warnOfOwnSecrets(config, effects);
  const retrySeconds = Math.min(config.store.retrySeconds, MAX_RETRY_SECONDS);
  // It only receives, so this is silence, however large a content is.
  const timeoutSeconds = Math.min(config.store.timeoutSeconds, TREE_TIMEOUT_SECONDS);
  const limited = { dataDir: config.dataDir, store: { ...config.store, retrySeconds, timeoutSeconds } };
  return followOpened(await openConfiguredStore(limited, effects), effects);
}

/** @param context its store is closed with the following */
export async function followOpened(context: StoreContext, effects: MonitoredEffects): Promise<StoreFollowing> {
  const { dataDir, store } = context;
  // Loaded only where a store is configured.
  const { followTrees } = await import('../../pipeline/scale-out/object-store/follow-trees.ts');
  const { findUnfollowed } = await import('../../pipeline/scale-out/object-store/writing-marks.ts');
  // If jobs share the folder, their unpublished files are newer than the store.
  const following = followTrees(context, { findBusy: () => findUnfollowed(dataDir, effects.clock) });
  measureAges(following, effects);
  return {
    async untilServable(interrupt) {
      if ((await findCurrentTimetableId(dataDir)) !== null) return;
      effects.log.info(`The data folder has no timetable: waiting for the one in the object store ${store.url}.`);
      await orInterrupted(following.ready, interrupt);
    },
    async close() {
      await following.close();
      store.close();
    },
  };
}

/** How old the copy may be: a tree that the store has never confirmed ages from the start on. */
function measureAges(following: Following, { clock, metrics }: MonitoredEffects): void {
  const startedAt = clock.nowMilliseconds();
  metrics.beforeScrape(() => {
    const now = clock.nowMilliseconds();
    metrics.gauges.storeTreeAge.replace(
      following.freshness().map(({ name, confirmedAt }) => ({
        labels: { tree: name },
        value: Math.max(0, (now - (confirmedAt ?? startedAt)) / 1000),
      })),
    );
  });
}

/** Secrets never leave a machine, so replicas on several machines are given theirs. */
function warnOfOwnSecrets({ referenceKey, watches }: Config, { log }: MonitoredEffects): void {
  const missing = [
    referenceKey === null ? 'referenceKey' : null,
    watches.vapidKey === null ? 'watches.vapidKey' : null,
    watches.postgresUrl === null ? 'watches.postgresUrl' : null,
  ].filter((name) => name !== null);
  if (missing.length === 0) return;
  log.warn(
    `${missing.join(', ')} not set: replicas on other machines do not have the keys that this machine generates`,
  );
}
