import { expect, it } from 'vitest';
import type { PollAttempt } from '../../../../pipeline/realtime/polling/poll-once.ts';
import {
  chooseTurn,
  followClock,
  newSourceRecord,
  noteAttempt,
} from '../../../../pipeline/realtime/polling/source-record.ts';
import { fakeSource, START_INSTANT } from './virtual-world.ts';

const START = START_INSTANT * 1000;
const rules = { breakerFailures: 2, breakerSeconds: 120 };
const turns = { minGapSeconds: 10, rounds: Number.POSITIVE_INFINITY };

const requests = fakeSource('a', { parts: { one: 30, two: 60 } }).source.listRequests(START_INSTANT);
const unchanged: PollAttempt = { kind: 'unchanged' };
const failed: PollAttempt = { kind: 'failed', code: 'http_503', sentence: 'no', retryAfterSeconds: 200 };

function recordAfter(...attempts: readonly PollAttempt[]) {
  const record = newSourceRecord();
  for (const [index, attempt] of attempts.entries()) {
    record.lastRequestAt = START;
    noteAttempt(record, requests[index]!, attempt, { at: START, endedAt: START, random: 0 }, rules);
  }
  return record;
}

const HOUR = 3_600_000;

it.each([
  ['that is healthy', [unchanged, unchanged], 30],
  ['with an open circuit', [failed, failed], 200],
] as const)('a clock that is set back does not silence a source %s', (_title, attempts, seconds) => {
  const record = recordAfter(...attempts);
  expect(chooseTurn(record, requests, turns, START)).toEqual({ kind: 'wait', until: START + seconds * 1000 });
  followClock(record, START - HOUR);
  const turn = chooseTurn(record, requests, turns, START - HOUR);
  expect(turn).toEqual({ kind: 'wait', until: START - HOUR + seconds * 1000 });
});

it('a clock that advances moves nothing', () => {
  const record = recordAfter(unchanged);
  const before = structuredClone(record);
  followClock(record, START + 5000);
  expect(record).toEqual({ ...before, clockReadAt: START + 5000 });
});

it('a source without requests waits', () => {
  const record = newSourceRecord();
  expect(chooseTurn(record, [], turns, START)).toEqual({ kind: 'wait', until: Number.POSITIVE_INFINITY });
  expect(chooseTurn(record, [], { ...turns, rounds: 1 }, START)).toEqual({ kind: 'done' });
});
