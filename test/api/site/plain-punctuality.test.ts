import { describe, expect, test } from 'vitest';
import type { PunctualityData, PunctualityDay, PunctualityShares } from '../../../api/contract/site-charts.ts';
import { describePunctuality } from '../../../api/site/view-model/plain-punctuality.ts';
import { drawPunctuality } from '../../../api/site/view-model/punctuality-picture.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { at, reportInTown } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';

const shares = (observed: number, onTime: number, rest: Partial<PunctualityShares> = {}): PunctualityShares => ({
  expected: 1000,
  observed,
  derived: 0,
  forecasts: 0,
  cancelled: 0,
  replaced: 0,
  on_time: onTime,
  early: 0,
  late10: 0,
  delay_sum_seconds: 0,
  coverage: observed / 1000,
  on_time_share: observed === 0 ? null : onTime / observed,
  on_time_low: null,
  on_time_high: null,
  mean_delay_seconds: observed === 0 ? null : 72,
  ...rest,
});
const day = (n: number, onTime: number, observed = 100): PunctualityDay => ({
  day: `2026-01-0${n}`,
  ...shares(observed, onTime),
});
const hour = (dow: number, at: number, mean: number, observed = 100) => ({
  dow,
  hour: at,
  observed,
  on_time: null,
  on_time_share: null,
  mean_delay_seconds: mean,
});
const read = (data: Partial<PunctualityData>) =>
  describePunctuality({ days: [], hours: [], ...data } as unknown as PunctualityData, 'en');

describe('punctuality in words', () => {
  test.each<[string, Partial<PunctualityData>, readonly string[]]>([
    ['is empty without a history', { totals: null }, [expect.stringContaining('Nothing is recorded')]],
    [
      'says so if nothing was observed',
      { totals: shares(0, 0, { cancelled: 1 }) },
      [
        'Of 1,000 scheduled stops, 1 was cancelled.',
        'No times were reported, so nothing can be said about punctuality.',
      ],
    ],
    [
      'draws no conclusion from few calls',
      { totals: shares(29, 1), hours: [hour(1, 8, 600)] },
      [
        'Of 1,000 scheduled stops, none was reported as cancelled.',
        'Only 29 stops were observed so far: too few to say anything.',
      ],
    ],
    [
      'counts good days, and names the worst hour with enough calls',
      {
        totals: shares(995, 930, { cancelled: 4 }),
        days: [day(1, 95), day(2, 80), day(3, 90), day(4, 1, 5)],
        hours: [hour(1, 8, 170), hour(2, 9, 60), hour(5, 17, 900, 29)],
      },
      [
        'Of 1,000 scheduled stops, 4 were cancelled.',
        '93 out of 100 observed stops were on time. On average, vehicles came 1.2 minutes later than scheduled.',
        'On 2 of 3 days, at least nine out of ten stops were on time.',
        'Delays are longest on Mondays between 8:00 and 9:00: 3 minutes on average.',
        'Almost every stop was observed.',
      ],
    ],
    [
      'names no hour if none with enough calls is worse than the average',
      {
        totals: shares(995, 700, { mean_delay_seconds: 228 }),
        hours: [hour(4, 10, 900, 29), hour(4, 11, 120), hour(4, 12, 228)],
      },
      [
        'Of 1,000 scheduled stops, none was reported as cancelled.',
        '70 out of 100 observed stops were on time. On average, vehicles came 3.8 minutes later than scheduled.',
        'Almost every stop was observed.',
      ],
    ],
  ])('%s', (_name, data, sentences) => {
    expect(read(data)).toEqual(sentences);
  });

  test.each([
    [60, 'one minute later', 'eine Minute später'],
    [-60, 'one minute earlier', 'eine Minute früher'],
    [57, 'one minute later', 'eine Minute später'],
    [90, '1.5 minutes later', '1,5 Minuten später'],
    [0, 'exactly on schedule', 'genau nach Plan'],
  ])('states a mean delay of %i s', (seconds, ...expected) => {
    const totals = shares(100, 90, { mean_delay_seconds: seconds });
    const sentences = (['en', 'de'] as const).map(
      (language) => describePunctuality({ totals, days: [], hours: [] } as unknown as PunctualityData, language)[1],
    );
    expect(sentences).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});

test('a picture escapes names, and has a bar for each day', () => {
  const svg = drawPunctuality({
    name: '<U6> & "x"',
    totals: shares(100, 93),
    days: [day(1, 95), day(2, 0, 0)],
    language: 'de',
  });
  expect(svg).toContain('<title>&lt;U6&gt; &amp; &quot;x&quot;: 93 von 100 Halten pünktlich</title>');
  expect(svg.match(/fill="#(116c3c|8b8f94)"/g)).toEqual(['fill="#116c3c"', 'fill="#8b8f94"']);
});

describe('pages and pictures', () => {
  const open = async () =>
    openService(await reportInTown([], { reportedAt: '08:00', now: '08:00' }), {
      clock: fixedClock(at('08:00')),
      overrides: { site: { examples: [], findStopName: (id) => (id === 'at:s' ? 'Bahnhof' : null) } },
    });

  test('exist for every line and stop, also without a history', async () => {
    const app = await open();
    for (const [url, title] of [
      ['/punctuality/lines/U6%20%3Cb%3E?lang=en', 'How punctual is line U6 &lt;b&gt;?'],
      ['/punctuality/stops/at%3As?lang=en', 'How punctual are services at Bahnhof?'],
    ] as const) {
      const { statusCode, body } = await app.inject({ url });
      expect([statusCode, body.includes(`<title>${title}`)]).toEqual([200, true]);
      expect(body).toContain('Nothing is recorded for this period.');
    }
    expect((await app.inject({ url: '/punctuality/stops/none' })).statusCode).toBe(404);
  });

  test('are found by the form of the punctuality page', async () => {
    const app = await open();
    const found = await app.inject({ url: '/punctuality/lines?line=U%206' });
    expect([found.statusCode, found.headers.location]).toEqual([303, '/punctuality/lines/U%206']);
    expect((await app.inject({ url: '/punctuality/lines' })).headers.location).toBe('/punctuality');
  });

  test('have an image for other sites', async () => {
    const app = await open();
    const { statusCode, headers, body } = await app.inject({ url: '/site/data/punctuality/picture?stopId=at:s' });
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(body).toContain('>Bahnhof</text>');
    expect(body).toContain('noch keine Daten');
  });

  test('have an image that is XML even if the line has control characters', async () => {
    const app = await open();
    const { body } = await app.inject({ url: '/site/data/punctuality/picture?line=U%006%0B%1F' });
    expect(body).toContain('>U6</text>');
  });
});
