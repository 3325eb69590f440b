import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { ArrivalBoard, Board, Journey, Stop, StopInfo, StopList } from '../../api/contract/definitions.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { serviceOptions } from '../api/service-app.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { realData } from '../support/worlds/real-data.ts';

const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };

// A Monday morning in the timetable's first year.
let app: FastifyInstance;
beforeAll(async () => {
  const world = await openWorld({ wien: { location: realData('gtfs/vienna-ubahn.zip') } }, { settings: CITY_SIZE });
  app = await buildApp(serviceOptions(world, { clock: fixedClock('2026-03-16T07:30:00Z') }));
});
afterAll(() => app.close());

/** Requests a valid response, checked against the published schema. */
async function runQuery<Answer>(type: string, url: string): Promise<Answer> {
  const answer = await app.inject({ url });
  expect([url, answer.statusCode]).toEqual([url, 200]);
  await expectValidAnswer(type, answer.json());
  return answer.json() as Answer;
}

async function search(query: string): Promise<readonly Stop[]> {
  return (await runQuery<StopList>('StopList', `/v2/stops?query=${encodeURIComponent(query)}`)).stops;
}

describe('searches', () => {
  test.each([
    ['westbf', 'Westbahnhof'],
    ['Wien Hbf', 'Südtiroler Pl. - Hbf.'],
    ['praterstern', 'Praterstern'],
    ['landstrasse', 'Landstraße'],
    ['Landstraße', 'Landstraße'],
    ['schwedenpl', 'Schwedenplatz'],
    ['stefansplatz', 'Stephansplatz'],
  ])('%s finds %s first', async (query, name) => {
    expect((await search(query))[0]?.name).toBe(name);
  });

  test.each(['xqzjw', 'qqqqqq', '12345678'])('%s finds nothing', async (query) => {
    expect(await search(query)).toEqual([]);
  });
});

describe.each([
  ['Praterstern', ['U1', 'U2'], ['Leopoldau', 'Alaudagasse', 'Oberlaa', 'Seestadt', 'Aspernstraße', 'Schottentor']],
  ['Westbahnhof', ['U3', 'U6'], ['Ottakring', 'Simmering', 'Floridsdorf', 'Siebenhirten']],
])('%s', (name, labels, ends) => {
  let stop: Stop;
  let path: string;
  beforeAll(async () => {
    stop = (await search(name))[0]!;
    path = `/v2/stops/${encodeURIComponent(stop.id)}`;
  });

  test('lists the next thirty departures in order, with line and destination', async () => {
    const board = await runQuery<Board>('Board', `${path}/departures`);
    expect(board.stop).toEqual(stop);
    expect(board.departures.length).toBeGreaterThan(10);
    const times = board.departures.map((row) => Date.parse(row.departure.scheduled!));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(Date.parse('2026-03-16T08:30:00+01:00'));
    expect(times.at(-1)).toBeLessThan(Date.parse('2026-03-16T09:30:00+01:00'));
    expect([...new Set(board.departures.map((row) => row.line.label))].sort()).toEqual(labels);
    for (const { direction } of board.departures) expect(ends).toContain(direction);
    for (const { line } of board.departures) expect(line).toMatchObject({ product: 'subway' });
  });

  test('returns the first ten departures as two pages of five', async () => {
    const ten = await runQuery<Board>('Board', `${path}/departures?limit=10`);
    const one = await runQuery<Board>('Board', `${path}/departures?limit=5`);
    const two = await runQuery<Board>('Board', `${path}/departures?limit=5&pageToken=${one.nextPageToken}`);
    expect([...one.departures, ...two.departures]).toEqual(ten.departures);
  });

  test('arrivals', async () => {
    const board = await runQuery<ArrivalBoard>('ArrivalBoard', `${path}/arrivals?limit=20`);
    expect(board.arrivals).toHaveLength(20);
    for (const { origin } of board.arrivals) expect(origin).not.toBe(stop.name);
    expect([...new Set(board.arrivals.map((row) => row.line.label))].sort()).toEqual(labels);
  });

  test('lists the lines of a stop with their colours', async () => {
    const info = await runQuery<StopInfo>('StopInfo', `${path}/info`);
    expect(info.lines.map((line) => line.label)).toEqual(labels);
    const sign = { colorHex: expect.stringMatching(/^#/), textColorHex: expect.stringMatching(/^#(000000|FFFFFF)$/) };
    for (const line of info.lines) expect(line).toMatchObject(sign);
  });

  test('returns the journey of the first departure, with ascending calls and a path past the stop', async () => {
    const [first] = (await runQuery<Board>('Board', `${path}/departures?limit=1`)).departures;
    const journey = await runQuery<Journey>('Journey', `/v2/journeys/${first!.journeyRef}?stopId=${stop.id}`);
    expect([journey.ref, journey.direction, journey.serviceDate]).toEqual([
      first!.journeyRef,
      first!.direction,
      '2026-03-16',
    ]);
    const here = journey.stops.filter((call) => call.isCurrent);
    expect(here.map((call) => [call.name, call.departure!.scheduled])).toEqual([[name, first!.departure.scheduled]]);
    const times = journey.stops.map((call) => Date.parse((call.arrival ?? call.departure)!.scheduled!));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect([journey.stops[0]!.arrival, journey.stops.at(-1)!.departure]).toEqual([undefined, undefined]);
    const nearest = Math.min(
      ...journey.polyline.map(({ lat, lon }) => Math.hypot(lat - stop.coord!.lat, (lon - stop.coord!.lon) * 0.67)),
    );
    // A thousandth of a degree is about a hundred metres.
    expect(nearest).toBeLessThan(0.003);
  });

  test('nearby: itself first', async () => {
    const { lat, lon } = stop.coord!;
    const { stops } = await runQuery<StopList>('StopList', `/v2/stops/nearby?lat=${lat}&lon=${lon}&radiusMeters=2000`);
    expect(stops[0]).toEqual({ ...stop, distanceMeters: 0 });
    expect(stops.length).toBeGreaterThan(3);
    const distances = stops.map((each) => each.distanceMeters!);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
  });
});
