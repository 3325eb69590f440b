import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleRealtime } from '../../jobs/definitions/sample-realtime.ts';
import { sampleRealtimeIds } from '../../jobs/definitions/sample-sources.ts';
import { fetchHttp } from '../../pipeline/effects/http.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { listRawAnswers } from '../../pipeline/lake/raw-answers.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { diskStores } from '../../pipeline/realtime/polling/disk-stores.ts';
import { openSources } from '../../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../../pipeline/realtime/polling/poll-realtime.ts';
import type { PolledAnswer } from '../../pipeline/realtime/polling/realtime-sink.ts';
import { readSampleLookups } from '../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../pipeline/sample/simulator/create-simulator.ts';
import { chainAnswers } from '../../pipeline/sample/upstream/answer-source.ts';
import { sharingAnswers } from '../../pipeline/sample/upstream/gbfs.ts';
import { simulatedAnswers } from '../../pipeline/sample/upstream/simulated-answers.ts';
import type { Fault } from '../../pipeline/sample/upstream/start-fake-upstream.ts';
import { type FakeUpstream, startFakeUpstream } from '../../pipeline/sample/upstream/start-fake-upstream.ts';
import { fakeEffects, temporaryFolder } from './fake-world.ts';

// A Monday morning in Vienna.
const START = '2026-03-02T07:30:00Z';
const START_INSTANT = parseTimestamp(START)!;

const effects = fakeEffects(START);
let upstream: FakeUpstream;

beforeAll(async () => {
  const lookups = await readSampleLookups();
  const answers = chainAnswers(sharingAnswers(lookups), simulatedAnswers(createSimulator(lookups)));
  upstream = await startFakeUpstream({ answers, clock: effects.clock });
});
afterAll(() => upstream.close());

/** One round of the sample's sources, over HTTP, with its own data folder. */
async function pollOnce(faults: Readonly<Record<string, Fault>> = {}) {
  const dataDir = await temporaryFolder();
  effects.clock.set(START);
  for (const [path, fault] of Object.entries(faults)) upstream.setFault(path, fault);
  const applied: PolledAnswer[] = [];
  const sink = {
    apply: async (answer: PolledAnswer) => void applied.push(answer),
    confirm: async () => {},
    publish: async () => {},
    close: async () => {},
  };
  // Only requests without a response are awaited; the first responses of a day take seconds.
  const configured = sampleRealtime(upstream.url).map((one) => {
    const hangs = Object.values(faults).some(({ kind }) => kind === 'hang') && one.kind === 'trias';
    return { ...one, timeoutSeconds: hangs ? 1 : 60 };
  });
  const states = await pollRealtime({
    sources: await openSources(configured, { log: silentLog }),
    sink,
    stores: diskStores(dataDir, { log: silentLog }),
    effects: { ...effects, http: fetchHttp, log: silentLog, random: () => 0 },
    settings: { breakerFailures: 99, breakerSeconds: 60 },
    signal: new AbortController().signal,
    rounds: 1,
  });
  for (const path of Object.keys(faults)) upstream.setFault(path, null);
  return { states, applied, dataDir };
}

describe('the sample, polled like any source', () => {
  it('answers every request of every source', async () => {
    const { states, applied, dataDir } = await pollOnce();
    expect(states.map(({ id, trouble }) => [id, trouble])).toEqual(sampleRealtimeIds.map((id) => [id, null]));
    const count = (id: string, what: (answer: PolledAnswer) => number) =>
      applied.filter(({ sourceId }) => sourceId === id).reduce((sum, answer) => sum + what(answer), 0);
    for (const id of sampleRealtimeIds)
      expect(
        count(id, ({ update }) => (update.sharing ? 1 : update.trips.length)),
        id,
      ).toBeGreaterThan(0);
    expect(count('stmk_gtfs_rt', ({ update }) => update.vehicles.length)).toBeGreaterThan(0);
    expect(count('city_transit', ({ update }) => update.stationBoards.length)).toBeGreaterThan(0);
    const problems = applied.flatMap(({ update }) => update.problems.map(({ code }) => code));
    expect(problems).toEqual([]);
    const day = [START_INSTANT, (START_INSTANT + 3600) as Instant] as const;
    expect(await listRawAnswers(dataDir, toSourceId('trias'), ...day)).toHaveLength(3);
    expect(await listRawAnswers(dataDir, toSourceId('vao'), ...day)).toEqual([]);
  });

  const faults: readonly [fault: Fault, trouble: string][] = [
    [{ kind: 'hang' }, 'http_timeout'],
    [{ kind: 'reset' }, 'http_unreachable'],
    [{ kind: 'status503' }, 'http_503'],
    [{ kind: 'redirectLoop' }, 'http_redirect_loop'],
  ];
  it.each(faults)('%j of one costs that one', async (fault, trouble) => {
    const { states } = await pollOnce({ '/trias': fault });
    expect(states.map(({ id, trouble }) => [id, trouble])).toEqual(
      sampleRealtimeIds.map((id) => [id, id === 'trias' ? trouble : null]),
    );
  });
});
