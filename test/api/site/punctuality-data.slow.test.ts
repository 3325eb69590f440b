import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import type { PunctualityData } from '../../../api/contract/site-charts.ts';
import type { StationsPunctuality } from '../../../api/contract/site-stations.ts';
import type { TripRecord } from '../../../api/contract/site-trip-record.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { town } from '../engine/live-town.ts';
import { HISTORY_TODAY, openHistoryApp } from '../history/open-history-app.ts';
import { noHistory, openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';
import { calls, DATA_URL, lines, PERIOD, urlOf } from './punctuality-week.ts';

const open = (hasOtherDefinition = false) => openHistoryApp(calls, { hasOtherDefinition });

test('lists the definitions of the marts, the default first; others count differently', async () => {
  const app = await open(true);
  const usual: PunctualityData = (await app.inject({ url: urlOf({}) })).json();
  expect(usual.definitions.map(({ id }) => id)).toEqual(['330/600', '180/300', '330/600/lastForecast']);
  const other: PunctualityData = (await app.inject({ url: urlOf({ definition: '180/300' }) })).json();
  expect(other.definition).toMatchObject({ id: '180/300', onTimeMaxDelaySeconds: 180 });
  expect(other.totals!.observed).toBe(usual.totals!.observed);
  expect(other.totals!.on_time).toBeLessThan(usual.totals!.on_time);
});

test('counts each station of the map like the charts of that station', async () => {
  const app = await open();
  const { stations }: StationsPunctuality = (
    await app.inject({ url: `${DATA_URL}/stations?from=${PERIOD.from}&to=${PERIOD.to}` })
  ).json();
  expect(stations.map(({ id }) => id).sort()).toEqual(['at:a', 'at:s']);
  for (const { id, expected, observed, onTime } of stations) {
    const { totals }: PunctualityData = (await app.inject({ url: urlOf({ stopId: id }) })).json();
    expect([totals!.expected, totals!.observed, totals!.on_time]).toEqual([expected, observed, onTime]);
  }
});

describe('refused is', () => {
  test.each([
    ['from=2026-01-15&to=2026-01-14', 'invalid_parameter', 'from'],
    ['from=2025-01-13&to=2026-01-14', 'period_too_long', undefined],
    ['to=yesterday', 'invalid_parameter', 'to'],
    ['source=nobody', 'invalid_parameter', 'source'],
    ['line=', 'invalid_parameter', 'line'],
    ['stopId=at:nowhere', 'unknown_stop', 'stopId'],
    ['definition=5min', 'invalid_parameter', 'definition'],
    ['definition=60/120', 'invalid_parameter', 'definition'],
    ['definition=330/600/forecast', 'invalid_parameter', 'definition'],
    ['table=stops', 'invalid_parameter', 'table'],
    ['table=days&format=xlsx', 'invalid_parameter', 'format'],
    ['format=csv', 'invalid_parameter', undefined],
    ['day=2026-01-15', 'unknown_parameter', 'day'],
  ] as const)('?%s', async (query, code, parameter) => {
    const empty = await openService(await openWorld(town), { clock: fixedClock(HISTORY_TODAY), history: noHistory });
    for (const app of [await open(), empty]) {
      const answer = await app.inject({ url: `${DATA_URL}?${query}` });
      if (parameter === undefined) expect(answer.json().code).toBe(code);
      else expectProblem(answer, code, parameter);
    }
  });
});

describe('a table', () => {
  test.each(['totals', 'days', 'hours', 'lines', 'delays'] as const)(
    '%s is the same as JSON, CSV and Parquet',
    async (table) => {
      const app = await open();
      const { rows } = (await app.inject({ url: urlOf({ table }) })).json();
      expect(rows.length).toBeGreaterThan(0);
      const csv = await app.inject({ url: urlOf({ table, format: 'csv' }) });
      expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
      const [head, ...body] = csv.body.trimEnd().split('\r\n');
      expect(head).toBe(Object.keys(rows[0]).join(','));
      expect(body).toHaveLength(rows.length);
      const parquet = await app.inject({ url: urlOf({ table, format: 'parquet' }) });
      expect(parquet.headers['content-type']).toBe('application/vnd.apache.parquet');
      const read = await parquetReadObjects({
        file: Uint8Array.from(parquet.rawPayload).buffer,
      });
      const plain = (value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value instanceof Date ? value.toISOString().slice(0, 10) : value;
      expect(
        read.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))),
      ).toEqual(rows);
    },
  );
});

test('is empty before anything is recorded, while tables have their columns', async () => {
  const app = await openService(await openWorld(town), { clock: fixedClock(HISTORY_TODAY), history: noHistory });
  const data: PunctualityData = (await app.inject({ url: DATA_URL })).json();
  expect(data).toMatchObject({ recorded: null, totals: null, days: [], hours: [], delays: [], sql: {} });
  const csv = await app.inject({ url: `${DATA_URL}?table=delays&format=csv` });
  expect(csv.body).toBe('delay_minutes,observed,share\r\n');
});

test('a period without recorded data returns days without data, not an error', async () => {
  const app = await open();
  const data: PunctualityData = (await app.inject({ url: `${DATA_URL}?from=2025-06-01&to=2025-06-03` })).json();
  expect(data.days.map(({ day, expected, coverage }) => [day, expected, coverage])).toEqual([
    ['2025-06-01', 0, null],
    ['2025-06-02', 0, null],
    ['2025-06-03', 0, null],
  ]);
  expect([data.totals?.observed, data.totals?.on_time_share, data.hours, data.delays]).toEqual([0, null, [], []]);
});

test('the page and the picture of a line state the shares of the data', async () => {
  const app = await open();
  const line = lines[1]!;
  const { totals }: PunctualityData = (await app.inject({ url: urlOf({ line }) })).json();
  const picture = await app.inject({ url: `${DATA_URL}/picture?language=en&line=${encodeURIComponent(line)}` });
  expect([picture.statusCode, totals!.observed > 0]).toEqual([200, true]);
  expect(picture.body).toContain('too few to say anything');
  const page = await app.inject({ url: `/punctuality/lines/${encodeURIComponent(line)}?lang=en` });
  expect(page.body).toContain(`Of ${totals!.expected} scheduled stops`);
});

test('the page and the picture of a train number state the days of the data', async () => {
  const app = await open();
  const { counts, days, operator }: TripRecord = (
    await app.inject({ url: `${DATA_URL}/trip?number=U1%20662&from=${PERIOD.from}&to=${PERIOD.to}` })
  ).json();
  const own = calls.filter(({ line }) => line === 'U1');
  expect([days.map(({ day }) => day), operator]).toEqual([[...new Set(own.map(({ day }) => day))], '']);
  const finals = days.map(({ day }) => own.findLast((call) => call.day === day && call.delay !== null)?.delay ?? null);
  expect(days.map(({ finalDelaySeconds }) => finalDelaySeconds)).toEqual(finals);
  expect(days[0]).toMatchObject({ departure: '07:00', from: 'Stop a', to: 'Stop s2', scheduled: 3 });
  const known = counts.onTime + counts.late;
  expect(known).toBe(finals.filter((delay) => delay !== null).length);
  const page = await app.inject({ url: '/punctuality/trips/U1%20662?lang=en' });
  expect(page.body).toContain(`U1 662 was on time on ${counts.onTime} of ${known} days.`);
  const picture = await app.inject({ url: `${DATA_URL}/picture?language=en&number=U1%20662` });
  expect(picture.body).toContain(`on time on ${counts.onTime} of ${known} days`);
  const unknown = await app.inject({ url: '/punctuality/trips/none?lang=en' });
  expect([unknown.statusCode, unknown.body.includes('Nothing was recorded for none')]).toEqual([200, true]);
});
