import { nowInstant } from '../../pipeline/effects/clock.ts';
import { findDeletionTime, noteDeletionTime } from '../../pipeline/lake/deletion-clock.ts';
import type { CollectedObjects } from '../../pipeline/scale-out/object-store/collect-objects.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';
import { OBJECT_STORE } from '../job/resources.ts';
import { openConfiguredStore } from '../store/open-store.ts';

/** Removes unreferenced contents of the object store. */
export function collectObjectsJob(): Job {
  return {
    name: 'collect-objects',
    summary: 'Removes unreferenced contents of the object store after a grace period.',
    accepts: [],
    schedule: ({ schedule, store }) => (store.url === null ? null : schedule.collectObjects),
    follows: ['expire-iceberg'],
    listWritten: async () => [OBJECT_STORE],
    run: collect,
  };
}

/** The job runs daily: after a clock jump ahead, it ages contents by at most two days. */
const MAX_GAP_SECONDS = 2 * 86_400;
const DELETION = 'object-store';

async function collect({ config, effects, options, stopping }: JobContext): Promise<JobOutcome> {
  if (config.store.url === null) return { status: 'unchanged', summary: 'no object store is configured' };
  const { collectObjects } = await import('../../pipeline/scale-out/object-store/collect-objects.ts');
  const context = await openConfiguredStore(config, effects, stopping);
  try {
    const instant = await findDeletionTime(config.dataDir, DELETION, MAX_GAP_SECONDS, nowInstant(effects.clock));
    const collected = await collectObjects(context, { now: instant * 1000, isDryRun: options.isDryRun });
    if (!options.isDryRun) await noteDeletionTime(config.dataDir, DELETION, instant);
    return {
      status: collected.removed === 0 ? 'unchanged' : 'done',
      summary: describe(collected, options.isDryRun),
      due:
        options.isDryRun && collected.removed > 0
          ? [{ what: `${collected.removed} contents`, reason: 'unreferenced' }]
          : [],
      details: { ...collected },
    };
  } finally {
    context.store.close();
  }
}

function describe({ needed, garbage, removed, removedBytes }: CollectedObjects, isDryRun: boolean): string {
  const did = isDryRun ? 'would remove' : 'removed';
  return `${did} ${removed} contents of ${removedBytes} bytes; ${needed} are needed, ${garbage - removed} are in their grace period`;
}
