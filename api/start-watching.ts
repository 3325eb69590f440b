import path from 'node:path';
import { nowInstant } from '../pipeline/effects/clock.ts';
import { isThere } from '../pipeline/effects/files.ts';
import { moduleUrl } from '../pipeline/effects/project-files.ts';
import type { ApiConfig, ApiEffects } from './api-config.ts';
import type { Published } from './engine/read/realtime.ts';
import type { Planning } from './planning/planning.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { startPushing } from './push/start-pushing.ts';
import type { VapidKeys } from './push/vapid-keys.ts';
import { withOwnKeys } from './push/with-own-keys.ts';
import { fingerprintKeys } from './shared-keys.ts';
import { emitOptions, type FindOptions } from './watches/service/emit-options.ts';
import { measureWatches } from './watches/service/measure-watches.ts';
import { openWithStore } from './watches/service/open-with-store.ts';
import { followWithWatches, watchHere, watchInThread } from './watches/service/start-watches.ts';
import type { WatchService } from './watches/service/watch-service.ts';

interface WatchingParts {
  readonly snapshots: SnapshotHolder<Published>;
  readonly planning: Planning;
  readonly vapidKeys: VapidKeys;
  readonly referenceKey: Uint8Array;
}

/** Stores watches, evaluates them against each new pair of snapshots, searches rescue options, and pushes events. */
export function startWatching(
  config: ApiConfig,
  { snapshots, planning, vapidKeys: keys, referenceKey }: WatchingParts,
  effects: ApiEffects,
) {
  const service = openWatches(config, referenceKey, effects);
  const findOptions: FindOptions = async (body) => {
    const bytes = await planning.answer({ kind: 'rescue', body }, snapshots.current(), nowInstant(effects.clock));
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const following = followWithWatches(service, snapshots, effects, () => emitOptions(service, findOptions));
  // A single replica may create new keys in its data folder; several replicas must share theirs.
  const isShared = config.watches.postgresUrl !== null;
  const outbox = isShared ? withOwnKeys(service, fingerprintKeys(keys, referenceKey), effects.log) : service;
  const pushing = startPushing(outbox, { keys, settings: config.watches, publicUrl: config.publicUrl }, effects);
  return {
    service,
    async close() {
      await Promise.all([following.stop(), pushing.stop()]);
      await service.close();
    },
  };
}

/**
 * Evaluates watches in a separate thread, or in this one if `planner.threads` is 0. Without a store, the thread starts
 * with the first watch.
 */
function openWatches(
  { dataDir, planner, watches }: ApiConfig,
  referenceKey: Uint8Array,
  effects: ApiEffects,
): WatchService {
  const { file, postgresUrl, maxTotal, maxPerAddress, maxPerToken } = watches;
  const limits = { maxTotal, maxPerAddress, maxPerToken };
  const storeFile = path.resolve(dataDir, file);
  const start = { store: { file: storeFile, postgresUrl }, limits, referenceKey };
  const startThread = () => watchInThread(moduleUrl('api/watches/service/watch-thread.js'), start, effects);
  const hasStore = async () => postgresUrl !== null || isThere(storeFile);
  const service = planner.threads === 0 ? watchHere(start, effects) : openWithStore(startThread, hasStore);
  return effects.metrics ? measureWatches(service, effects.metrics) : service;
}
