import { expect, onTestFinished, test } from 'vitest';
import { holdHistory } from '../../../api/history/watch-history.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { testHistoryLimits } from '../../support/worlds/history-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { HISTORY_TODAY } from './open-history-app.ts';

test('reopens an engine that failed to open when it is needed', async () => {
  // Replaced between the two attempts.
  const limits = { ...testHistoryLimits, memoryLimit: 'unknown' };
  const effects = { clock: fixedClock(HISTORY_TODAY), log: silentLog };
  const holder = await holdHistory(await temporaryFolder(), limits, effects);
  onTestFinished(() => holder.close());
  const snapshot = { folder: '/', files: [] };
  await expect(holder.openReader(snapshot)).rejects.toThrow('Failed to set config');
  limits.memoryLimit = testHistoryLimits.memoryLimit;
  const day = '2026-01-15' as ServiceDate;
  const reader = await holder.openReader(snapshot);
  expect(await reader.queryCharts([], { from: day, to: day }, () => {})).toEqual([]);
});

test('a service whose engine failed to open closes normally', async () => {
  const effects = { clock: fixedClock(HISTORY_TODAY), log: silentLog };
  const holder = await holdHistory(await temporaryFolder(), { ...testHistoryLimits, memoryLimit: 'unknown' }, effects);
  const opening = holder.openReader({ folder: '/', files: [] });
  await Promise.all([expect(opening).rejects.toThrow('Failed to set config'), holder.close()]);
});
