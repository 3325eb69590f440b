import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import type { HistoryCall } from '../../support/worlds/history-calls.ts';
import { sourceState } from '../../support/worlds/live-world.ts';
import { town } from '../engine/live-town.ts';
import { noHistory, openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';
import { HISTORY_TODAY, openHistoryApp } from './open-history-app.ts';

const lines = ['U1', 'Ö "7", nachts', null];
/** Three days of three lines; the second day has no observations. */
const calls: HistoryCall[] = ['2026-01-13', '2026-01-14', '2026-01-15'].flatMap((day, n) =>
  lines.map((line, position) => ({
    source: 'live',
    day: day as ServiceDate,
    trip: 't1',
    position,
    line,
    product: 'subway',
    operator: position === 0 ? null : 'Ö, "Bus"',
    stop: 'a',
    station: 'a',
    hour: 8 + position,
    delay: n === 1 ? null : 200 * position - 20,
    feed: 'at',
  })),
);

const openApp = () => openHistoryApp(calls);
const openEmpty = async () =>
  openService(await openWorld(town), { clock: fixedClock(HISTORY_TODAY), history: noHistory });

describe('rejects', () => {
  test.each([
    ['from=2026-01-15&to=2026-01-14', 'invalid_parameter', 'from'],
    ['from=2026-01-20', 'invalid_parameter', 'from'],
    ['from=2025-02-29', 'invalid_parameter', 'from'],
    ['to=15.1.2026', 'invalid_parameter', 'to'],
    ['from=2025-01-13&to=2026-01-14', 'period_too_long', undefined],
    ['from=2025-01-18', 'period_too_long', undefined],
    ['source=nobody', 'invalid_parameter', 'source'],
    ['source=vao', 'invalid_parameter', 'source'],
    ['source=*', 'invalid_parameter', 'source'],
    ['source=', 'invalid_parameter', 'source'],
    ['line=', 'invalid_parameter', 'line'],
    ['line=U1&line=U2', 'invalid_parameter', 'line'],
    ['operator=', 'invalid_parameter', 'operator'],
    ['operator=a&operator=b', 'invalid_parameter', 'operator'],
    ['day=2026-01-15', 'unknown_parameter', 'day'],
  ] as const)('?%s', async (query, code, parameter) => {
    for (const app of [await openApp(), await openEmpty()]) {
      for (const family of ['v1', 'v2']) {
        expectProblem(await app.inject({ url: `/${family}/history?${query}` }), code, parameter);
      }
    }
  });

  test.each([
    ['/v1/history?stopId=at:a', 'unknown_parameter', 'stopId'],
    ['/v1/history?format=json', 'invalid_parameter', 'format'],
    ['/v1/history?table=stops', 'invalid_parameter', 'table'],
    ['/v2/history?format=csv', 'unknown_parameter', 'format'],
    ['/v2/history?stopId=at:nowhere', 'unknown_stop', 'stopId'],
    ['/v2/history?stopId=live:a', 'unknown_stop', 'stopId'],
  ] as const)('%s', async (url, code, parameter) => {
    for (const app of [await openApp(), await openEmpty()]) expectProblem(await app.inject({ url }), code, parameter);
  });

  test('a stop while there is no timetable to look it up in', async () => {
    const world = await openWorld(town);
    const app = await openService(world, { overrides: { snapshots: { current: () => null } } });
    expectProblem(await app.inject({ url: '/v2/history?stopId=at:a' }), 'timetable_unavailable');
    expect((await app.inject({ url: '/v2/history' })).statusCode).toBe(200);
  });
});

test.each(['city_transit', 'trias', 'stmk_gtfs_rt', 'live', 'configured'])('accepts source %s', async (source) => {
  const app = await openHistoryApp(calls, { sources: ['configured', 'vao'] });
  for (const family of ['v1', 'v2']) {
    expect((await app.inject({ url: `/${family}/history?source=${source}` })).statusCode).toBe(200);
  }
  expectProblem(await app.inject({ url: '/v1/history?source=vao' }), 'invalid_parameter', 'source');
});

test('accepts a polled source that is not configured if it permits recording', async () => {
  // Like an older snapshot, which does not record whether its data may be stored.
  const { archive: _, ...before } = sourceState('before');
  const realtimeSources = [
    sourceState('kept'),
    sourceState('shown', { archive: 'none' }),
    before as RealtimeSourceState,
  ];
  const clock = fixedClock(HISTORY_TODAY);
  const app = await openService(await openWorld(town), { clock, history: noHistory, realtimeSources });
  const query = async (source: string) => (await app.inject({ url: `/v1/history?source=${source}` })).statusCode;
  expect([await query('kept'), await query('shown'), await query('before')]).toEqual([200, 400, 400]);
});

describe('before anything was recorded', () => {
  test('every period is empty', async () => {
    const app = await openEmpty();
    const period = { from: '2026-01-01', to: '2026-01-02' };
    const definition = noHistory.definition;
    const counts = { events: 0, observed: 0, expected: 0, cancelled: 0, replaced: 0 };
    const shares = { onTimeShare: null, earlyShare: null, avgDelayMin: null, late10Share: null };
    const v1 = await app.inject({ url: '/v1/history?from=2026-01-01&to=2026-01-02' });
    expect(v1.json()).toEqual({
      period,
      definition: { name: 'observed', ...definition, derivedShare: null, forecastShare: null },
      totals: { ...counts, ...shares },
      officialRealtime: { daily: [], lines: [], heatmap: [] },
    });
    const v2 = await app.inject({ url: '/v2/history?from=2026-01-01&to=2026-01-02' });
    const generatedAt = '2026-01-20T09:00:00+01:00';
    expect(v2.json()).toEqual({ generatedAt, period, definition, totals: counts, daily: [], lines: [], heatmap: [] });
    expect(v1.headers['data-version']).toBeUndefined();
  });

  test('tables are empty, with their columns', async () => {
    const app = await openEmpty();
    const query = async (format: string) => app.inject({ url: `/v1/history?table=heatmap&format=${format}` });
    expect((await query('csv')).body).toBe('dow,hour,events,avg_delay_min\r\n');
    const arrow = tableFromIPC((await query('arrow')).rawPayload);
    expect([arrow.numRows, arrow.schema.names]).toEqual([0, ['dow', 'hour', 'events', 'avg_delay_min']]);
  });
});

describe('tables', () => {
  const ARROW = 'application/vnd.apache.arrow.stream';
  /** The fields of a CSV file without line breaks inside them. */
  const parseCsv = (text: string) =>
    text
      .split('\r\n')
      .slice(0, -1)
      .map((line) =>
        [...`${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/gy)].map(
          ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
        ),
      );

  test.each(['daily', 'lines', 'heatmap'] as const)('%s are the same in JSON, CSV and Arrow', async (table) => {
    const app = await openApp();
    const json: Record<string, unknown>[] = (await app.inject({ url: '/v1/history' })).json().officialRealtime[table];
    expect(json.length).toBeGreaterThan(1);
    const names = Object.keys(json[0]!);
    const csv = await app.inject({ url: `/v1/history?table=${table}&format=csv` });
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(parseCsv(csv.body)).toEqual([
      names,
      ...json.map((row) => Object.values(row).map((value) => String(value ?? ''))),
    ]);
    const arrow = await app.inject({ url: `/v1/history?table=${table}&format=arrow` });
    expect(arrow.headers['content-type']).toBe(ARROW);
    const read = tableFromIPC(arrow.rawPayload);
    expect(read.schema.names).toEqual(names);
    const rows = read.toArray().map((row) => {
      const { day, ...rest } = row.toJSON();
      return day === undefined ? rest : { day: new Date(day).toISOString().slice(0, 10), ...rest };
    });
    expect(rows).toEqual(json);
  });

  test.each([
    ['', undefined, 'application/json'],
    ['', '*/*', 'application/json'],
    ['', 'text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['', 'text/csv', 'text/csv; charset=utf-8'],
    ['', 'text/*', 'text/csv; charset=utf-8'],
    ['', ARROW, ARROW],
    ['', `${ARROW}, */*`, ARROW],
    ['', 'text/csv;q=0.2, application/json;q=0.9', 'application/json'],
    ['', 'image/png', 'application/json'],
    ['format=csv', ARROW, 'text/csv; charset=utf-8'],
    ['format=arrow', 'application/json', ARROW],
    ['table=lines', 'application/json', 'application/json'],
  ])('answers ?%s with Accept %s with %s', async (query, accept, mediaType) => {
    const app = await openApp();
    const headers = accept === undefined ? {} : { accept };
    const answer = await app.inject({ url: `/v1/history?${query}`, headers });
    expect([answer.headers['content-type'], answer.headers.vary]).toEqual([mediaType, 'Accept']);
  });
});

describe('caching', () => {
  test('states how long responses are valid, and of which history', async () => {
    const app = await openApp();
    const answer = await app.inject({ url: '/v1/history' });
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=600',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'data-version': expect.stringMatching(/^[0-9a-f]{16}$/),
      vary: 'Accept',
      'access-control-allow-origin': '*',
    });
    const again = await app.inject({ url: '/v1/history', headers: { 'if-none-match': answer.headers.etag! } });
    expect([again.statusCode, again.body, again.headers.vary]).toEqual([304, '', 'Accept']);
  });

  test('tags differ between formats, tables and queries', async () => {
    const app = await openApp();
    const tags = new Set<unknown>();
    const all = [
      '/v1/history',
      '/v2/history',
      '/v1/history?format=csv',
      '/v1/history?line=U1',
      '/v1/history?operator=U1',
      '/v1/history?table=lines',
    ];
    for (const url of all) tags.add((await app.inject({ url })).headers.etag);
    for (const accept of ['text/csv', 'application/vnd.apache.arrow.stream']) {
      tags.add((await app.inject({ url: '/v1/history', headers: { accept } })).headers.etag);
    }
    expect(tags.size).toBe(all.length + 2);
  });

  test('only queries for a stop depend on the timetable', async () => {
    const app = await openApp();
    const versionOf = async (url: string) => (await app.inject({ url })).headers['data-version'];
    const plain = await versionOf('/v2/history');
    const { manifest } = (await openWorld(town)).timetable;
    expect(await versionOf('/v2/history?stopId=at:a')).toBe(`${plain}.${manifest.id}`);
  });

  test('a default period moves with the day, a fixed one does not', async () => {
    const clock = fixedClock('2026-01-20T22:59:59Z');
    const app = await openHistoryApp(calls, { clock });
    const query = async (url: string) => {
      const { headers, json } = await app.inject({ url });
      return { tag: headers.etag, to: json().period.to };
    };
    const fixed = '/v2/history?from=2026-01-01&to=2026-01-15';
    const before = [await query('/v1/history'), await query(fixed)];
    expect(before[0]!.to).toBe('2026-01-19');
    // Midnight in Austria.
    clock.set('2026-01-20T23:00:00Z');
    const after = [await query('/v1/history'), await query(fixed)];
    expect(after[0]!.to).toBe('2026-01-20');
    expect(after[0]!.tag).not.toBe(before[0]!.tag);
    expect(after[1]).toEqual(before[1]);
  });
});

test('v2 reports when the numbers were built, and days without an observed call without a share', async () => {
  const app = await openApp();
  const { generatedAt, daily } = (await app.inject({ url: '/v2/history' })).json();
  expect(generatedAt).toBe('2026-01-20T05:00:00+01:00');
  expect(daily).toEqual([
    { day: '2026-01-13', events: 3, onTimeShare: 2 / 3 },
    { day: '2026-01-14', events: 0 },
    { day: '2026-01-15', events: 3, onTimeShare: 2 / 3 },
  ]);
});
