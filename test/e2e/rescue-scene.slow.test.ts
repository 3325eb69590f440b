import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type {
  RescueWatchRequest,
  TripRequest,
  TripResult,
  WatchEvent,
  WatchState,
} from '../../api/contract/definitions.ts';
import { readPushKey, startApi } from '../../api/start-api.ts';
import { sampleRealtime } from '../../jobs/sample-realtime.ts';
import { withSampleCredit } from '../../jobs/sample-sources.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { type Instant, parseTimestamp, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../pipeline/realtime/snapshot/realtime-files.ts';
import { createSimulator } from '../../pipeline/sample/simulator/create-simulator.ts';
import { seededRandom } from '../../pipeline/sample/simulator/seeded-random.ts';
import type { AnswerSource } from '../../pipeline/sample/upstream/answer-source.ts';
import { simulatedAnswers } from '../../pipeline/sample/upstream/simulated-answers.ts';
import { testConfig } from '../jobs/fake-world.ts';
import { expectValidAnswer } from '../support/contract-validator.ts';
import { openPushReceiver, type PushReceiver } from '../support/push-receiver.ts';
import { breakDown, drawChangingTrip } from '../support/scenes/find-watched-trip.ts';
import { openSceneCountry, SCENE_KEY, type SceneCountry } from '../support/scenes/open-scene-country.ts';
import { openTruth, rideTrip } from '../support/scenes/ride-trip.ts';
import { type SteeredPolling, startPolling } from '../support/steered-polling.ts';

/** A Monday, half past seven in Vienna. */
const START = '2026-03-02T06:30:00Z';
const YESTERDAY = '2026-03-01' as ServiceDate;
const STEP_SECONDS = 120;
/** The trip begins so soon, but after it is watched. */
const MAX_AHEAD_SECONDS = 1200;
/** How much longer the train stands still than there is time for the change. */
const OVER_SECONDS = 600;
/** What is polled and judged within a second otherwise; a busy machine takes longer. */
const PATIENCE_MILLISECONDS = 60_000;

const operation = { seed: 8, timetableSeed: 1 };
const startInstant = parseTimestamp(START)!;

/** The whole service on the sample and its upstreams, by a clock that the test moves on. */
interface Stage {
  readonly country: SceneCountry;
  readonly polling: SteeredPolling;
  readonly receiver: PushReceiver;
  /** That the service's pushes are signed with. */
  readonly pushKey: string;
  /** What the upstreams report from now on. */
  operate(answers: AnswerSource): void;
  post<Body, Answer>(url: string, type: string, body: Body): Promise<Answer>;
}

async function openStage(): Promise<Stage> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-scene-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const country = await openSceneCountry(dataDir, YESTERDAY);
  let answers = simulatedAnswers(createSimulator(country.lookups, operation));
  const polling = await startPolling({
    dataDir,
    answers: (request, moment) => answers(request, moment),
    start: START,
    // The other protocols report some of the same trips.
    configure: (url) =>
      sampleRealtime(url)
        .filter(({ kind }) => kind === 'gtfs-rt')
        .map((source) => ({ ...source, intervalSeconds: STEP_SECONDS })),
  });
  onTestFinished(polling.end);
  const receiver = await openPushReceiver();
  onTestFinished(receiver.close);
  const base = await testConfig(dataDir);
  const config = {
    ...withSampleCredit(base),
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    referenceKey: Buffer.from(SCENE_KEY).toString('hex'),
    fairUse: { unitsPerMinute: 0, burst: 0 },
    planner: { ...base.planner, threads: 0 },
    watches: { ...base.watches, allowLoopbackPushes: true },
  };
  const api = await startApi(config, { clock: polling.clock, log: silentLog });
  onTestFinished(() => api.close());
  return {
    country,
    polling,
    receiver,
    pushKey: await readPushKey(config),
    operate(next) {
      answers = next;
    },
    async post(url, type, body) {
      const headers = { 'content-type': 'application/json', 'x-installation-token': 'a-phone' };
      const response = await fetch(api.url + url, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await response.json();
      expect([url, response.status, answer]).toEqual([url, 200, answer]);
      await expectValidAnswer(type, answer);
      return answer as never;
    },
  };
}

/** A watch that is asked for again after each step of time. */
async function openWatch({ country, polling, post }: Stage, asked: Omit<RescueWatchRequest, 'watchId'>) {
  const poll = (watchId?: string) =>
    post<RescueWatchRequest, WatchState>('/v2/rescue/watch', 'WatchState', { ...asked, ...(watchId && { watchId }) });
  const { watchId } = await poll();
  const until = async (isReached: (state: WatchState) => boolean): Promise<WatchState> => {
    const end = performance.now() + PATIENCE_MILLISECONDS;
    for (;;) {
      const state = await poll(watchId);
      expect(state.watchId).toBe(watchId);
      if (isReached(state)) return state;
      if (performance.now() > end) throw new Error(`the watch stays ${JSON.stringify(state)}`);
      await wait(50);
    }
  };
  const newestSnapshot = async () => {
    const { manifest } = await readRealtimeSnapshot(country.dataDir, (await findCurrentRealtime(country.dataDir))!.id);
    return parseTimestamp(manifest.createdAt)!;
  };
  return {
    until,
    /** Lets time pass, and waits until the watch has been judged by what was published then. */
    async step(seconds: number): Promise<WatchState> {
      await polling.run(seconds);
      const published = await newestSnapshot();
      return until(({ checkedAt }) => parseTimestamp(checkedAt)! >= published);
    },
  };
}

const kindsOf = ({ events }: { readonly events: readonly WatchEvent[] }) => events.map(({ kind }) => kind);

/** Many times what it takes: a busy machine must not fail it. */
const TIMEOUT_MILLISECONDS = 600_000;

test(
  'a change breaks: the watch tells it and a way on, by push too, which is ridden and arrives when it said',
  async () => {
    const stage = await openStage();
    const { country, polling, receiver } = stage;
    await polling.run(1);
    const random = seededRandom(operation.seed, 'scene');
    const changing = await drawChangingTrip(
      country,
      { time: (startInstant + 2 * STEP_SECONDS) as Instant, maxAheadSeconds: MAX_AHEAD_SECONDS, random },
      (body) => stage.post<TripRequest, TripResult>('/v2/trips', 'TripResult', body),
    );
    const legs = changing.rides.map(({ journeyRef, origin, destination }) => ({
      journeyRef: journeyRef!,
      originId: origin.id,
      destinationId: destination.id,
    }));
    const delivery = { kind: 'webPush', subscription: receiver.subscribe(stage.pushKey) } as const;
    const watch = await openWatch(stage, { legs, delivery, minDelayMinutes: 5, minSuccessProbability: 0 });

    const calm = openTruth(country, createSimulator(country.lookups, operation));
    const breakdown = breakDown(changing, calm, OVER_SECONDS, random);
    const simulator = createSimulator(country.lookups, { ...operation, breakdowns: [breakdown] });
    const truth = openTruth(country, simulator);
    stage.operate(simulatedAnswers(simulator));
    expect(rideTrip(country, truth, changing.trip, { at: startInstant, aboard: null, alighted: null }).failure).toBe(
      'missed',
    );

    // The train is on its way, and late by more and more.
    const { arrival } = truth.findRide(changing.rides[0]).to;
    let seconds = 1;
    let state = await watch.step(seconds);
    while (!kindsOf(state).some((kind) => kind === 'transferMissed') && startInstant + seconds < arrival) {
      seconds += STEP_SECONDS;
      state = await watch.step(seconds);
    }
    expect(kindsOf(state)).toContain('transferMissed');
    state = await watch.until((one) => kindsOf(one).lastIndexOf('options') > kindsOf(one).indexOf('transferMissed'));
    expect(state.status).toBe('missed');
    await expectPushes(receiver, state);
    const told = state.events.findLast(({ kind }) => kind === 'options')!;
    const [best] = told.options!;

    // The traveller does what is told first, and is there when it was told, as exactly as the upstreams forecast.
    const at = parseTimestamp(told.at)!;
    const first = truth.findRide(changing.rides[0]);
    const isAboard = first.from.departure <= at && at < first.to.arrival;
    const aboard = isAboard ? first.journeyRef : null;
    const ridden = rideTrip(country, truth, best!.trip, {
      at,
      aboard,
      alighted: at >= first.to.arrival ? first : null,
    });
    expect(ridden.failure).toBeNull();
    const toldArrival = parseTimestamp(best!.trip.arrival.realtime ?? best!.trip.arrival.scheduled!)!;
    expect(Math.abs(ridden.arrival! - toldArrival)).toBeLessThanOrEqual(uncertaintySeconds(toldArrival - at));

    // Five minutes after the planned trip would have ended.
    const end = parseTimestamp(changing.trip.arrival.scheduled!)! as Instant;
    state = await watch.step(end - startInstant + 30 * 60);
    state = await watch.until(({ status }) => status === 'ended');
    expect(kindsOf(state).at(-1)).toBe('ended');
    await expectPushes(receiver, state);
  },
  TIMEOUT_MILLISECONDS,
);

/** Every event that is polled has arrived as a push, once; where its options are too many for a push, without them. */
async function expectPushes(receiver: PushReceiver, { watchId, events }: WatchState): Promise<void> {
  const received = await receiver.waitFor(events.length);
  const polled = events.map(({ options: _, ...event }) => event);
  const pushed = received.map(({ message }) => message as { watchId: string; event: WatchEvent });
  expect(pushed.map(({ event: { options: _, ...event } }) => event)).toEqual(polled);
  expect(new Set(pushed.map((one) => one.watchId))).toEqual(new Set([watchId]));
  expect(receiver.faults).toEqual([]);
}

/** Twice what the upstreams of the sample say their times may be wrong by, so far ahead. @see `buildEvent` of gtfs-rt.ts */
function uncertaintySeconds(aheadSeconds: number): number {
  return 2 * (30 + aheadSeconds / 20);
}
