import type { ObjectStore } from '../../../pipeline/effects/object-store/object-store.ts';
import { publishTrees } from '../../../pipeline/scale-out/object-store/publish-trees.ts';
import type { StoreContext } from '../../../pipeline/scale-out/object-store/store-context.ts';
import { publishFeeds } from './board-world.ts';
import { soundFeed } from './ingest.ts';
import { publishReport } from './publish-report.ts';
import { storedFolder } from './stored-folder.ts';

/** A machine that runs jobs: a data folder whose snapshots it publishes to an object store. */
export async function openPublishingMachine(store: ObjectStore) {
  const context: StoreContext = await storedFolder(store);
  const publish = () => publishTrees(context, { stores: ['snapshots', 'realtime snapshots'] });
  return {
    async publishTimetable(feed = soundFeed): Promise<void> {
      await publishFeeds({ at: feed }, { dataDir: context.dataDir });
      await publish();
    },
    /** @returns id of the realtime snapshot */
    async publishDelay(minutes: number, nowMilliseconds: number): Promise<string> {
      const id = await publishReport(context.dataDir, { minutes, nowMilliseconds });
      await publish();
      return id;
    },
  };
}
