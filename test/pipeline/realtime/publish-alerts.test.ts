import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { AlertReport } from '../../../pipeline/model/realtime.ts';
import type { AlertMatch } from '../../../pipeline/realtime/matching/match-result.ts';
import { type MatchedAlert, publishAlerts } from '../../../pipeline/realtime/state/publish-alerts.ts';
import type { PublishedAlert } from '../../../pipeline/snapshots/realtime-contract.ts';
import { alertOf } from '../../support/worlds/live-reports.ts';

const NOW = 1_772_500_000;
const nowhere: AlertMatch = { entities: [], operatorNames: [], stopNames: [], lines: [], unmatchedCount: 0 };
const condition = (routes: number[], stops: number[] | null = null) => ({
  routes,
  stops,
  trips: null,
  directionId: null,
});

function matched(sourceId: string, id: string, reported: Partial<AlertReport> = {}, places: Partial<AlertMatch> = {}) {
  return { sourceId, alert: alertOf(id, reported), places: { ...nowhere, ...places } } satisfies MatchedAlert;
}

/** `a:1+b:7`: the sources of each alert, and its id. */
const describeAlerts = (news: readonly PublishedAlert[]) =>
  news.map(({ id, sources }) => `${id} of ${sources.join('+')}`);

const LONG = 'Der Aufzug zum Bahnsteig ist bis voraussichtlich Freitag außer Betrieb.';

/** A period in minutes from now; null: open. */
type Minutes = readonly [from: number | null, to: number | null];

const toWindows = (windows: readonly Minutes[]) => {
  const at = (minutes: number | null) => (minutes === null ? null : ((NOW + Math.round(minutes * 60)) as never));
  return windows.map(([from, to]) => ({ from: at(from), to: at(to) }));
};

describe('one alert are', () => {
  const reported = (source: string, id: string, title: string, text: string) => matched(source, id, { title, text });

  test.each<[reason: string, alerts: readonly MatchedAlert[], news: readonly string[]]>([
    [
      'a long text under two titles',
      [
        reported('wl', '7', 'Aufzug Alaudagasse: außer Betrieb', LONG),
        reported('rt', '3', 'Alaudagasse – kein Aufzug', LONG),
      ],
      ['rt:3 of rt+wl'],
    ],
    [
      'a long text in other spelling',
      [reported('wl', '7', 'A', LONG), reported('rt', '3', 'B', LONG.toUpperCase().replaceAll(' ', ' \n - '))],
      ['rt:3 of rt+wl'],
    ],
    [
      'a short text under two titles: two',
      [reported('wl', '7', 'Linie 1', 'Verspätungen'), reported('rt', '3', 'Linie 2', 'Verspätungen')],
      ['rt:3 of rt', 'wl:7 of wl'],
    ],
    [
      'a short text under an equivalent title',
      [
        reported('wl', '7', 'Linie 1: Verkehrsunfall', 'Umleitung'),
        reported('rt', '3', 'Verkehrsunfall (Linie 1)', 'Umleitung!'),
      ],
      ['rt:3 of rt+wl'],
    ],
    [
      'forty letters',
      [reported('a', '1', 'A', 'x'.repeat(40)), reported('b', '1', 'B', 'x'.repeat(40))],
      ['a:1 of a+b'],
    ],
    [
      'thirty-nine and a space: two',
      [
        reported('a', '1', 'A', `${'x'.repeat(20)} ${'x'.repeat(19)}`),
        reported('b', '1', 'B', `${'x'.repeat(20)} ${'x'.repeat(19)}`),
      ],
      ['a:1 of a', 'b:1 of b'],
    ],
    [
      'one publisher with one sentence for two lifts: two, and others match by title',
      [
        reported('wl', '7', 'Aufzug Alaudagasse', LONG),
        reported('wl', '8', 'Aufzug Kagran', LONG),
        reported('rt', '3', 'Kagran: Aufzug', LONG),
      ],
      ['rt:3 of rt+wl', 'wl:7 of wl'],
    ],
    ['one publisher repeats it', [reported('wl', '7', 'A', LONG), reported('wl', '8', 'A', LONG)], ['wl:7 of wl']],
    [
      'one id with two texts: still one',
      [reported('wl', '7', 'B', 'new'), reported('wl', '7', 'A', 'old')],
      ['wl:7 of wl'],
    ],
    ['no texts at all', [reported('a', '1', 'A', ''), reported('b', '1', 'B', '')], ['a:1 of a', 'b:1 of b']],
  ])('%s', (_reason, alerts, news) => {
    expect(describeAlerts(publishAlerts(alerts, NOW))).toEqual(news);
    expect(describeAlerts(publishAlerts([...alerts].reverse(), NOW))).toEqual(news);
  });

  it('has the subjects of all, the other members of the first, and the most urgent priority', () => {
    const link = { title: 'Mehr', url: 'https://example.org/1' };
    const [news] = publishAlerts(
      [
        matched(
          'b',
          '1',
          { title: 'B', text: LONG, priority: 20, isAccess: true, operatorName: 'V', links: [link], category: 'lift' },
          { entities: [condition([4, 5], [2]), condition([9])], operatorNames: ['V'], stopNames: ['Berg'] },
        ),
        matched(
          'a',
          '1',
          { title: 'A', text: LONG, priority: 60, links: [link], pin: { lat: 48, lon: 16 } },
          { entities: [condition([5, 6], [1, 2]), condition([9])], stopNames: ['Anger', 'Berg'] },
        ),
      ],
      NOW,
    );
    expect(news).toEqual({
      id: 'a:1',
      sources: ['a', 'b'],
      kind: 'information',
      category: 'lift',
      priority: 20,
      title: 'A',
      text: LONG,
      operatorNames: ['V'],
      isAccess: true,
      activeWindows: [],
      lines: [],
      entities: [condition([5, 6], [1, 2]), condition([9]), condition([4, 5], [2])],
      stopNames: ['Anger', 'Berg'],
      links: [link],
      pin: { lat: 48, lon: 16 },
    });
  });
});

describe('lines', () => {
  type Line = readonly [label: string, operatorName: string | null, region: string | null];
  const toLines = (lines: readonly Line[]) =>
    lines.map(([label, operatorName, region]) => ({ label, operatorName, region }));

  test.each<[reason: string, reported: readonly Line[], published: readonly Line[]]>([
    [
      'one without operator or region',
      [
        ['U6', null, null],
        ['U6', 'WL', 'Wien'],
      ],
      [['U6', 'WL', 'Wien']],
    ],
    [
      'one without region',
      [
        ['U6', 'WL', 'Wien'],
        ['U6', 'WL', null],
      ],
      [['U6', 'WL', 'Wien']],
    ],
    [
      'a repeated one',
      [
        ['U6', 'WL', null],
        ['U6', 'WL', null],
      ],
      [['U6', 'WL', null]],
    ],
    [
      'of two operators',
      [
        ['1', 'A', null],
        ['1', 'B', null],
      ],
      [
        ['1', 'A', null],
        ['1', 'B', null],
      ],
    ],
    [
      'without operator, and of two operators',
      [
        ['1', null, null],
        ['1', 'A', null],
        ['1', 'B', null],
      ],
      [
        ['1', 'A', null],
        ['1', 'B', null],
      ],
    ],
    [
      'an operator and a region that no source combines',
      [
        ['1', 'A', null],
        ['1', null, 'Graz'],
      ],
      [
        ['1', 'A', null],
        ['1', null, 'Graz'],
      ],
    ],
    [
      'other labels',
      [
        ['1', null, null],
        ['2', 'A', null],
      ],
      [
        ['1', null, null],
        ['2', 'A', null],
      ],
    ],
  ])('%s', (_reason, reported, published) => {
    const alone = publishAlerts([matched('a', '1', {}, { lines: toLines(reported) })], NOW);
    expect(alone[0]!.lines).toEqual(toLines(published));
    const words = { title: 'T', text: LONG };
    const joined = publishAlerts(
      reported.map((line, i) => matched('abc'[i]!, '1', words, { lines: toLines([line]) })),
      NOW,
    );
    expect(joined.map(({ lines }) => lines)).toEqual([toLines(published)]);
  });
});

it('is sorted by priority, then by id in code point order', () => {
  const ids = ['b:1', 'a:Ä', 'a:b', 'a:B', 'z:1'];
  const alerts = ids.map((name, i) => {
    const [source, id] = name.split(':');
    return matched(source!, id!, { title: `Title ${i}`, priority: source === 'z' ? 10 : 50 });
  });
  expect(publishAlerts(alerts, NOW).map(({ id }) => id)).toEqual(['z:1', 'a:B', 'a:b', 'a:Ä', 'b:1']);
});

describe('any alerts', () => {
  const text = fc.constantFrom('', 'Umleitung', LONG, `${LONG} Bitte benützen Sie die Rolltreppe.`);
  const minutes = fc.option(fc.integer({ min: -30, max: 30 }), { nil: null });
  const line = fc.record({
    label: fc.constantFrom('1', '2'),
    operatorName: fc.constantFrom(null, 'A', 'B'),
    region: fc.constantFrom(null, 'Wien'),
  });
  const numbers = fc.uniqueArray(fc.nat(5), { maxLength: 3 });
  const news = fc
    .record({
      source: fc.constantFrom('a', 'b', 'c'),
      id: fc.constantFrom('1', '2', '3', '4'),
      title: fc.constantFrom('Linie 1', 'Linie 2', '1 Linie'),
      text,
      priority: fc.integer({ min: 0, max: 3 }),
      windows: fc.array(fc.tuple(minutes, minutes), { maxLength: 3 }),
      category: fc.constantFrom(null, 'x', 'y'),
      lines: fc.array(line, { maxLength: 3 }),
      routes: numbers,
      stops: numbers,
    })
    .map(({ source, id, title, text: reported, priority, windows, category, lines, routes, stops }) =>
      matched(
        source,
        id,
        { title, text: reported, priority, category, activeWindows: toWindows(windows) },
        { lines, entities: [condition(routes, stops)] },
      ),
    );
  const many = fc.array(news, { maxLength: 8 });

  it('are the same in any order, and with duplicates', () => {
    fc.assert(
      fc.property(
        many.chain((alerts) =>
          fc.tuple(fc.constant(alerts), fc.shuffledSubarray(alerts, { minLength: alerts.length })),
        ),
        ([alerts, shuffled]) => {
          const published = publishAlerts(alerts, NOW);
          expect(publishAlerts(shuffled, NOW)).toEqual(published);
          expect(publishAlerts([...shuffled, ...alerts], NOW)).toEqual(published);
        },
      ),
      { numRuns: 1000, seed: 20_260_306 },
    );
  });

  it('lose no subject and no source, and contain each id once', () => {
    fc.assert(
      fc.property(many, (alerts) => {
        const published = publishAlerts(alerts, NOW);
        const current = alerts.filter(
          ({ alert: { activeWindows } }) =>
            activeWindows.length === 0 || activeWindows.some(({ to }) => to === null || to >= NOW),
        );
        const placesOf = <Item>(items: readonly Item[]) => [...new Set(items)].sort();
        const textsOf = (entities: AlertMatch['entities']) => entities.map((entity) => JSON.stringify(entity));
        expect(placesOf(published.flatMap(({ entities }) => textsOf(entities as never)))).toEqual(
          placesOf(current.flatMap(({ places }) => textsOf(places.entities))),
        );
        expect(placesOf(published.flatMap(({ sources }) => sources))).toEqual(
          placesOf(current.map(({ sourceId }) => sourceId)),
        );
        expect(placesOf(published.flatMap(({ lines }) => lines.map(({ label }) => label)))).toEqual(
          placesOf(current.flatMap(({ places }) => places.lines.map(({ label }) => label))),
        );
        expect(new Set(published.map(({ id }) => id)).size).toBe(published.length);
      }),
      { numRuns: 1000, seed: 20_260_307 },
    );
  });
});
