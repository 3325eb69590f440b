import { expect, it } from 'vitest';
import { rateSource } from '../../../api/engine/read/source-states.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';

const NOW = (Date.parse('2026-03-01T12:00:00Z') / 1000) as Instant;

it.each([
  [null, 'never', null],
  ['2026-03-01T11:59:00.000Z', 'fresh', 60],
  ['2026-03-01T11:56:59.000Z', 'stale', 181],
  // Request times are rounded down, and clocks differ slightly.
  ['2026-03-01T12:00:30.000Z', 'fresh', 0],
  // From a wrong clock: it would be fresh for years.
  ['2026-03-01T12:01:01.000Z', 'never', null],
  ['2100-01-01T00:00:00.000Z', 'never', null],
] as const)('a source last received at %s is %s', (lastSuccessAt, status, ageSeconds) => {
  const source = { isStandby: false, maxAgeSeconds: 180, lastSuccessByArea: {}, lastSuccessAt };
  expect(rateSource(source as unknown as RealtimeSourceState, NOW)).toEqual({ status, ageSeconds });
});
