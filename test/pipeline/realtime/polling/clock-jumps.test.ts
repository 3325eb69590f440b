import { describe, expect, it } from 'vitest';
import { openChore } from '../../../../pipeline/realtime/polling/chore.ts';
import { type FakeAnswer, fakeSource, instantAt, START_INSTANT, virtualWorld, type World } from './virtual-world.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Seconds by which the clock is set while the sources are polled. */
const jumps = { 'a year ahead': YEAR, 'an hour back': -HOUR, 'a day back': -DAY, 'ten years back': -10 * YEAR };

/** State of a source when the clock is set, 100 s after the start. */
const instants: Readonly<Record<string, { answer: (at: number) => FakeAnswer; longestWaitSeconds: number }>> = {
  'between two requests': { answer: () => ({}), longestWaitSeconds: 30 },
  'in the middle of a request': { answer: () => ({ afterSeconds: 9 }), longestWaitSeconds: 30 },
  'in the middle of a failing request': {
    answer: (at) => ({ afterSeconds: 9, ...(at < 110 ? { status: 500 } : {}) }),
    longestWaitSeconds: 130,
  },
  'while the circuit is open': { answer: (at) => ({ status: at < 90 ? 500 : 200 }), longestWaitSeconds: 130 },
  'during the Retry-After of a publisher': {
    answer: (at) => (at < 90 ? { status: 429, headers: { 'retry-after': '100' } } : {}),
    longestWaitSeconds: 110,
  },
};

const cases = Object.entries(instants).flatMap(([instant, about]) =>
  Object.entries(jumps).map(([jump, seconds]) => ({ instant, jump, seconds, ...about })),
);

/** The longest time without a request to a source, from one instant on. */
function longestSilence({ requested }: World, from: number, to: number): number {
  const times = [from, ...requested.map(({ at }) => at).filter((at) => at >= from), to];
  return Math.max(...times.slice(1).map((at, i) => at - times[i]!));
}

describe('polling continues within one wait after a clock change', () => {
  it.each(cases)('$jump, $instant', async ({ answer, seconds, longestWaitSeconds }) => {
    const world = virtualWorld(({ at }) => answer(at));
    void world.start([fakeSource('a')]);
    await world.run(100);
    world.setClockBy(seconds);
    await world.run(600);
    // A sleep of five seconds may be in progress.
    expect(longestSilence(world, 100, 600)).toBeLessThanOrEqual(longestWaitSeconds + 5);
    // Corrected again, while requests succeed.
    world.setClockBy(-seconds);
    await world.run(1200);
    expect(longestSilence(world, 600, 1200)).toBeLessThanOrEqual(30 + 9 + 5);
    expect(world.applied.length).toBeGreaterThan(20);
    world.stop();
  });

  it.each(Object.entries(jumps))(
    '%s: no request comes earlier than the pause of the source allows',
    async (_, seconds) => {
      const world = virtualWorld(() => ({}));
      void world.start([fakeSource('a', { parts: { one: 20, two: 20, three: 300 }, minGapSeconds: 15 })]);
      for (let at = 50; at < 600; at += 50) {
        await world.run(at);
        world.setClockBy(at % 100 === 0 ? seconds : -seconds);
      }
      const times = world.requested.map(({ at }) => at);
      const gaps = times.slice(1).map((at, i) => at - times[i]!);
      // A clock set ahead ends every wait: one request may come early with each jump, and no other.
      const early = gaps.filter((gap) => gap < 15);
      expect(early.length).toBeLessThanOrEqual(6);
      world.stop();
    },
  );
});

describe('responses fetched under a clock that was ahead', () => {
  it('do not make current data look old, nor prevent an unconditional request', async () => {
    const world = virtualWorld(({ at }) => ({
      headers: { etag: `"${Math.floor(at / 100)}"` },
      body: { publishedAt: instantAt(at) },
    }));
    world.setClockBy(YEAR);
    void world.start([fakeSource('a')]);
    await world.run(100);
    world.setClockBy(-YEAR);
    const before = world.applied.length;
    await world.run(135);
    expect(world.requested.at(-1)!.headers).not.toHaveProperty('if-none-match');
    expect(world.applied.length).toBeGreaterThan(before);
    expect(world.state('a')).toMatchObject({ trouble: null, lastSuccessAt: START_INSTANT + 125 });
    world.stop();
  });
});

describe('work beside the polling', () => {
  it.each(Object.entries(jumps))('%s: starts again within its interval', async (_, seconds) => {
    const begun: number[] = [];
    const chore = openChore(
      600,
      async (now) => begun.push(now),
      () => {},
    );
    chore.startIfDue(START_INSTANT);
    await chore.finish();
    const jumped = START_INSTANT + seconds;
    for (let passed = 0; passed <= 600; passed += 60) {
      chore.startIfDue((jumped + passed) as typeof START_INSTANT);
      await chore.finish();
    }
    expect(begun.length).toBeGreaterThan(1);
    expect(begun[1]! - jumped).toBeLessThanOrEqual(600);
  });
});
