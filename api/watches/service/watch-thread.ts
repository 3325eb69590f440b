import { serveThread } from '../../../pipeline/effects/threads.ts';
import type { RealtimeTables } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { openRealtime, type Published } from '../../engine/read/realtime.ts';
import { openTimetable, type Timetable } from '../../engine/read/timetable.ts';
import { fromPlainTables } from '../../plugins/plain-tables.ts';
import { openWatchStore } from '../store/sql-store.ts';
import { createLastingService } from './lasting-service.ts';
import type { WatchQuestion, WatchThreadStart } from './messages.ts';

// Entry point of the thread of the watches: `start-watches.ts` starts it.
serveThread<WatchThreadStart, void, WatchQuestion, unknown>(
  import.meta.url,
  async ({ store, limits, referenceKey }, { effects, answer, reportReady, stopped }) => {
    const options = { limits, referenceKey, clock: effects.clock };
    const service = createLastingService(() => openWatchStore(store, effects), options);
    const readPair = openPairs();
    answer((message) => {
      if (message.kind === 'pair') return service.follow(readPair(message));
      const method = service[message.method] as (...values: readonly unknown[]) => Promise<unknown>;
      return method(...message.values);
    });
    reportReady();
    await stopped;
    await service.close();
  },
);

function openPairs() {
  let timetable: Timetable | null = null;
  let realtime: Published['realtime'] = null;
  return (pair: Extract<WatchQuestion, { kind: 'pair' }>): Published => {
    if (pair.timetable) {
      const { manifest, tables } = pair.timetable;
      timetable = openTimetable({ manifest, tables: fromPlainTables<TimetableTables>(tables) });
    }
    if (!timetable) throw new Error('the first pair of snapshots has no timetable');
    realtime =
      pair.realtime &&
      openRealtime(
        { manifest: pair.realtime.manifest, tables: fromPlainTables<RealtimeTables>(pair.realtime.tables) },
        realtime,
      );
    return { timetable, realtime };
  };
}
