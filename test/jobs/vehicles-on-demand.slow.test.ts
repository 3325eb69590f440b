import { expect, it } from 'vitest';
import { sampleRealtime } from '../../jobs/definitions/sample-realtime.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { fetchHttp } from '../../pipeline/effects/http.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { diskStores } from '../../pipeline/realtime/polling/disk-stores.ts';
import { openSources } from '../../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../../pipeline/realtime/polling/poll-realtime.ts';
import { readSampleLookups } from '../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../pipeline/sample/simulator/create-simulator.ts';
import { simulatedAnswers } from '../../pipeline/sample/upstream/simulated-answers.ts';
import { startFakeUpstream } from '../../pipeline/sample/upstream/start-fake-upstream.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import { openDemandWriter } from '../../pipeline/snapshots/vehicle-demand-files.ts';
import { openService } from '../api/service-app.ts';
import { openWorld, type World } from '../support/worlds/board-world.ts';
import { openLiveWorld, sourceState } from '../support/worlds/live-world.ts';
import { buildSample } from '../support/worlds/sample.ts';
import { fakeEffects, temporaryFolder } from './fake-world.ts';

// A Monday morning in Vienna.
const START = '2026-03-02T07:30:00Z';
const INNSBRUCK = '/v2/vehicles?minLat=47.2&minLon=11.3&maxLat=47.3&maxLon=11.5';

/** The sample's HAFAS upstream, a poller of it, and a service, connected only by the data folder. */
async function openDemo() {
  const effects = fakeEffects(START);
  const dataDir = await temporaryFolder();
  const answers = simulatedAnswers(createSimulator(await readSampleLookups()));
  const upstream = await startFakeUpstream({ answers, clock: effects.clock });
  const hafas = sampleRealtime(upstream.url).filter(({ kind }) => kind === 'hafas');
  const live = await openLiveWorld(await openWorld({ at: await buildSample('2026-03-02') }), ['vao']);
  let onDemand: RealtimeSourceState['onDemand'] = { isCapped: false, areas: [] };
  return {
    upstream,
    /** Requests the map from the service at the time of the poller. */
    async requestMap() {
      const shown: World = live.at(START);
      const sources = [sourceState('vao', { provides: ['departures'], lastSuccessAt: START, onDemand })];
      const manifest = { ...shown.realtime!.manifest, sources };
      const writer = openDemandWriter(dataDir, { clock: effects.clock, log: silentLog });
      const world = { ...shown, realtime: { ...shown.realtime!, manifest } };
      const app = await openService(world, { clock: effects.clock, wantVehicles: (boxes) => writer.want(boxes) });
      const answer = (await app.inject({ url: INNSBRUCK })).json();
      await writer.close();
      return answer;
    },
    /** Polls until an area, or a number of requests, was answered. */
    async poll(maxRequests: number) {
      const stop = new AbortController();
      let requests = 0;
      await pollRealtime({
        sources: await openSources(
          hafas.map((one) => ({ ...one, timeoutSeconds: 60 })),
          { log: silentLog },
        ),
        sink: {
          apply: async (answer) => {
            live.state.apply(answer.sourceId, answer);
            requests += 1;
            if (requests >= maxRequests) stop.abort(new Error('enough'));
          },
          confirm: async () => {},
          publish: async ([state]) => {
            const areas = state!.onDemand!.areas.map(({ box, requestedAt }) => ({
              box,
              requestedAt: new Date(requestedAt * 1000).toISOString(),
            }));
            onDemand = { isCapped: state!.onDemand!.isCapped, areas };
            if (areas.length > 0 || state!.onDemand!.isCapped) stop.abort(new Error('enough'));
          },
          close: async () => {},
        },
        stores: diskStores(dataDir, { log: silentLog }),
        effects: { ...effects, http: fetchHttp, log: silentLog, random: () => 0 },
        settings: { breakerFailures: 99, breakerSeconds: 60 },
        signal: stop.signal,
      });
      return requests;
    },
    stores: diskStores(dataDir, { log: silentLog }),
    now: () => nowInstant(effects.clock),
  };
}

it('a section of the map is polled on demand, and its trains are shown', async () => {
  const demo = await openDemo();
  const before = await demo.requestMap();
  expect([before.source, before.count]).toEqual(['ondemandUnavailable', 0]);
  expect((await demo.stores.readDemands(demo.now())).map(({ box }) => box)).toEqual([
    { south: 47.2, west: 11.3, north: 47.3, east: 11.5 },
  ]);
  await demo.poll(50);
  const after = await demo.requestMap();
  expect(after.source).toBe('ondemandLive');
  expect(after.count).toBeGreaterThan(0);
  for (const { coord } of after.vehicles) {
    expect([coord.lat >= 47.2 && coord.lat <= 47.3, coord.lon >= 11.3 && coord.lon <= 11.5]).toEqual([true, true]);
  }
  // The trains are those of the timetable.
  expect(after.vehicles.filter(({ journeyRef }: { journeyRef?: string }) => journeyRef).length).toBeGreaterThan(0);
  await demo.upstream.close();
});
