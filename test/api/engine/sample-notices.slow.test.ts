import { expect, test } from 'vitest';
import { sampleRealtime } from '../../../jobs/definitions/sample-realtime.ts';
import { sampleRealtimeIds } from '../../../jobs/definitions/sample-sources.ts';
import { fetchHttp } from '../../../pipeline/effects/http.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { formatUtc, type Instant } from '../../../pipeline/model/service-time.ts';
import { openSources } from '../../../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../../../pipeline/realtime/polling/poll-realtime.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../pipeline/sample/simulator/create-simulator.ts';
import { simulatedAnswers } from '../../../pipeline/sample/upstream/simulated-answers.ts';
import { startFakeUpstream } from '../../../pipeline/sample/upstream/start-fake-upstream.ts';
import { fakeEffects } from '../../jobs/fake-world.ts';
import { instant, openWorld, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { buildSample } from '../../support/worlds/sample.ts';

/** Alerts of one train; the simulator puts trip and day into their ids. */
const CANCELLATION = /zugausfall-(.+)-(\d{4}-\d{2}-\d{2})$/;

/** A morning on which several trains are cancelled. */
async function findBadDay() {
  const simulator = createSimulator(await readSampleLookups());
  for (let day = instant('2026-03-02T07:30:00Z'); ; day = (day + 86_400) as Instant) {
    const { alerts } = simulator.stateAt(day);
    if (alerts.filter(({ id }) => CANCELLATION.test(id)).length > 1) return { simulator, now: day };
  }
}

/** The sample with everything its sources report at a time, requested over HTTP. */
async function pollSample(): Promise<{ world: World; now: string }> {
  const { simulator, now } = await findBadDay();
  const effects = fakeEffects(formatUtc(now * 1000));
  const upstream = await startFakeUpstream({ answers: simulatedAnswers(simulator), clock: effects.clock });
  const live = await openLiveWorld(await openWorld({ at: await buildSample('2026-03-02') }), sampleRealtimeIds);
  const configured = sampleRealtime(upstream.url).map((one) => ({ ...one, timeoutSeconds: 60 }));
  await pollRealtime({
    sources: await openSources(configured, { log: silentLog }),
    sink: {
      apply: async (answer) => void live.state.apply(answer.sourceId, answer),
      confirm: async () => {},
      publish: async () => {},
      close: async () => {},
    },
    stores: {
      spendBudget: async () => null,
      readStandby: async () => ({}),
      readDemands: async () => [],
      storeRaw: async () => ({ rawId: 'raw' }),
    },
    effects: { ...effects, http: fetchHttp, log: silentLog, random: () => 0 },
    settings: { breakerFailures: 99, breakerSeconds: 60 },
    signal: new AbortController().signal,
    rounds: 1,
  });
  await upstream.close();
  return { world: live.at(formatUtc(now * 1000)), now: formatUtc(now * 1000) };
}

test('in the sample a notice about one trip appears only on that trip, whichever source reports it', async () => {
  const { world, now } = await pollSample();
  const { trips } = world.timetable.tables;
  const rowOf = new Map([...trips.key].map((key, row) => [key, row]));
  const bearers = new Map<string, Set<string>>();
  let rows = 0;
  for (const station of ['490134900', 'at:44:linz', 'at:45:salzburg', 'at:47:innsbruck', 'at:46:graz']) {
    const id = station.startsWith('at:') ? `at:${station}` : findStation(world, 'Wien Hbf');
    const { departures } = await queryDepartures(world, id, { now, durationMinutes: 1440, limit: 2000 });
    for (const { journeyRef, notices } of departures) {
      rows += 1;
      const { tripKey, day } = world.references.openJourney(journeyRef!)!;
      const tripId = trips.tripId.get(rowOf.get(tripKey) ?? -1);
      for (const notice of notices) {
        const about = CANCELLATION.exec(notice.id);
        if (!about) continue;
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        bearers.set(notice.id, (bearers.get(notice.id) ?? new Set()).add(`${tripId} ${date}`));
        expect([notice.id, tripId, date]).toEqual([notice.id, about[1], about[2]]);
      }
    }
  }
  expect(rows).toBeGreaterThan(1000);
  // Reported by some source for each cancelled train that stops there.
  expect(bearers.size).toBeGreaterThan(0);
});

function findStation({ timetable }: World, name: string): string {
  const { stops } = timetable.tables;
  const row = [...stops.station.keys()].find((stop) => stops.name.get(stop) === name && stops.station[stop] === stop);
  return `at:${stops.stopId.get(row!)}`;
}
