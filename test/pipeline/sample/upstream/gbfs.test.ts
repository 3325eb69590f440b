import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { SHARING_PATH, sharingAnswers } from '../../../../pipeline/sample/upstream/gbfs.ts';
import { createGbfsSource } from '../../../../pipeline/sources/gbfs/gbfs-source.ts';
import type { SourceRequest } from '../../../../pipeline/sources/realtime-source.ts';
import { at } from '../simulator/day-sweep.ts';

const lookups = await readSampleLookups();
const answers = sharingAnswers(lookups);
const HOST = 'localhost:9';
const source = createGbfsSource({
  id: 'musterrad',
  url: `http://${HOST}${SHARING_PATH}/gbfs.json`,
  fileHosts: [],
  language: 'de',
  facts: {},
});
const NOON = at('2026-03-04T12:00:00+01:00');

async function poll(request: SourceRequest, now: Instant) {
  const { pathname, searchParams: query, host } = new URL(request.url);
  const answer = await answers({ method: 'GET', path: pathname, query, host, body: '' }, { at: now, serverTime: now });
  return source.parse(answer!.body, request, now);
}

/** All files of the system at an instant. */
async function pollAll(now: Instant = NOON) {
  const discovery = await poll(source.listRequests(now)[0]!, now);
  return Promise.all(discovery.listedFiles!.map((file) => poll(source.toFileRequest!(file), now)));
}

async function readStock(now: Instant) {
  const reports = (await pollAll(now)).flatMap(({ sharing }) => sharing ?? []);
  const stations = reports.flatMap((report) => (report.kind === 'stations' ? report.stations : []));
  const statuses = reports.flatMap((report) => (report.kind === 'stationStatus' ? report.statuses : []));
  return { stations, statuses };
}

describe('the sharing system of the sample', () => {
  it('publishes files without problems, as fresh as the request', async () => {
    const updates = await pollAll();
    expect(updates.map(({ sharing }) => sharing!.kind)).toEqual([
      'system',
      'vehicleTypes',
      'stations',
      'stationStatus',
    ]);
    expect(updates.flatMap(({ problems }) => problems)).toEqual([]);
    expect(updates.every(({ isFrozen }) => !isFrozen)).toBe(true);
  });

  it('has stations near stops, and all of their stock', async () => {
    const { stations, statuses } = await readStock(NOON);
    expect(stations.length).toBeGreaterThan(200);
    expect(statuses.map(({ stationId }) => stationId)).toEqual(stations.map(({ id }) => id));
    for (const [i, { name, lat, lon, capacity }] of stations.entries()) {
      const { vehicles, docks } = statuses[i]!;
      expect(vehicles[0]!.count + docks![0]!.count, name).toBe(capacity);
      const nearest = lookups.places
        .filter((place) => place.name === name)
        .map((place) => distanceMeters(lat, lon, place.lat, place.lon));
      expect(Math.min(...nearest), name).toBeLessThan(110);
    }
  });

  it('has empty and full stations, and stock that changes slowly', async () => {
    const bikesAt = async (now: Instant) => (await readStock(now)).statuses.map(({ vehicles }) => vehicles[0]!.count);
    const now = await bikesAt(NOON);
    expect(now.filter((bikes) => bikes === 0).length).toBeGreaterThan(3);
    expect(now.filter((bikes) => bikes > 0).length).toBeGreaterThan(100);
    const soon = await bikesAt((NOON + 60) as Instant);
    expect(Math.max(...soon.map((bikes, i) => Math.abs(bikes - now[i]!)))).toBeLessThan(2);
    expect(await bikesAt((NOON + 3600) as Instant)).not.toEqual(now);
  });

  it('knows no other files', async () => {
    const request = { method: 'GET', path: `${SHARING_PATH}/toString.json`, query: new URLSearchParams(), host: HOST };
    expect(await answers({ ...request, body: '' }, { at: NOON, serverTime: NOON })).toBeNull();
  });
});
