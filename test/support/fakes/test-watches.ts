import type { Published } from '../../../api/engine/read/realtime.ts';
import { createLastingService } from '../../../api/watches/service/lasting-service.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import { serveWatches, type Watches } from '../../../api/watches/service/watches.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { Clock } from '../../../pipeline/effects/clock.ts';
import { TEST_KEY } from '../worlds/board-world.ts';
import { silentLog } from '../worlds/ingest.ts';

export const testWatchSettings = {
  file: 'watches/watches.sqlite',
  postgresUrl: null,
  maxTotal: 1000,
  maxPerAddress: 1000,
  maxPerToken: 1000,
  pushHosts: 'push.example.org, *.push.example.net',
  vapidKey: null,
  pushContact: 'mailto:ops@example.org',
  allowLoopbackPushes: true,
};

/** Watches in memory, opened with the first watch. */
export function testWatchService(clock: Clock, limits = testWatchSettings): WatchService {
  return createLastingService(
    () => openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog }),
    {
      limits,
      referenceKey: TEST_KEY,
      clock,
    },
  );
}

/** The watches of a service whose snapshots never change. */
export function testWatches(clock: Clock, published: Published): Watches {
  let service: WatchService | null = null;
  const get = async () => {
    if (!service) {
      service = testWatchService(clock);
      await service.follow(published);
    }
    return service;
  };
  return serveWatches(
    {
      watch: async (order, until) => (await get()).watch(order, until),
      unwatch: async (id, kind, owner) => (await get()).unwatch(id, kind, owner),
    },
    TEST_KEY,
  );
}
