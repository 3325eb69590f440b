import { expect, test } from 'vitest';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import type { StoredRawAnswer } from '../../../../pipeline/lake/raw-answer-index.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type {
  PolledAnswer,
  PolledSourceState,
  RealtimeSink,
} from '../../../../pipeline/realtime/polling/realtime-sink.ts';
import { replayAnswers } from '../../../../pipeline/realtime/polling/replay-answers.ts';
import { fakeSource } from './virtual-world.ts';

const START = '2026-03-02T07:00:00Z';
const startInstant = parseTimestamp(START)!;

/** A response that was stored some seconds after the start; the text is its body. */
interface Stored {
  readonly at: number;
  readonly part?: string;
  readonly body: string;
  readonly status?: number;
}

/** Replays stored responses and returns what reached the sink and when, in seconds since the start. */
async function play(tracks: Readonly<Record<string, readonly Stored[]>>, stopAt = Number.POSITIVE_INFINITY) {
  const clock = fixedClock(START);
  const secondsNow = () => clock.nowMilliseconds() / 1000 - startInstant;
  const applied: { at: number; fetched: number; part: string; source: string }[] = [];
  const confirmed: { at: number; fetched: number; part: string }[] = [];
  const published: { at: number; states: readonly PolledSourceState[] }[] = [];
  const stop = new AbortController();
  const sink: RealtimeSink = {
    apply: async ({ sourceId, part, fetchedAt }: PolledAnswer) => {
      applied.push({ at: secondsNow(), fetched: fetchedAt - startInstant, part, source: sourceId });
    },
    confirm: async ({ fetchedAt, part }) => {
      confirmed.push({ at: secondsNow(), fetched: fetchedAt - startInstant, part });
    },
    publish: async (states) => {
      published.push({ at: secondsNow(), states });
    },
    close: async () => {},
  };
  const bodies = new Map<string, string>();
  const outcomes = await replayAnswers({
    sources: Object.keys(tracks).map((id) => fakeSource(id)),
    recordings: {
      list: async (source) =>
        tracks[source]!.map(({ at, part = 'main', body, status = 200 }, i): StoredRawAnswer => {
          const rawId = `${source} ${i}`;
          if (body !== 'gone') bodies.set(rawId, body);
          const fetchedAt = new Date((startInstant + at) * 1000).toISOString();
          const sizes = { bytes: body.length, storedBytes: body.length };
          const url = 'https://then.example/';
          return { rawId, part, fetchedAt, ...sizes, sha256: '', url, status, durationMilliseconds: 1 };
        }),
      read: async (rawId) => {
        const body = bodies.get(rawId);
        if (body === undefined) throw new ExternalError('raw_answer_missing', `there is no raw answer ${rawId}`);
        return Buffer.from(body);
      },
    },
    sink,
    effects: {
      clock,
      log: silentLog,
      sleep: async (milliseconds) => {
        clock.set(new Date(clock.nowMilliseconds() + milliseconds).toISOString());
        if (secondsNow() >= stopAt) stop.abort();
      },
    },
    signal: stop.signal,
  });
  return { applied, confirmed, published, outcomes: Object.fromEntries(outcomes) };
}

test('responses are applied at their time, those of several sources in order of time', async () => {
  const { applied, outcomes } = await play({
    a: [
      { at: 10, body: '{}' },
      { at: 40, body: '{}' },
    ],
    b: [{ at: 25, body: '{}' }],
  });
  expect(applied.map(({ at, fetched, source }) => [at, fetched, source])).toEqual([
    [10, 10, 'a'],
    [25, 25, 'b'],
    [40, 40, 'a'],
  ]);
  expect(outcomes).toEqual({ applied: 3 });
});

test('a response that confirmed the previous one does so again; a reader that starts later reads it', async () => {
  const { applied, confirmed, outcomes } = await play({
    a: [
      { at: 10, body: '{}', status: 304 },
      { at: 40, body: '{}', status: 304 },
    ],
  });
  expect(applied.map(({ at }) => at)).toEqual([10]);
  expect(confirmed).toEqual([{ at: 40, fetched: 40, part: 'main' }]);
  expect(outcomes).toEqual({ applied: 1, unchanged: 1 });
});

test('responses from before the start are applied immediately, with the time of their fetch', async () => {
  const { applied, published } = await play({
    a: [
      { at: -90, body: '{}' },
      { at: -60, body: '{}' },
      { at: 30, body: '{}' },
    ],
  });
  expect(applied.map(({ at, fetched }) => [at, fetched])).toEqual([
    [0, -90],
    [0, -60],
    [30, 30],
  ]);
  // Nothing is published before all of them are applied.
  expect(published[0]!.states[0]!.lastSuccessAt).toBe(startInstant - 60);
});

test('an invalid response, a missing one and one of a removed request cost only themselves', async () => {
  const { outcomes, applied, published } = await play({
    a: [
      { at: 1, body: '<html>' },
      { at: 2, body: 'gone' },
      { at: 3, part: 'other', body: '{}' },
      { at: 4, body: '{}' },
    ],
  });
  expect(outcomes).toEqual({ not_json: 1, raw_answer_missing: 1, part_not_configured: 1, applied: 1 });
  expect(applied).toHaveLength(1);
  expect(published.at(-1)!.states[0]).toMatchObject({ trouble: null, lastSuccessAt: startInstant + 4 });
});

test('a response older than the last is set aside, as in the original run', async () => {
  const published = (at: number) => JSON.stringify({ publishedAt: startInstant + at });
  const { outcomes } = await play({
    a: [
      { at: 10, body: published(10) },
      { at: 20, body: published(5) },
      { at: 30, body: published(30) },
    ],
  });
  expect(outcomes).toEqual({ applied: 2, header_backwards: 1 });
});

test('publishes the responses of an instant before time passes, and at most every few seconds', async () => {
  const answers = Array.from({ length: 60 }, (_, at) => ({ at, body: '{}' }));
  const { published } = await play({ a: answers });
  expect(published.length).toBeGreaterThan(8);
  expect(published.length).toBeLessThan(16);
  for (const { at, states } of published) expect(states[0]!.lastSuccessAt).toBe(startInstant + Math.min(at, 59));
});

test('ends on the signal, and publishes what was applied', async () => {
  const answers = Array.from({ length: 600 }, (_, at) => ({ at, body: '{}' }));
  const { applied, published } = await play({ a: answers }, 20);
  expect(applied.length).toBeLessThan(30);
  expect(published.at(-1)!.states[0]!.lastSuccessAt).toBe(startInstant + applied.at(-1)!.fetched);
});
