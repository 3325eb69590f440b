import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { History, V1History } from '../../../api/contract/definitions.ts';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { inWordsOfV1, recount, recountDefinition } from '../../support/oracles/history-recount.ts';
import { arbitraryCalls, arbitraryHistoryQuery, callSources } from '../../support/worlds/arbitrary-calls.ts';
import { historyCall } from '../../support/worlds/history-calls.ts';
import { testDefinition } from '../../support/worlds/history-world.ts';
import { historyUrl, openHistoryApp } from './open-history-app.ts';

const day = (text: string) => text as ServiceDate;

const manyQueries = fc.array(arbitraryHistoryQuery, { minLength: 3, maxLength: 6 });

describe('numbers', () => {
  test('match an independent count for any query', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls, manyQueries, fc.boolean(), async (calls, all, hasOtherDefinition) => {
        const app = await openHistoryApp(calls, { sources: callSources, hasOtherDefinition });
        for (const query of all) {
          const counted = recount(calls, query);
          const v1 = (await app.inject({ url: historyUrl('v1', query) })).json();
          await expectValidAnswer('V1History', v1);
          const period = { from: query.from, to: query.to };
          const definition = { ...testDefinition, ...recountDefinition(calls, query, 'observed') };
          expect(v1).toEqual({ period, definition, ...counted });
          const v2 = (await app.inject({ url: historyUrl('v2', query) })).json();
          await expectValidAnswer('History', v2);
          expect(v2.period).toEqual(period);
          const { derivedShare } = definition;
          expect(v2.definition).toEqual({ ...testDefinition, ...(derivedShare === null ? {} : { derivedShare }) });
          expect(inWordsOfV1(v2)).toEqual(counted);
          if (!hasOtherDefinition) continue;
          const last = (await app.inject({ url: `${historyUrl('v1', query)}&definition=lastForecast` })).json();
          await expectValidAnswer('V1History', last);
          expect(last).toEqual({
            period,
            definition: { ...testDefinition, ...recountDefinition(calls, query, 'lastForecast') },
            ...recount(calls, query, 'lastForecast'),
          });
        }
      }),
      { numRuns: 4 },
    );
  });

  test.each([
    ['at:a', ['a']],
    ['at:s1', ['s1']],
    ['at:s', ['s1', 's2']],
    ['at:k', []],
  ])('of stop %s are those of its platforms, for any query', async (stopId, stops) => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls, manyQueries, fc.boolean(), async (calls, all, hasOtherDefinition) => {
        const app = await openHistoryApp(calls, { sources: callSources, hasOtherDefinition });
        for (const query of all) {
          const v2 = (await app.inject({ url: historyUrl('v2', { ...query, stopId }) })).json();
          await expectValidAnswer('History', v2);
          expect(inWordsOfV1(v2)).toEqual(recount(calls, { ...query, stops }));
        }
      }),
      { numRuns: 1 },
    );
  });
});

test.each([false, true])(
  'of whole months are the sums of their days; other limits beside them: %s',
  async (isBeside) => {
    const dates = ['2025-10-31', '2025-11-01', '2025-11-30', '2025-12-31', '2026-01-01'];
    const calls = dates.flatMap((date, at) => [
      historyCall({ day: day(date), delay: 60 * at }),
      historyCall({ day: day(date), trip: 't2', line: at % 2 ? 'U2' : null, operator: 'ÖBB', delay: 100 * at }),
      historyCall({ day: day(date), trip: 't3', source: 'trias', line: 'U2', delay: at % 3 ? null : 700 }),
    ]);
    const app = await openHistoryApp(calls, { sources: callSources, hasOtherDefinition: isBeside });
    const periods = [
      ['2025-10-31', '2026-01-01'],
      ['2025-11-01', '2025-12-31'],
      ['2025-11-01', '2025-12-30'],
      ['2025-11-02', '2025-12-31'],
      ['2025-12-01', '2025-12-31'],
      ['2025-12-02', '2025-12-31'],
      ['2025-11-15', '2025-11-30'],
    ] as const;
    for (const [from, to] of periods) {
      for (const filter of [{}, { source: 'trias' }, { line: 'U2' }, { operator: 'ÖBB' }]) {
        const query = { from, to, ...filter };
        const v1 = (await app.inject({ url: historyUrl('v1', query) })).json();
        expect(v1, JSON.stringify(query)).toMatchObject(recount(calls, query));
      }
    }
  },
);

describe('limits', () => {
  const delays: readonly [delay: number, shares: object][] = [
    [-61, { onTimeShare: 1, earlyShare: 1, late10Share: 0 }],
    [-60, { onTimeShare: 1, earlyShare: 1, late10Share: 0 }],
    [-59, { onTimeShare: 1, earlyShare: 0, late10Share: 0 }],
    [-1, { onTimeShare: 1, earlyShare: 0, late10Share: 0 }],
    [0, { onTimeShare: 1, earlyShare: 0, late10Share: 0 }],
    [329, { onTimeShare: 1, earlyShare: 0, late10Share: 0 }],
    [330, { onTimeShare: 0, earlyShare: 0, late10Share: 0 }],
    [599, { onTimeShare: 0, earlyShare: 0, late10Share: 0 }],
    [600, { onTimeShare: 0, earlyShare: 0, late10Share: 1 }],
  ];
  // Each on a separate day, so that one service answers all.
  const dayOf = (index: number) => addDays(day('2026-01-10'), index);
  test('of a delay, to the second', async () => {
    const app = await openHistoryApp(delays.map(([delay], index) => historyCall({ delay, day: dayOf(index) })));
    for (const [index, [delay, shares]] of delays.entries()) {
      const date = dayOf(index);
      const { totals } = (await app.inject({ url: `/v1/history?from=${date}&to=${date}` })).json();
      expect(totals, `a delay of ${delay} s`).toMatchObject({ observed: 1, ...shares });
    }
  });

  test('both rates are available: of observed calls, and with cancelled calls counted as not on time', async () => {
    const app = await openHistoryApp([
      ...[0, 100, 400].map((delay, position) => historyCall({ delay, position })),
      historyCall({ position: 3, delay: null, isCancelled: true, isReplaced: true }),
      historyCall({ position: 4, delay: null }),
    ]);
    const { totals } = (await app.inject({ url: '/v1/history' })).json();
    expect(totals).toMatchObject({ expected: 5, observed: 3, cancelled: 1, replaced: 1, onTimeShare: 2 / 3 });
    const onTime = Math.round(totals.onTimeShare * totals.observed);
    expect(onTime / (totals.observed + totals.cancelled)).toBe(0.5);
  });

  test('a call after midnight has the weekday of the clock and the service date of its trip', async () => {
    const app = await openHistoryApp([historyCall({ hour: 25, delay: 60 })]);
    const { daily, heatmap } = (await app.inject({ url: '/v2/history' })).json();
    expect(daily).toEqual([{ day: '2026-01-15', events: 1, onTimeShare: 1 }]);
    // The fifteenth is a Thursday.
    expect(heatmap).toEqual([{ isoWeekday: 5, hour: 1, events: 1, avgDelayMinutes: 1 }]);
  });

  test('two sources that report one call count twice, or once with a source filter', async () => {
    const app = await openHistoryApp([
      historyCall({ source: 'live', delay: null }),
      historyCall({ source: 'trias', delay: 700 }),
    ]);
    const totalsOf = async (query: string) => (await app.inject({ url: `/v1/history${query}` })).json().totals;
    expect(await totalsOf('')).toMatchObject({ expected: 1, observed: 1, late10Share: 1 });
    expect(await totalsOf('?source=live')).toMatchObject({ expected: 1, observed: 0, late10Share: null });
    expect(await totalsOf('?source=trias')).toMatchObject({ expected: 1, observed: 1 });
  });
});

describe('lines with one label', () => {
  const named = (operator: string | null, product: string | null, delay: number, hour = 8) =>
    historyCall({ trip: `${operator} ${product} ${hour}`, line: 'S1', operator, product, delay, hour });
  const calls = [
    named('Wien', 'sBahn', 0),
    named('Wien', 'sBahn', 400, 9),
    named('Graz', 'sBahn', 700),
    named('Graz', 'bus', 60),
    named(null, null, -90),
    historyCall({ trip: 'other', line: 'U1', operator: 'Wien', delay: 10 }),
  ];
  const rowsOf = async (query: string) => {
    const app = await openHistoryApp(calls);
    const v1: V1History = (await app.inject({ url: `/v1/history?${query}` })).json();
    const v2: History = (await app.inject({ url: `/v2/history?${query}` })).json();
    expect(inWordsOfV1(v2).officialRealtime).toEqual(v1.officialRealtime);
    const sum = v1.officialRealtime.lines.reduce((events, line) => events + line.events, 0);
    const cells = v1.officialRealtime.heatmap.reduce((events, cell) => events + cell.events, 0);
    expect([sum, cells]).toEqual([v1.totals.events, v1.totals.events]);
    return v1.officialRealtime.lines.map(({ line, product, operator, events }) => [line, product, operator, events]);
  };

  test.each([
    [
      'line=S1',
      [
        ['S1', null, null, 1],
        ['S1', 'bus', 'Graz', 1],
        ['S1', 'sBahn', 'Graz', 1],
        ['S1', 'sBahn', 'Wien', 2],
      ],
    ],
    ['line=S1&operator=Wien', [['S1', 'sBahn', 'Wien', 2]]],
    [
      'operator=Wien',
      [
        ['S1', 'sBahn', 'Wien', 2],
        ['U1', 'subway', 'Wien', 1],
      ],
    ],
    ['operator=wien', []],
  ])('?%s', async (query, rows) => {
    expect(await rowsOf(query)).toEqual(rows);
  });

  test('are distinguished in v2 by members that are present where known', async () => {
    const app = await openHistoryApp(calls);
    const { lines } = (await app.inject({ url: '/v2/history?line=S1' })).json() as History;
    expect(lines.map((line) => [line.operator, 'operator' in line, 'product' in line])).toEqual([
      [undefined, false, false],
      ['Graz', true, true],
      ['Graz', true, true],
      ['Wien', true, true],
    ]);
  });
});

describe('periods', () => {
  const calls = [-91, -90, -89, -31, -30, -29, -1, 0].map((days) =>
    historyCall({ day: addDays(day('2026-01-20'), days) }),
  );
  const wide = [...calls, historyCall({ day: day('2025-01-19') }), historyCall({ day: day('2025-01-18') })];

  const cases: readonly [url: string, from: string, to: string, observed: number][] = [
    ['/v1/history', '2025-10-22', '2026-01-19', 6],
    ['/v2/history', '2025-12-21', '2026-01-19', 3],
    ['/v1/history?from=2026-01-19', '2026-01-19', '2026-01-19', 1],
    ['/v2/history?from=2025-12-20', '2025-12-20', '2026-01-19', 4],
    ['/v1/history?to=2026-01-18', '2025-10-21', '2026-01-18', 6],
    ['/v2/history?to=2026-01-20', '2025-12-22', '2026-01-20', 3],
    ['/v1/history?from=2025-01-19&to=2026-01-19', '2025-01-19', '2026-01-19', 8],
    ['/v2/history?from=2025-01-18&to=2025-01-18', '2025-01-18', '2025-01-18', 1],
    ['/v1/history?from=2027-01-01&to=2027-01-31', '2027-01-01', '2027-01-31', 0],
  ];
  test('have defaults, and contain calls of their days only', async () => {
    const app = await openHistoryApp(wide);
    for (const [url, from, to, observed] of cases) {
      const answer = (await app.inject({ url })).json();
      expect([answer.period, answer.totals.observed], url).toEqual([{ from, to }, observed]);
    }
  });
});
