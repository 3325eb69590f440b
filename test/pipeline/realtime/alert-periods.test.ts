import { describe, expect, it, test } from 'vitest';
import type { AlertReport } from '../../../pipeline/model/realtime.ts';
import type { AlertMatch } from '../../../pipeline/realtime/matching/match-result.ts';
import { type MatchedAlert, publishAlerts } from '../../../pipeline/realtime/state/publish-alerts.ts';
import type { PublishedAlert } from '../../../pipeline/snapshots/realtime-contract.ts';
import { alertOf } from '../../support/worlds/live-reports.ts';

const NOW = 1_772_500_000;
const nowhere: AlertMatch = { entities: [], operatorNames: [], stopNames: [], lines: [], unmatchedCount: 0 };

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

const toMinutes = ({ activeWindows }: PublishedAlert): Minutes[] => {
  const minutes = (time: number | null) => (time === null ? null : (time - NOW) / 60);
  return activeWindows.map(({ from, to }) => [minutes(from), minutes(to)]);
};

describe('periods', () => {
  test.each<[reason: string, windows: readonly Minutes[], published: readonly Minutes[] | null]>([
    ['none: always', [], []],
    ['one that continues', [[-10, 10]], [[-10, 10]]],
    ['one that ends now', [[-10, 0]], [[-10, 0]]],
    ['one that has expired', [[-10, -1 / 60]], null],
    ['one without an end', [[-10, null]], [[-10, null]]],
    [
      'an expired one of two',
      [
        [-10, -5],
        [20, 30],
      ],
      [[20, 30]],
    ],
    [
      'all expired',
      [
        [-10, -5],
        [null, -1],
      ],
      null,
    ],
    [
      'by start, the open one first',
      [
        [20, 30],
        [5, 6],
        [null, 2],
      ],
      [
        [null, 2],
        [5, 6],
        [20, 30],
      ],
    ],
    [
      'one within another',
      [
        [5, 30],
        [10, 20],
      ],
      [[5, 30]],
    ],
    [
      'one within an open one',
      [
        [10, 20],
        [5, null],
      ],
      [[5, null]],
    ],
    [
      'within the one that starts with it',
      [
        [5, 20],
        [5, 30],
      ],
      [[5, 30]],
    ],
    [
      'twice the same',
      [
        [5, 20],
        [5, 20],
      ],
      [[5, 20]],
    ],
    [
      'the same, a minute apart',
      [
        [6, 21],
        [5, 20],
      ],
      [[5, 20]],
    ],
    [
      'more than a minute longer',
      [
        [5, 20],
        [6, 22],
      ],
      [
        [5, 20],
        [6, 22],
      ],
    ],
    [
      'adjacent ones',
      [
        [5, 20],
        [20, 30],
      ],
      [
        [5, 20],
        [20, 30],
      ],
    ],
    [
      'always, as a period',
      [
        [null, null],
        [5, 20],
      ],
      [[null, null]],
    ],
  ])('%s', (_reason, windows, published) => {
    const [news] = publishAlerts([matched('a', '1', { activeWindows: toWindows(windows) })], NOW);
    expect(news ? toMinutes(news) : null).toEqual(published);
  });

  test.each<[reason: string, one: readonly Minutes[], other: readonly Minutes[], joined: readonly Minutes[]]>([
    ['of one without periods: always', [[5, 20]], [], []],
    ['that a source rounds', [[5, 20]], [[4.5, 20.5]], [[4.5, 20.5]]],
    [
      'of both',
      [[30, 40]],
      [[5, 20]],
      [
        [5, 20],
        [30, 40],
      ],
    ],
  ])('of two sources: %s', (_reason, one, other, joined) => {
    const reported = (source: string, windows: readonly Minutes[]) =>
      matched(source, '1', { title: 'T', text: LONG, activeWindows: toWindows(windows) });
    const [news, ...more] = publishAlerts([reported('a', one), reported('b', other)], NOW);
    expect(more).toEqual([]);
    expect(toMinutes(news!)).toEqual(joined);
  });

  it('ignores a source whose period has expired', () => {
    const news = publishAlerts(
      [
        matched('a', '1', { text: LONG, activeWindows: toWindows([[-10, -5]]) }),
        matched('b', '1', { text: LONG, activeWindows: toWindows([[-10, 5]]) }),
      ],
      NOW,
    );
    expect(describeAlerts(news)).toEqual(['b:1 of b']);
  });
});
