import { describe, expect, test } from 'vitest';
import type { PunctualityData, PunctualityShares } from '../../../api/contract/site-charts.ts';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { runShownSql } from '../../support/checks/shown-sql.ts';
import {
  chooseCalls,
  clockOf,
  countCalls,
  groupCalls,
  type HistoryCall,
  type HistoryQueryInput,
} from '../../support/worlds/history-calls.ts';
import { openHistoryApp, publishOnce } from '../history/open-history-app.ts';
import { calls, lines, PERIOD, urlOf } from './punctuality-week.ts';

const open = (hasOtherDefinition = false) => openHistoryApp(calls, { hasOtherDefinition });

const questions: readonly [name: string, query: Record<string, string>, input: Partial<HistoryQueryInput>][] = [
  ['everything', {}, {}],
  ['one source', { source: 'trias' }, { source: 'trias' }],
  ['a line with quotes', { line: lines[1]! }, { line: lines[1]! }],
  ['a line that looks like a parameter', { line: lines[2]! }, { line: lines[2]! }],
  ['an operator', { operator: 'Ö, "Bus"' }, { operator: 'Ö, "Bus"' }],
  ['a line of an operator', { line: 'U1', operator: 'Ö, "Bus"' }, { line: 'U1', operator: 'Ö, "Bus"' }],
  ['a stop', { stopId: 'at:a' }, { stops: ['a'] }],
  ['a station', { stopId: 'at:s', line: 'U1' }, { stops: ['s1', 's2'], line: 'U1' }],
];

function countShares(chosen: readonly HistoryCall[]): Partial<PunctualityShares> {
  const { expected, observed, cancelled, onTime, early, late10, delaySum } = countCalls(chosen);
  return {
    expected,
    observed,
    cancelled,
    on_time: onTime,
    early,
    late10,
    delay_sum_seconds: delaySum,
    coverage: expected === 0 ? null : observed / expected,
    on_time_share: observed === 0 ? null : onTime / observed,
    mean_delay_seconds: observed === 0 ? null : delaySum / observed,
  };
}

/** @see https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval */
function expectWilson({ on_time: k, observed: n, on_time_low: low, on_time_high: high }: PunctualityShares): void {
  expect([low, high].includes(null)).toBe(n === 0);
  if (n === 0) return;
  const z = 1.96;
  for (const bound of [low!, high!]) {
    expect((k / n - bound) ** 2).toBeCloseTo((z * z * bound * (1 - bound)) / n, 12);
  }
  expect(low!).toBeLessThanOrEqual(high!);
}

describe('the numbers of the page', () => {
  test.each(questions)('equal an independent count: %s', async (_name, query, input) => {
    const app = await open();
    const data: PunctualityData = (await app.inject({ url: urlOf(query) })).json();
    const chosen = chooseCalls(calls, { ...PERIOD, ...input });
    expect(data.period).toEqual(PERIOD);
    expect(data.totals).toMatchObject(countShares(chosen));
    const days = Array.from({ length: 7 }, (_, n) => addDays(PERIOD.from as ServiceDate, n));
    expect(data.days.map(({ day }) => day)).toEqual(days);
    for (const day of data.days) {
      expect(day).toMatchObject(countShares(chosen.filter((call) => call.day === day.day)));
      expectWilson(day);
    }
    const seen = chosen.filter(({ delay, isCancelled }) => delay !== null && !isCancelled);
    const cells = groupCalls(seen, (call) => JSON.stringify(Object.values(clockOf(call)).map((n) => 100 + n)));
    expect(data.hours.map(({ dow, hour, observed, mean_delay_seconds: mean }) => [dow, hour, observed, mean])).toEqual(
      cells.map(([, group]) => {
        const { dow, hour } = clockOf(group[0]!);
        return [dow, hour, group.length, countCalls(group).delaySum / group.length];
      }),
    );
    const minutes = groupCalls(seen, ({ delay }) => String(5000 + Math.floor(delay! / 60)));
    expect(data.delays?.map(({ delay_minutes: minute, observed }) => [minute, observed]) ?? null).toEqual(
      input.stops ? null : minutes.map(([key, group]) => [Number(key) - 5000, group.length]),
    );
    const listed = [...data.lines.worst, ...data.lines.best];
    expect(listed).toHaveLength(data.lines.count);
    for (const line of listed) {
      expect(line).toMatchObject(countShares(chosen.filter((call) => call.line === line.line)));
      expectWilson(line);
    }
  });

  test.each(questions)('equal the results of their SQL to the last digit: %s', async (_name, query) => {
    const app = await open(true);
    for (const definition of ['330/600', '180/300']) {
      const data: PunctualityData = (await app.inject({ url: urlOf({ ...query, definition }) })).json();
      const { totals, days, hours, delays, sql } = data;
      const dataDir = await publishOnce(calls, true);
      const names = ['totals', 'days', 'hours', 'lines', 'delays'] as const;
      const shown = names.filter((name) => sql[name] !== undefined);
      const results = await runShownSql(
        dataDir,
        shown.map((name) => sql[name]!),
      );
      const lineRows = (await app.inject({ url: urlOf({ ...query, definition, table: 'lines' }) })).json().rows;
      const answered = { totals: [totals], days, hours, lines: lineRows, delays };
      for (const [i, name] of shown.entries()) expect([name, results[i]]).toEqual([name, answered[name]]);
      expect(shown).toHaveLength(query.stopId === undefined ? 5 : 4);
    }
  });
});
