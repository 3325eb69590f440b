import { describe, expect, it } from 'vitest';
import { sampleRealtime } from '../../../../jobs/definitions/sample-realtime.ts';
import { sampleRealtimeIds } from '../../../../jobs/definitions/sample-sources.ts';
import { parseRealtime } from '../../../../pipeline/config/realtime-config.ts';
import { type Log, silentLog } from '../../../../pipeline/effects/log.ts';
import { openSources } from '../../../../pipeline/realtime/polling/open-sources.ts';
import { START_INSTANT } from './virtual-world.ts';

async function open(entries: readonly object[]) {
  const { realtime, problems } = parseRealtime(entries, []);
  expect(problems).toEqual([]);
  const reported: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => reported.push(message) };
  return { opened: await openSources(realtime, { log }), reported };
}

const facts = { intervalSeconds: 33, maxAgeSeconds: 77, timeoutSeconds: 5, coverage: ['Graz'], nationwide: true };

describe('a configured source of each kind', () => {
  const cases: readonly [entry: object, parts: string[], urls: RegExp][] = [
    [
      { kind: 'gtfs-rt', tripUpdates: ['http://a.example/1', 'http://a.example/2'], alerts: 'http://a.example/3' },
      ['trip-updates', 'trip-updates-2', 'alerts'],
      /^http:\/\/a\.example\/\d$/,
    ],
    [
      { kind: 'wiener-linien', stations: [60_201_040], url: 'http://a.example/wl', news: false },
      ['monitor-1', 'traffic-info'],
      /^http:\/\/a\.example\/wl\/(monitor\?diva=60201040|trafficInfoList)$/,
    ],
    [
      { kind: 'trias', url: 'http://a.example/trias', requestorRef: 'me', stops: ['at:46:1', 'at:46:2'] },
      ['stop-event-1', 'stop-event-2'],
      /^http:\/\/a\.example\/trias$/,
    ],
    [
      { kind: 'ojp', version: '1.0', url: 'http://a.example/ojp', requestorRef: 'me', stops: ['at:46:1'] },
      ['stop-event-1'],
      /^http:\/\/a\.example\/ojp$/,
    ],
  ];
  it.each(cases)('%j', async (entry, parts, urls) => {
    const headers = { 'x-key': 'k' };
    const { opened, reported } = await open([{ ...entry, ...facts, id: 'a', timetable: 'b', standby: true, headers }]);
    expect(reported).toEqual([]);
    const [polled] = opened;
    expect(polled).toMatchObject({ id: 'a', timetable: 'b', isStandby: true, headers });
    const { kind } = entry as { kind: string };
    const settings = {
      maxAgeSeconds: 77,
      timeoutSeconds: 5,
      coverage: ['Graz'],
      isNationwide: true,
      dailyBudget: null,
    };
    expect(polled!.facts).toMatchObject({ kind, zone: 'Europe/Vienna', archive: 'full', ...settings });
    const requests = polled!.source.listRequests(START_INSTANT);
    expect(requests.map(({ part }) => part)).toEqual(parts);
    expect(requests[0]!.intervalSeconds).toBe(33);
    for (const { url } of requests) expect(url).toMatch(urls);
  });

  it('hafas: counted, and never recorded', async () => {
    const more = { endpoint: 'http://a.example/mgate.exe', key: 'k', stops: [490_134_900], dailyBudget: 5000 };
    const { opened } = await open([{ id: 'vao', kind: 'hafas', profile: 'vao', ...more, ...facts }]);
    expect(opened[0]!.facts).toMatchObject({ kind: 'hafas', archive: 'none', dailyBudget: 5000, maxAgeSeconds: 77 });
    const [board] = opened[0]!.source.listRequests(START_INSTANT);
    expect(board).toMatchObject({ method: 'POST', url: expect.stringContaining('http://a.example/mgate.exe') });
  });

  it('wiener-linien requests the whole underground if no station is named', async () => {
    const { opened } = await open([{ id: 'wl', kind: 'wiener-linien' }]);
    const urls = opened[0]!.source.listRequests(START_INSTANT).map(({ url }) => url);
    expect(urls.join().match(/diva=\d{8}/g)!.length).toBeGreaterThan(90);
  });
});

it('reports and skips an inconsistent one', async () => {
  const hafas = { id: 'vao', kind: 'hafas', profile: 'nowhere', key: 'hunter2', stops: [1], dailyBudget: 10 };
  const { opened, reported } = await open([hafas, { id: 'wl', kind: 'wiener-linien' }]);
  expect(opened.map(({ id }) => id)).toEqual(['wl']);
  expect(reported).toEqual([expect.stringMatching(/^vao is not polled: /)]);
  expect(reported.join()).not.toContain('hunter2');
});

it('all sources of the sample can be opened', async () => {
  const opened = await openSources(sampleRealtime('http://127.0.0.1:9'), { log: silentLog });
  expect(opened.map(({ id }) => id)).toEqual(sampleRealtimeIds);
  for (const { id, source } of opened) expect(source.listRequests(START_INSTANT).length, id).toBeGreaterThan(0);
});
