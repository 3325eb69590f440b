import type { Clock } from '../../../pipeline/effects/clock.ts';
import type { Published } from '../../engine/read/realtime.ts';
import type { WatchLimits, WatchStore } from '../store/watch-store.ts';
import { createWatchService, type WatchService } from './watch-service.ts';

/**
 * A service that opens its store when it is first needed, and again at the next call when that has failed: the api
 * starts, and answers everything else, while a database is away.
 */
export function createLastingService(
  openStore: () => Promise<WatchStore>,
  options: { readonly limits: WatchLimits; readonly referenceKey: Uint8Array; readonly clock: Clock },
): WatchService {
  let opening: Promise<WatchService> | null = null;
  let published: Published | null = null;
  let isClosed = false;

  const open = async (): Promise<WatchService> => {
    const service = createWatchService({ store: await openStore(), ...options });
    // Many watches take a while to be judged, and no request waits for that. What fails is repeated by the next tick.
    if (published) service.follow(published).catch(() => {});
    return service;
  };
  const get = (): Promise<WatchService> => {
    const service = opening ?? open();
    opening = service;
    service.catch(() => {
      if (opening === service) opening = null;
    });
    return service;
  };
  return {
    watch: async (order, until) => (await get()).watch(order, until),
    unwatch: async (id, kind, owner) => (await get()).unwatch(id, kind, owner),
    async follow(next) {
      published = next;
      return (await get()).follow(next);
    },
    tick: async () => (isClosed ? 0 : (await get()).tick()),
    listWanted: async (limit) => (await get()).listWanted(limit),
    emitOptions: async (watchId, options) => (await get()).emitOptions(watchId, options),
    claim: async (now, limit) => (await get()).claim(now, limit),
    settle: async (settlements) => (await get()).settle(settlements),
    confirmKeys: async (keys) => (await get()).confirmKeys(keys),
    count: async () => (await get()).count(),
    async close() {
      isClosed = true;
      const service = await opening?.catch(() => null);
      await service?.close();
    },
  };
}
