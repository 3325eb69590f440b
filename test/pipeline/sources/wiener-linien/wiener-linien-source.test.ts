import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../../../pipeline/model/metro-stations.ts';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { createWienerLinienSource } from '../../../../pipeline/sources/wiener-linien/wiener-linien-source.ts';

const NOW = parseTimestamp('2026-05-04T08:00:00+02:00')!;
const BASE = 'https://www.wienerlinien.at/ogd_realtime';
const encode = (answer: object) => new TextEncoder().encode(JSON.stringify(answer));

function listRequestUrls(options: Parameters<typeof createWienerLinienSource>[0]): string[] {
  const requests = createWienerLinienSource(options).listRequests(NOW);
  return requests.map(({ part, method, url, intervalSeconds }) => `${part} ${method} ${url} ${intervalSeconds}`);
}

describe('requests', () => {
  it('combine stations, then request traffic information and news', () => {
    expect(listRequestUrls({ stations: [60209001, 60209002, 60209003], stationsPerRequest: 2 })).toEqual([
      `monitor-1 GET ${BASE}/monitor?diva=60209001&diva=60209002 60`,
      `monitor-2 GET ${BASE}/monitor?diva=60209003 60`,
      `traffic-info GET ${BASE}/trafficInfoList 120`,
      `news GET ${BASE}/newsList 1800`,
    ]);
  });

  it('follow the options', () => {
    const urls = listRequestUrls({
      baseUrl: 'http://127.0.0.1:1234/ogd/',
      stations: [60209001],
      trafficInfo: false,
      news: false,
      monitorTrafficInfo: ['stoerungkurz', 'aufzugsinfo'],
      intervalSeconds: 30,
    });
    expect(urls).toEqual([
      'monitor-1 GET http://127.0.0.1:1234/ogd/monitor?diva=60209001' +
        '&activateTrafficInfo=stoerungkurz&activateTrafficInfo=aufzugsinfo 30',
    ]);
    expect(listRequestUrls({ stations: [], trafficInfo: false, news: false })).toEqual([]);
  });

  it("include the operator's headers", () => {
    const [request] = createWienerLinienSource({ stations: [], headers: { 'x-key': 'k' } }).listRequests(NOW);
    expect(request).toMatchObject({ headers: { accept: 'application/json', 'x-key': 'k' }, body: null });
  });

  it('for the whole underground respect the minimum interval', async () => {
    const stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
    const source = createWienerLinienSource({ stations: stations.map(({ diva }) => diva) });
    const requests = source.listRequests(NOW);
    expect(requests.map(({ part }) => part)).toEqual(['monitor-1', 'monitor-2', 'monitor-3', 'traffic-info', 'news']);
    const perSecond = requests.reduce((sum, { intervalSeconds }) => sum + 1 / intervalSeconds, 0);
    expect(perSecond).toBeLessThanOrEqual(1 / source.facts.minGapSeconds);
    for (const { url } of requests) expect(url.length).toBeLessThan(1000);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects %s stations per request', (stationsPerRequest) => {
    expect(() => createWienerLinienSource({ stations: [60209001], stationsPerRequest })).toThrow(RangeError);
  });
});

it('has facts of the publisher, which the operator can override', () => {
  const { facts } = createWienerLinienSource({ stations: [], facts: { kind: 'trias', maxAgeSeconds: 90 } });
  expect(facts).toMatchObject({
    kind: 'wiener-linien',
    minGapSeconds: 15,
    maxAgeSeconds: 90,
    licence: 'CC BY 4.0',
    attribution: 'Datenquelle: Stadt Wien - data.wien.gv.at',
    archive: 'full',
  });
});

describe('responses', () => {
  const message = { value: 'OK', messageCode: 1, serverTime: '2026-05-04T08:00:00.000+0200' };
  const source = createWienerLinienSource({ stations: [60209001, 60209002], id: 'wien' });
  const [monitor, trafficInfo, news] = source.listRequests(NOW);

  it('of a monitor have a board for each requested station', async () => {
    const update = await source.parse(encode({ data: { monitors: [] }, message }), monitor!, NOW);
    expect(update.stationBoards.map(({ station }) => station)).toEqual(['60209001', '60209002']);
    expect(update).toMatchObject({ publishedAt: NOW, isFrozen: false, scope: 'all', isPropagating: false });
  });

  it('are parsed by request, with problems of the source', async () => {
    const infos = { data: { trafficInfos: [{ title: 'ohne Nummer' }] }, message };
    const pois = { data: { pois: [{ name: 'N1', title: 'Neu' }] }, message };
    expect(await source.parse(encode(infos), trafficInfo!, NOW)).toMatchObject({ problems: [{ source: 'wien' }] });
    expect(await source.parse(encode(pois), news!, NOW)).toMatchObject({ alerts: [{ id: 'N1' }], stationBoards: [] });
    expect(() => source.parse(encode(infos), monitor!, NOW)).toThrow(UnreadableAnswer);
    expect(() => source.parse(encode(infos), news!, NOW)).toThrow(UnreadableAnswer);
  });

  it('are compared with our clock', async () => {
    const later = (NOW + 3600) as Instant;
    expect(await source.parse(encode({ data: { monitors: [] }, message }), monitor!, later)).toMatchObject({
      isFrozen: true,
    });
  });
});
