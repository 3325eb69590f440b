import { onTestFinished } from 'vitest';
import type { HistoryLimits } from '../../../api/history/history-engine.ts';
import type { HistoryReader } from '../../../api/history/open-history.ts';
import { type HistoryEffects, holdHistory, type TrinoSettings } from '../../../api/history/watch-history.ts';
import type { LiveSnapshotHolder } from '../../../api/plugins/snapshot-holder.ts';
import { type Clock, fixedClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';
import { buildMarts } from '../../../pipeline/history/marts/build-marts.ts';
import type { MartDefinition } from '../../../pipeline/history/marts/definitions.ts';
import {
  listStopEventDays,
  publishStopEvents,
  removeStopEvents,
} from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { publishHistory } from '../../../pipeline/snapshots/publish-history.ts';
import { type HistoryCall, toStopEvent } from './history-calls.ts';
import { silentLog } from './ingest.ts';
import { dayFacts, selectRows } from './stop-events.ts';

export const testDefinition = { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };

/** Counts others as on time, and fewer seconds as late. */
export const otherDefinition: MartDefinition = {
  onTimeMaxDelaySeconds: 180,
  lateMinDelaySeconds: 300,
  earlyMinSeconds: -60,
  evidence: 'observed_actual',
};

/** Counts final forecasts, too. */
export const lastForecastDefinition: MartDefinition = { ...testDefinition, evidence: 'last_forecast' };

export const testHistoryLimits: HistoryLimits = {
  threads: 1,
  maxConcurrent: 1,
  maxQueued: 8,
  timeLimitSeconds: 30,
  memoryLimit: '256MB',
};

/**
 * Replaces the calls in the lake and the marts, with the code of the jobs.
 * @param further definitions besides the usual one
 */
async function writeMarts(
  dataDir: string,
  calls: readonly HistoryCall[],
  clock: Clock,
  further: readonly MartDefinition[] = [],
): Promise<void> {
  const days = new Map<string, HistoryCall[]>();
  for (const call of calls) {
    const key = `${call.source} ${call.day}`;
    days.set(key, [...(days.get(key) ?? []), call]);
  }
  for (const { source, serviceDate } of await listStopEventDays(dataDir)) {
    if (!days.has(`${source} ${serviceDate}`)) await removeStopEvents(dataDir, source, serviceDate);
  }
  await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({ threads: 1 });
    try {
      for (const reported of days.values()) {
        const [{ source, day: serviceDate }] = reported as [HistoryCall];
        const facts = dayFacts({ sourceId: toSourceId(source), serviceDate, rowsIn: reported.length });
        await publishStopEvents(db, dataDir, folder, selectRows(reported.map(toStopEvent)), facts);
      }
    } finally {
      db.close();
    }
  });
  const request = {
    dataDir,
    settings: { memoryLimit: '256MB', threads: 1 },
    definitions: [{ ...testDefinition, evidence: 'observed_actual' as const }, ...further],
    from: null,
    to: null,
    isForced: false,
    isDryRun: false,
  };
  await buildMarts(request, { clock, log: silentLog });
}

/** Publishes the marts of some calls, with the code of the job. */
export async function publishCalls(
  dataDir: string,
  calls: readonly HistoryCall[],
  clock: Clock = fixedClock('2026-01-20T04:00:00Z'),
  further: readonly MartDefinition[] = [],
): Promise<string> {
  await writeMarts(dataDir, calls, clock, further);
  const options = {
    dataDir,
    definition: testDefinition,
    keepSnapshots: 3,
    duckdb: { threads: 1, memoryLimit: '256MB' },
  };
  return (await publishHistory(options, { clock, log: silentLog })).id;
}

/** The published history of a folder, followed as in the service; closed when the test ends. */
export async function openHistories(
  dataDir: string,
  clock: Clock,
  limits: Partial<HistoryLimits> = {},
  trino: (Partial<HistoryEffects> & { readonly settings: TrinoSettings }) | null = null,
): Promise<LiveSnapshotHolder<HistoryReader>> {
  const warn = (message: string) => {
    throw new Error(message);
  };
  const holder = await holdHistory(
    dataDir,
    { ...testHistoryLimits, ...limits },
    { clock, log: { ...silentLog, warn }, ...trino },
    trino?.settings,
  );
  onTestFinished(() => holder.close());
  return holder;
}
