import type { Published } from '../../engine/read/realtime.ts';
import type { WatchService } from './watch-service.ts';

/**
 * A service that is opened once there is a store, or with the first watch: before, there is nothing to judge, push or
 * remove, and its thread would only take memory and slow down the start.
 * @param open called once
 * @param hasStore whether an earlier or another process has created the store
 */
export function openWithStore(open: () => WatchService, hasStore: () => Promise<boolean>): WatchService {
  let opened: WatchService | null = null;
  let newest: Published | null = null;

  /** In an empty store it takes no time; in another one, no watch waits for it. */
  let judgingOfEmptyStore: Promise<unknown> = Promise.resolve();

  const find = async () => opened ?? ((await hasStore()) ? get() : null);
  const get = ({ isEmpty = false } = {}): WatchService => {
    if (opened) return opened;
    opened = open();
    // What fails is repeated by the next tick.
    const judging = newest ? opened.follow(newest).catch(() => {}) : Promise.resolve();
    if (isEmpty) judgingOfEmptyStore = judging;
    return opened;
  };
  return {
    async watch(order, until) {
      const service = (await find()) ?? get({ isEmpty: true });
      await judgingOfEmptyStore;
      return service.watch(order, until);
    },
    unwatch: async (id, kind, owner) => (await find())?.unwatch(id, kind, owner) ?? false,
    async follow(next) {
      const service = await find();
      newest = next;
      return service?.follow(next) ?? 0;
    },
    tick: async () => (await find())?.tick() ?? 0,
    listWanted: async (limit) => (await find())?.listWanted(limit) ?? [],
    emitOptions: async (watchId, options) => (await find())?.emitOptions(watchId, options),
    claim: async (now, limit) => (await find())?.claim(now, limit) ?? [],
    settle: async (settlements) => (await find())?.settle(settlements),
    confirmKeys: async (keys) => (await find())?.confirmKeys(keys) ?? [],
    count: async () => (await find())?.count() ?? 0,
    close: async () => opened?.close(),
  };
}
