import { expect, it } from 'vitest';
import type { Settlement } from '../../../api/watches/outbox.ts';
import { measureWatches } from '../../../api/watches/service/measure-watches.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';

it('counts passes, events, watches and pushes, including a failed pass', async () => {
  let pass = async () => 3;
  const settled: Settlement[] = [];
  const service = {
    tick: () => pass(),
    follow: () => pass(),
    count: async () => 7,
    settle: async (settlements: readonly Settlement[]) => void settled.push(...settlements),
  } as Partial<WatchService> as WatchService;
  const metrics = createMetrics();
  const measured = measureWatches(service, metrics);
  expect([await measured.tick(), await measured.follow({} as never)]).toEqual([3, 3]);
  pass = () => Promise.reject(new Error('no store'));
  await expect(measured.tick()).rejects.toThrow('no store');
  const outcomes = ['delivered', 'delivered', 'dropped', 'gone', { retryAt: 5 as Instant }] as const;
  await measured.settle(
    outcomes.map((outcome) => ({ id: 'x', target: {} as never, claimedUntil: 0 as Instant, outcome })),
  );
  expect(settled).toHaveLength(outcomes.length);
  const scrape = parseMetrics((await metrics.scrape()).text);
  const value = (name: string, outcome?: string) =>
    findValue(scrape, `taktgeber_${name}`, outcome === undefined ? {} : { outcome });
  expect([value('watch_passes_total', 'done'), value('watch_passes_total', 'failed')]).toEqual([2, 1]);
  expect([value('watch_events_total'), value('watches')]).toEqual([6, 7]);
  const pushes = ['delivered', 'dropped', 'gone', 'retried'].map((outcome) => value('pushes_total', outcome));
  expect(pushes).toEqual([2, 1, 1, 1]);
});
