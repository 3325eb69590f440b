import { expect, test } from 'vitest';
import type { Punctuality } from '../../../api/history/tally.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { openTestApp } from '../test-app.ts';

const none = {
  expected: 0,
  observed: 0,
  onTime: 0,
  early: 0,
  late10: 0,
  derived: 0,
  forecasts: 0,
  cancelled: 0,
  replaced: 0,
  delaySumSeconds: 0,
};

const present = (totals: Partial<typeof none>): Punctuality => ({
  definition: { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 },
  numbers: {
    period: { from: '2026-01-01' as ServiceDate, to: '2026-01-03' as ServiceDate },
    totals: { ...none, ...totals },
    daily: [],
    lines: [],
    heatmap: [],
  },
});

const open = async (punctuality: Punctuality | null, language = 'en') => {
  const app = await openTestApp({ site: { examples: [], findPunctuality: () => punctuality } });
  return (await app.inject({ url: `/punctuality?lang=${language}` })).body;
};

test.each([
  ['en', 'From 2026-01-01 to 2026-01-03, 75.0% of 6,000 observed calls were on time.'],
  ['de', 'waren 75,0\u00a0% von 6.000 beobachteten Halten pünktlich.'],
])(
  'without a script the page shows the share of the default period and of what it is, in %s',
  async (language, words) => {
    const body = await open(present({ expected: 12_345, observed: 6000, onTime: 4500 }), language);
    expect(body).toContain(words);
    expect(body).toContain('<noscript>');
  },
);

test.each([
  ['nothing is published', null],
  ['nothing was observed', present({ expected: 5 })],
])('it states when %s', async (_case, punctuality) => {
  const body = await open(punctuality);
  expect(body).toContain('Nothing is recorded yet.');
  expect(body).not.toContain('100');
});
