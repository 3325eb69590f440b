import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { RescueWatchRequest, WatchEvent, WatchState } from '../../api/contract/definitions.ts';
import { readPushKey } from '../../api/start-api.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../pipeline/snapshots/realtime-files.ts';
import { openPushReceiver, type PushReceiver } from '../support/fakes/push-receiver.ts';
import { openPlot, openStage, type Stage, startInstant } from '../support/worlds/scenes/open-stage.ts';
import { rideTrip } from '../support/worlds/scenes/ride-trip.ts';

/** Longer than usual: half of the polls are enough to see the train stop. */
const STEP_SECONDS = 240;
/** Polling and evaluating usually takes less than a second; a busy machine needs longer. */
const PATIENCE_MILLISECONDS = 60_000;

/** Creates a watch, and reads its state after each step of time. */
async function openWatch({ country, polling, post }: Stage, body: Omit<RescueWatchRequest, 'watchId'>) {
  const poll = (watchId?: string) =>
    post<RescueWatchRequest, WatchState>('/v2/rescue/watch', 'WatchState', { ...body, ...(watchId && { watchId }) });
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
    /** Advances time, and waits until the watch has been evaluated with the data published then. */
    async step(seconds: number): Promise<WatchState> {
      await polling.run(seconds);
      const published = await newestSnapshot();
      return until(({ checkedAt }) => parseTimestamp(checkedAt)! >= published);
    },
  };
}

const kindsOf = ({ events }: { readonly events: readonly WatchEvent[] }) => events.map(({ kind }) => kind);

/** Many times the usual duration, so that the test passes on a busy machine. */
const TIMEOUT_MILLISECONDS = 600_000;

test(
  'a watch reports a missed transfer and an option, also by push, and the option arrives at its predicted time',
  async () => {
    const stage = await openStage(STEP_SECONDS);
    const { country, polling } = stage;
    const receiver = await openPushReceiver();
    onTestFinished(receiver.close);
    await polling.run(1);
    const { changing, breakTrain } = await openPlot(stage);
    const legs = changing.rides.map(({ journeyRef, origin, destination }) => ({
      journeyRef: journeyRef!,
      originId: origin.id,
      destinationId: destination.id,
    }));
    const delivery = { kind: 'webPush', subscription: receiver.subscribe(await readPushKey(stage.config)) } as const;
    const watch = await openWatch(stage, {
      legs,
      delivery,
      minDelayMinutes: 5,
      language: 'de',
      minSuccessProbability: 0,
    });

    const truth = breakTrain();
    expect(rideTrip(country, truth, changing.trip, { at: startInstant, aboard: null, alighted: null }).failure).toBe(
      'missed',
    );

    // The train is running, with growing delay.
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
    const event = state.events.findLast(({ kind }) => kind === 'options')!;
    const [best] = event.options!;

    // The traveller takes the first option, and arrives at the predicted time within the uncertainty of the upstreams.
    const at = parseTimestamp(event.at)!;
    const first = truth.findRide(changing.rides[0]);
    const isAboard = first.from.departure <= at && at < first.to.arrival;
    const aboard = isAboard ? first.journeyRef : null;
    const ridden = rideTrip(country, truth, best!.trip, {
      at,
      aboard,
      alighted: at >= first.to.arrival ? first : null,
    });
    expect(ridden.failure).toBeNull();
    const predictedArrival = parseTimestamp(best!.trip.arrival.realtime ?? best!.trip.arrival.scheduled!)!;
    expect(Math.abs(ridden.arrival! - predictedArrival)).toBeLessThanOrEqual(uncertaintySeconds(predictedArrival - at));

    // Five minutes after the planned trip would have ended.
    const end = parseTimestamp(changing.trip.arrival.scheduled!)! as Instant;
    state = await watch.step(end - startInstant + 10 * 60);
    state = await watch.until(({ status }) => status === 'ended');
    expect(kindsOf(state).at(-1)).toBe('ended');
    await expectPushes(receiver, state);
  },
  TIMEOUT_MILLISECONDS,
);

/** Expects every event exactly once as a push; a push omits options that exceed its size limit. */
async function expectPushes(receiver: PushReceiver, { watchId, events }: WatchState): Promise<void> {
  const received = await receiver.waitFor(events.length);
  const polled = events.map(({ options: _, ...event }) => event);
  const pushed = received.map(({ message }) => message as { watchId: string; event: WatchEvent });
  expect(pushed.map(({ event: { options: _, ...event } }) => event)).toEqual(polled);
  expect(new Set(pushed.map((one) => one.watchId))).toEqual(new Set([watchId]));
  expect(receiver.faults).toEqual([]);
}

/** Twice the uncertainty of the sample upstreams at this horizon. @see `buildEvent` of gtfs-rt.ts */
function uncertaintySeconds(aheadSeconds: number): number {
  return 2 * (30 + aheadSeconds / 20);
}
