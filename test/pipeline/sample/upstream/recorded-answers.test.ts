import { expect, it } from 'vitest';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { recordedAnswers } from '../../../../pipeline/sample/upstream/recorded-answers.ts';
import { startFakeUpstream } from '../../../../pipeline/sample/upstream/start-fake-upstream.ts';

const recording = (path: string, time: string, text: string) => ({
  path,
  recordedAt: (Date.parse(time) / 1000) as Instant,
  contentType: 'text/plain',
  read: async () => Buffer.from(text),
});

const recordings = [
  recording('/a', '2026-11-20T12:00:30Z', 'second'),
  recording('/a', '2026-11-20T12:00:00Z', 'first'),
  recording('/b', '2026-11-20T12:00:10Z', 'other'),
];

it.each([
  ['before anything was recorded', '/a', '2026-11-20T11:59:59Z', 503, 'Nothing was recorded yet.\n'],
  ['at exactly this time', '/a', '2026-11-20T12:00:00Z', 200, 'first'],
  ['until the next', '/a', '2026-11-20T12:00:29Z', 200, 'first'],
  ['the next', '/a', '2026-11-20T12:00:30Z', 200, 'second'],
  ['the last one forever', '/a', '2026-11-21T12:00:00Z', 200, 'second'],
  ['each path separately', '/b', '2026-11-20T12:00:05Z', 503, 'Nothing was recorded yet.\n'],
  ['an unrecorded path', '/c', '2026-11-20T12:00:05Z', 404, 'no such path\n'],
])('%s', async (_, path, now, status, text) => {
  const upstream = await startFakeUpstream({ answers: recordedAnswers(recordings), clock: fixedClock(now) });
  try {
    const answer = await fetch(upstream.url + path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(text);
  } finally {
    await upstream.close();
  }
});
