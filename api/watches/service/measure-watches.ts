import type { Metrics } from '../../../pipeline/metrics/metrics.ts';
import type { PushOutcome } from '../outbox.ts';
import type { WatchService } from './watch-service.ts';

/** Counts what the watches do: judging passes, events, pushes by outcome, and how many watches there are. */
export function measureWatches(service: WatchService, { counters, gauges }: Metrics): WatchService {
  const measurePass = async (pass: Promise<number>): Promise<number> => {
    try {
      const emitted = await pass;
      counters.watchPasses.add({ outcome: 'done' });
      counters.watchEvents.add({}, emitted);
      gauges.watches.replace([{ labels: {}, value: await service.count() }]);
      return emitted;
    } catch (error) {
      counters.watchPasses.add({ outcome: 'failed' });
      throw error;
    }
  };
  return {
    ...service,
    follow: (published) => measurePass(service.follow(published)),
    tick: () => measurePass(service.tick()),
    async settle(settlements) {
      await service.settle(settlements);
      for (const { outcome } of settlements) counters.pushes.add({ outcome: nameOutcome(outcome) });
    },
  };
}

function nameOutcome(outcome: PushOutcome): string {
  return typeof outcome === 'string' ? outcome : 'retried';
}
