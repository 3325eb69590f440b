import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fixedClock, nowInstant } from '../../../../pipeline/effects/clock.ts';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { chainAnswers } from '../../../../pipeline/sample/upstream/answer-source.ts';
import { sampleFeedAnswers } from '../../../../pipeline/sample/upstream/serve-sample.ts';
import { simulatedAnswers, upstreamRoutes } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import type { Fault } from '../../../../pipeline/sample/upstream/start-fake-upstream.ts';
import { ALL_PATHS, startFakeUpstream } from '../../../../pipeline/sample/upstream/start-fake-upstream.ts';
import { createGtfsRtSource } from '../../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { createHafasSource } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import type { RealtimeSource, SourceRequest } from '../../../../pipeline/sources/realtime-source.ts';
import { createTriasSource } from '../../../../pipeline/sources/trias/trias-source.ts';
import { createWienerLinienSource } from '../../../../pipeline/sources/wiener-linien/wiener-linien-source.ts';

const NOW = '2026-11-19T16:00:00Z';
const clock = fixedClock(NOW);
const lookups = await readSampleLookups();
const upstream = await startFakeUpstream({
  answers: chainAnswers(simulatedAnswers(createSimulator(lookups)), sampleFeedAnswers(lookups)),
  clock,
});
const { url } = upstream;
const zone = 'Europe/Vienna';
const karlsplatz = lookups.places.find(({ name }) => name === 'Karlsplatz')!;

beforeEach(() => {
  clock.set(NOW);
  upstream.setFault(ALL_PATHS, null);
});
afterAll(() => upstream.close());

const sources: Readonly<Record<string, RealtimeSource>> = {
  'GTFS-Realtime': createGtfsRtSource({
    tripUpdates: `${url}/gtfs-rt/trip-updates.pb`,
    vehiclePositions: `${url}/gtfs-rt/vehicle-positions.pb`,
    alerts: `${url}/gtfs-rt/alerts.pb`,
    zone,
  }),
  'Wiener Linien': createWienerLinienSource({ baseUrl: `${url}/ogd_realtime`, stations: [Number(karlsplatz.diva)] }),
  TRIAS: createTriasSource({ kind: 'trias', url: `${url}/trias`, requestorRef: null, stops: ['at:49:1349'] }),
  OJP: createTriasSource({ kind: 'ojp', url: `${url}/ojp`, requestorRef: null, stops: ['at:49:1349'] }),
  HAFAS: await createHafasSource(
    { id: 'vao', profile: 'vao', endpoint: `${url}/hafas/mgate`, key: 'none', stops: ['490134900'], dailyBudget: 5000 },
    (text) => createHash('md5').update(text).digest('hex'),
  ),
};

async function sendRequest({ url: target, method, headers, body }: SourceRequest): Promise<Uint8Array> {
  const answer = await fetch(target, { method, headers, body });
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Sends all requests of a source, and parses the answers with it. */
async function poll(source: RealtimeSource): Promise<SourceUpdate[]> {
  const now = nowInstant(clock);
  const updates: SourceUpdate[] = [];
  for (const request of source.listRequests(now))
    updates.push(await source.parse(await sendRequest(request), request, now));
  return updates;
}

describe.each(Object.entries(sources))('%s', (_, source) => {
  it('is read without problems', async () => {
    const updates = await poll(source);
    const calls = updates.flatMap(({ trips }) => trips).flatMap((trip) => trip.calls);
    expect(calls.length).toBeGreaterThan(5);
    expect(updates.flatMap(({ problems }) => problems)).toEqual([]);
    expect(updates.some(({ isFrozen }) => isFrozen)).toBe(false);
    const live = calls.map(({ arrival, departure }) => departure ?? arrival).filter((report) => report?.time);
    expect(live.length).toBeGreaterThan(calls.length / 3);
  });

  it.each<Fault>([{ kind: 'html' }, { kind: 'truncated', afterBytes: 40, isClean: true }])(
    'is refused if it is damaged: $kind',
    async (fault) => {
      upstream.setFault(ALL_PATHS, fault);
      const request = source.listRequests(nowInstant(clock))[0]!;
      const bytes = await sendRequest(request);
      const read = async () => source.parse(bytes, request, nowInstant(clock));
      await expect(read()).rejects.toThrow(UnreadableAnswer);
    },
  );
});

describe('a frozen feed', () => {
  it.each(['GTFS-Realtime', 'Wiener Linien'])('is detected by the reader of %s', async (name) => {
    upstream.setFault(ALL_PATHS, { kind: 'frozen' });
    clock.set('2026-11-19T20:00:00Z');
    const [first] = await poll(sources[name]!);
    expect(first!.isFrozen).toBe(true);
  });
});

describe('addresses', () => {
  it('accept only their method', async () => {
    for (const { method, path } of upstreamRoutes) {
      const answer = await fetch(url + path, { method: method === 'GET' ? 'POST' : 'GET' });
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, method]);
    }
  });

  it.each([
    ['/trias', '<no-request/>', 400, 'Not a request'],
    ['/ojp', 'no XML', 400, 'Not a request'],
    ['/hafas/mgate', '{}', 200, 'PARSE'],
  ])('%s refuses invalid requests', async (path, body, status, text) => {
    const answer = await fetch(url + path, { method: 'POST', body });
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(text);
  });

  it('give equal bytes until the next update', async () => {
    const target = `${url}/gtfs-rt/alerts.pb`;
    const tagAt = async (time: string) => {
      clock.set(time);
      return (await fetch(target)).headers.get('etag');
    };
    const first = await tagAt('2026-11-19T16:00:00Z');
    expect(await tagAt('2026-11-19T16:00:14Z')).toBe(first);
    expect(await tagAt('2026-11-19T16:00:15Z')).not.toBe(first);
  });

  it('include the timetable', async () => {
    const answer = await fetch(`${url}/gtfs.zip`);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
  });
});
