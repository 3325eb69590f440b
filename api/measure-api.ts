import type { Clock } from '../pipeline/effects/clock.ts';
import type { Metrics } from '../pipeline/metrics/metrics.ts';
import type { Realtime } from './engine/read/realtime.ts';
import type { Timetable } from './engine/read/timetable.ts';
import type { HistoryHolder } from './history/watch-history.ts';
import type { Planning } from './planning/planning.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import type { HolderOptions } from './plugins/snapshot-holder.ts';

type SnapshotKind = 'timetable' | 'realtime' | 'history' | 'places';

/** Counts loads of snapshots of one kind, and how long they take. */
export function measureLoads(
  metrics: Metrics | undefined,
  snapshot: SnapshotKind,
): NonNullable<HolderOptions['onLoad']> {
  return (outcome, seconds) => {
    metrics?.counters.snapshotLoads.add({ snapshot, outcome });
    if (outcome === 'loaded') metrics?.histograms.snapshotLoad.observe({ snapshot }, seconds);
  };
}

interface MeasuredParts {
  readonly clock: Clock;
  readonly timetables: SnapshotHolder<Timetable>;
  readonly realtimes: SnapshotHolder<Realtime>;
  readonly histories: Pick<HistoryHolder, 'current' | 'queueDepth'>;
  readonly planning: Planning;
}

/** Updates the gauges before each scrape: age of the served snapshots, and length of the queues. */
export function measureApi({ gauges, beforeScrape }: Metrics, parts: MeasuredParts): void {
  const { clock, timetables, realtimes, histories, planning } = parts;
  beforeScrape(() => {
    const age = (snapshot: SnapshotKind, createdAt: string | undefined) => ({
      labels: { snapshot },
      value: createdAt === undefined ? null : Math.max(0, clock.nowMilliseconds() - Date.parse(createdAt)) / 1000,
    });
    gauges.snapshotAge.replace([
      age('timetable', timetables.current()?.value.manifest.createdAt),
      age('realtime', realtimes.current()?.value.manifest.createdAt),
      age('history', histories.current()?.value.manifest.createdAt),
    ]);
    gauges.queueDepth.replace([
      { labels: { queue: 'planner' }, value: planning.queueDepth },
      { labels: { queue: 'history' }, value: histories.queueDepth },
    ]);
  });
}
