import { expect, test } from 'vitest';
import type { LineTally, Punctuality } from '../../../api/history/tally.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { openTestApp } from '../test-app.ts';

const period = { from: '2026-01-01' as ServiceDate, to: '2026-01-03' as ServiceDate };
const none = { expected: 0, observed: 0, onTime: 0, early: 0, late10: 0, cancelled: 0, delaySumSeconds: 0 };
const totals = { ...none, expected: 12_345, observed: 6000, onTime: 4500, early: 60, late10: 30, cancelled: 2000 };
const line = (name: string, onTime: number, observed = 100): LineTally => ({
  line: name,
  product: 'bus',
  operator: 'Land',
  observed,
  onTime,
  delaySumSeconds: 60 * observed,
});

const told: Punctuality = {
  definition: { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 },
  numbers: {
    period,
    totals: { ...totals, delaySumSeconds: 540_000 },
    daily: [
      { ...none, day: '2026-01-01' as ServiceDate, observed: 200, onTime: 150 },
      { ...none, day: '2026-01-03' as ServiceDate, expected: 5 },
    ],
    lines: [
      line('<b>', 10),
      line('', 0),
      line('rare', 0, 99),
      ...'cdefghijk'.split('').map((name, i) => line(name, 20 + i)),
    ],
    heatmap: [{ dow: 7, hour: 23, observed: 4, delaySumSeconds: 4 * 300 }],
  },
};

test('tells every share with what it is of', async () => {
  const app = await openTestApp({ site: { examples: [], findPunctuality: () => told } });
  const { body } = await app.inject({ url: '/punctuality' });
  for (const words of [
    'From 2026-01-01 to 2026-01-03, 75 % of\n6,000 observed calls were on time.',
    '<td>12,345</td>',
    '<td>6,000, 48.6 % of the scheduled</td>',
    '<td>2,000</td>',
    '<td>56.3 %</td>',
    '<td>1.5 min</td>',
    'On time is a delay below 330 s',
    'Late by 600 s or more',
    '<title>Thursday, 2026-01-01: 75 % of 200</title>',
    '<title>Saturday, 2026-01-03: unknown of 0</title>',
    'class="heat-4 few"',
    'Early by 60 s or more',
    'Pale: fewer than 30 observed calls.',
    '<td>Land</td>',
    '<title>Sunday, 23:00: 5 min, 4 calls</title>',
    '>Sun</text>',
    'A bar a day, 2026-01-01 to 2026-01-03',
  ]) {
    expect(body).toContain(words);
  }
});

test.each([
  [29, true],
  [30, false],
])('of %i observed calls says whether they are few', async (observed, isFew) => {
  const numbers = {
    ...told.numbers,
    totals: { ...totals, observed, onTime: observed },
    daily: [{ ...none, day: period.from, observed, onTime: observed }],
    heatmap: [{ dow: 1, hour: 0, observed, delaySumSeconds: 0 }],
  };
  const app = await openTestApp({ site: { examples: [], findPunctuality: () => ({ ...told, numbers }) } });
  const { body } = await app.inject({ url: '/punctuality' });
  const found = ['Fewer than 30 calls were observed', 'class="few"', 'class="heat-0 few"'].map((words) =>
    body.includes(words),
  );
  expect(found).toEqual([isFew, isFew, isFew]);
  expect(body.split('Pale: fewer than 30').length - 1).toBe(isFew ? 2 : 0);
});

test('lists the worst and the best of the lines that were seen often enough, each once', async () => {
  const app = await openTestApp({ site: { examples: [], findPunctuality: () => told } });
  const { body } = await app.inject({ url: '/punctuality' });
  const [, worst = '', best = ''] = body.split(/<h2>(?:Least|Most) punctual lines/);
  const names = (table: string) => [...table.matchAll(/<th scope="row">([^<]*)<\/th>/g)].map(([, name]) => name);
  expect(names(worst)).toEqual(['&lt;b&gt;', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  expect(names(best)).toEqual(['k', 'j']);
});

test('is made anew for other numbers alone', async () => {
  let now: Punctuality | null = null;
  const app = await openTestApp({ site: { examples: [], findPunctuality: () => now } });
  const tagOf = async () => (await app.inject({ url: '/punctuality' })).headers.etag;
  const empty = await tagOf();
  expect((await app.inject({ url: '/punctuality' })).body).toContain('So far nothing was recorded');
  now = { ...told };
  const full = await tagOf();
  expect(full).not.toBe(empty);
  now = { ...told };
  expect(await tagOf()).toBe(full);
  const again = await app.inject({ url: '/punctuality', headers: { 'if-none-match': String(full) } });
  expect(again.statusCode).toBe(304);
  now = { ...told, numbers: { ...told.numbers, totals: none } };
  expect((await app.inject({ url: '/punctuality' })).body).toContain(
    'From 2026-01-01 to 2026-01-03 nothing was recorded',
  );
});
