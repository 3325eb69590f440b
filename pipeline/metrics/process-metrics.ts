import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Clock } from '../effects/clock.ts';
import type { ThreadMemory } from '../effects/thread-memory.ts';
import type { Metrics } from './metrics.ts';

/** The histogram holds the time between two turns of its timer: what exceeds its resolution is delay. */
const RESOLUTION_MILLISECONDS = 10;

/** Metrics of the process itself: memory by thread, and how long its main thread keeps events waiting. */
export function measureProcess(metrics: Metrics, threadMemory: ThreadMemory, clock: Clock): { stop(): void } {
  const { gauges } = metrics;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
  delay.enable();
  const startedAt = clock.nowMilliseconds() / 1000 - process.uptime();
  metrics.beforeScrape(() => {
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MILLISECONDS / 1000);
    const at = (statistic: 'median' | 'p99' | 'max', nanoseconds: number) => ({
      labels: { statistic },
      // Without a turn yet there is no delay to tell.
      value: delay.count === 0 ? null : seconds(nanoseconds),
    });
    gauges.eventLoopDelay.replace([
      at('median', delay.percentile(50)),
      at('p99', delay.percentile(99)),
      at('max', delay.max),
    ]);
    delay.reset();
    const { rss, ...own } = process.memoryUsage();
    const threads = [{ thread: 'main', count: 1, memory: own }, ...threadMemory.list()];
    gauges.threads.replace(threads.map(({ thread, count }) => ({ labels: { thread }, value: count })));
    gauges.threadMemory.replace(
      threads.flatMap(({ thread, memory }) => [
        { labels: { thread, kind: 'heap' }, value: memory.heapUsed },
        { labels: { thread, kind: 'external' }, value: memory.external },
      ]),
    );
    gauges.processMemory.replace([{ labels: {}, value: rss }]);
    gauges.processStart.replace([{ labels: {}, value: startedAt }]);
  });
  return { stop: () => delay.disable() };
}
