import { beforeAll, describe, expect, test } from 'vitest';
import type { StationPunctuality } from '../../../api/contract/site-stations.ts';
import { type StopCounts, sumByStation } from '../../../api/engine/network/sum-by-station.ts';
import { classifyStation, describeStation, stationRadius } from '../../../api/site/view-model/station-punctuality.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { town } from '../engine/live-town.ts';
import { HISTORY_TODAY } from '../history/open-history-app.ts';
import { noHistory, openService } from '../service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

const counts = (stop_id: string, expected: number, observed: number, on_time: number): StopCounts => ({
  feed_source: 'at',
  stop_id,
  expected,
  observed,
  on_time,
});
const station = (observed: number, onTime: number): StationPunctuality => ({
  id: 'at:a',
  name: 'Anger',
  lat: 48,
  lon: 16,
  expected: 2000,
  observed,
  onTime,
});

describe('the counts of stations', () => {
  test('are those of all their platforms, the most observed first', () => {
    const rows = [counts('a', 10, 9, 8), counts('s1', 20, 10, 5), counts('s2', 4, 4, 4)];
    expect(sumByStation(world.timetable, rows)).toEqual([
      { id: 'at:s', name: 'Bahnhof', lat: 48.04, lon: 16.04, expected: 24, observed: 14, onTime: 9 },
      { id: 'at:a', name: 'Anger', lat: 48, lon: 16, expected: 10, observed: 9, onTime: 8 },
    ]);
  });

  test('leave out stops that the timetable lacks, and those without an observed call', () => {
    expect(sumByStation(world.timetable, [counts('gone', 9, 9, 9), counts('k', 9, 0, 0)])).toEqual([]);
  });

  test('are empty before anything is recorded', async () => {
    const app = await openService(world, { clock: fixedClock(HISTORY_TODAY), history: noHistory });
    const { statusCode, body } = await app.inject({ url: '/site/data/punctuality/stations' });
    expect([statusCode, JSON.parse(body)]).toMatchObject([200, { stations: [], count: 0, sql: null }]);
    expect((await app.inject({ url: '/site/data/punctuality/stations?line=1' })).statusCode).toBe(400);
  });
});

describe('a station on the map', () => {
  test.each([
    [29, 29, 'few'],
    [30, 27, 'good'],
    [1000, 895, 'good'],
    [1000, 894, 'warn'],
    [1000, 744, 'bad'],
  ] as const)('with %i calls, %i on time, is %s', (observed, onTime, kind) => {
    expect(classifyStation(station(observed, onTime))).toBe(kind);
  });

  test('has an area that grows with its calls', () => {
    expect(stationRadius(station(10, 0), 1000)).toBeLessThan(stationRadius(station(1000, 0), 1000) / 3);
  });

  test('is described with its denominators', () => {
    expect(describeStation(station(1000, 899), 'de')).toEqual([
      '90 % pünktlich: 899 von 1.000 beobachteten Halten.',
      'Beobachtet wurden 1.000 von 2.000 geplanten Halten.',
    ]);
    expect(describeStation(station(12, 6), 'en')[0]).toBe('6 of 12 observed calls on time: too few to say anything.');
  });
});

test('the page links a stop to its place on the map', async () => {
  const app = await openService(world, { clock: fixedClock(HISTORY_TODAY), history: noHistory });
  expect((await app.inject({ url: '/punctuality/stops' })).body).toContain('id="station-map"');
  expect((await app.inject({ url: '/punctuality' })).body).toContain('href="/punctuality/stops"');
  expect((await app.inject({ url: '/punctuality/stops/at%3As' })).body).not.toContain('undefined');
});
