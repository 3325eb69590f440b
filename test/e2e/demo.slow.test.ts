import { once } from 'node:events';
import { expect, test } from 'vitest';
import type {
  Board,
  DisruptionList,
  V1History,
  V1Metro,
  V1Status,
  VehicleSnapshot,
} from '../../api/contract/definitions.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../pipeline/model/metro-stations.ts';
import { PATIENCE_MILLISECONDS, request, requestUntil, startDemo } from '../support/fakes/running-demo.ts';

test(
  'the demo starts with an empty folder, shows boards, vehicles and alerts of its upstreams, builds its history, and stops gracefully',
  async () => {
    const { url, child } = await startDemo();
    const isFresh = (status: V1Status) =>
      ['stmk_gtfs_rt', 'wien_gtfs_rt', 'austria_gtfs_rt', 'city_transit', 'trias', 'vao'].every((id) =>
        status.sources.some((source) => source.id === id && source.status === 'fresh'),
      );
    const status = await requestUntil<V1Status>(`${url}/v1/status`, 'V1Status', isFresh);
    const areas = Object.fromEntries(status.components.map((component) => [component.id, component.status]));
    expect(areas).toMatchObject({
      departures: 'operational',
      map: 'operational',
      // Disruptions of the city are polled after its boards, fifteen seconds apart.
      disruptions: expect.stringMatching(/^(operational|degraded)$/),
      vehiclePositions: 'operational',
    });

    // No real operator is credited for simulated data, and every source has a credit.
    for (const { attribution } of status.sources) expect(attribution).toMatch(/^fictional/);
    for (const page of ['/', '/punctuality', '/openapi.json', '/docs/json']) {
      const text = await (await fetch(url + page, { headers: { 'accept-language': 'en' } })).text();
      expect(text).toContain('Timetable, delays, disruptions, vehicles and history are made up');
      expect(text).not.toContain('Wiener Linien, data');
    }

    const search = await request<{ stops: { id: string }[] }>(`${url}/v2/stops?query=praterstern&limit=1`, 'StopList');
    const stop = encodeURIComponent(search.stops[0]!.id);
    const hasLive = ({ departures }: Board) => departures.some(({ departure }) => departure.isRealtime);
    const board = await requestUntil<Board>(
      `${url}/v2/stops/${stop}/departures?durationMinutes=1440`,
      'Board',
      hasLive,
    );
    const live = board.departures.find(({ departure }) => departure.isRealtime)!;
    await request(`${url}/v2/journeys/${live.journeyRef}`, 'Journey');

    // At night there may be no vehicles; every vehicle has a position.
    const { source } = await request<VehicleSnapshot>(`${url}/v2/vehicles`, 'VehicleSnapshot');
    expect(source).toBe('measurementSnapshot');
    const { disruptions } = await requestUntil<DisruptionList>(
      `${url}/v2/disruptions`,
      'DisruptionList',
      ({ total }) => total > 0,
    );
    expect(disruptions.every(({ text }) => !/<|&[a-z]+;/.test(text))).toBe(true);
    // Requests to the source are fifteen seconds apart; the first one is for the first stations.
    const [station] = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
    const metro = `${url}/v1/city-transit/metro?diva=${station!.diva}`;
    await requestUntil<V1Metro>(metro, 'V1Metro', (answer) => answer.status === 'ok');

    // Past days are generated while it already serves, the newest first.
    const past = await requestUntil<V1History>(
      `${url}/v1/history`,
      'V1History',
      ({ totals }) => totals.events > 0,
      2000,
    );
    expect(past.totals.onTimeShare).toBeGreaterThan(0.9);
    expect(past.totals.cancelled).toBeGreaterThan(0);

    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  },
  2 * PATIENCE_MILLISECONDS,
);
