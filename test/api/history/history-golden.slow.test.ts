import { expect, test } from 'vitest';
import type { V1Health, V1Status } from '../../../api/contract/definitions.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import type { HistoryCall } from '../../support/worlds/history-calls.ts';
import { expectGoldenAnswer } from '../golden-answers.ts';
import { HISTORY_TODAY, openHistoryApp } from './open-history-app.ts';

/** A week of a metro that is mostly on time, and of a night bus that is not. */
const calls: HistoryCall[] = Array.from({ length: 7 }, (_, n) => addDays('2026-01-12' as ServiceDate, n)).flatMap(
  (day, n) => [
    ...[0, 1, 2].map((position): HistoryCall => {
      const delay = n === 6 ? null : 45 * position + 100 * n - 30;
      const place = { stop: `s${position}`, station: 's', feed: 'at' };
      const line = { line: 'U1', product: 'subway', operator: 'Wiener Linien' };
      return { source: 'live', day, trip: 'u', position, ...line, hour: 8, delay, ...place };
    }),
    ...[0, 1].map((position): HistoryCall => {
      const isCancelled = n === 3;
      const delay = isCancelled ? null : 300 + 150 * position + 60 * n;
      const place = { stop: 'a', station: 'a', feed: 'at' };
      return {
        source: 'bus',
        day,
        trip: 'n',
        position,
        line: 'N60',
        product: 'bus',
        hour: 25,
        delay,
        isCancelled,
        isReplaced: isCancelled && position === 0,
        ...place,
      };
    }),
  ],
);

test.each([
  ['history-v1', 'V1History', '/v1/history'],
  ['history-v1-line', 'V1History', '/v1/history?line=N60&from=2026-01-14&to=2026-01-16'],
  ['history-v2', 'History', '/v2/history'],
  ['history-v2-station', 'History', '/v2/history?stopId=at%3As&source=live&from=2026-01-12&to=2026-01-13'],
  ['problem-period-too-long', 'Problem', '/v2/history?from=2025-01-01&to=2026-01-02'],
])('%s', async (name, type, url) => {
  await expectGoldenAnswer(await openHistoryApp(calls), name, type, { url });
});

test.each([
  // The newest day ended at midnight, a day and nine hours before.
  [HISTORY_TODAY, 'operational', 'fresh', 33 * 3600],
  ['2026-01-20T11:00:00Z', 'operational', 'fresh', 36 * 3600],
  ['2026-01-20T11:00:01Z', 'degraded', 'stale', 36 * 3600 + 1],
  ['2026-01-18T08:00:00Z', 'operational', 'fresh', 0],
])('at %s the history is %s', async (now, component, freshness, ageSeconds) => {
  const app = await openHistoryApp(calls, { clock: fixedClock(now) });
  const status: V1Status = (await app.inject({ url: '/v1/status' })).json();
  await expectValidAnswer('V1Status', status);
  expect(status.components.find(({ id }) => id === 'punctuality')!.status).toBe(component);
  const health: V1Health = (await app.inject({ url: '/v1/health' })).json();
  await expectValidAnswer('V1Health', health);
  expect(health.freshness.at(-1)).toEqual({ id: 'history', status: freshness, ageSeconds, maxAgeSeconds: 36 * 3600 });
});
