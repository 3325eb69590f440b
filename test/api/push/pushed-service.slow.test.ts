import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Board, Journey, WatchState } from '../../../api/contract/definitions.ts';
import { readPushKey, startApi } from '../../../api/start-api.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { publishFeeds } from '../../support/worlds/board-world.ts';
import { silentLog, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { publishReport } from '../../support/worlds/publish-report.ts';
import { apiConfig } from '../api-config.ts';
import { openReceiver } from './push-cases.ts';

const START = Date.parse('2026-03-03T06:30:00Z');

/** A service with a timetable, its push service, and an app that watches the first trip. */
async function openWatchedService() {
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: soundFeed }, { dataDir });
  const clock = fixedClock('2026-03-03T06:30:07Z');
  const config = apiConfig(dataDir);
  const server = await startApi(config, { clock, log: silentLog });
  onTestFinished(() => server.close());
  const receiver = await openReceiver();
  const subscription = receiver.subscribe(await readPushKey(config));
  const getJson = async <Body>(path: string) => (await (await fetch(server.url + path)).json()) as Body;
  const { departures } = await getJson<Board>('/v2/stops/at:a/departures');
  const { ref, stops } = await getJson<Journey>(`/v2/journeys/${departures[0]!.journeyRef}`);
  const legs = [{ journeyRef: ref, originId: stops[0]!.id, destinationId: stops.at(-1)!.id }];
  const watch = async (watchId?: string): Promise<WatchState> => {
    const body = { ...(watchId && { watchId }), legs, delivery: { kind: 'webPush', subscription } };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/v2/trips/watch`, { method: 'POST', headers, body: JSON.stringify(body) });
    const state = (await answer.json()) as WatchState;
    expect([answer.status, state]).toEqual([200, expect.anything()]);
    await expectValidAnswer('WatchState', state);
    return state;
  };
  /** Publishes realtime as the poller does, at a number of minutes after the start. */
  const report = async (afterMinutes: number, delayMinutes: number) => {
    const nowMilliseconds = START + afterMinutes * 60_000;
    clock.set(new Date(nowMilliseconds + 7000).toISOString());
    await publishReport(dataDir, { minutes: delayMinutes, nowMilliseconds });
  };
  return { receiver, subscription, watch, report };
}

describe('a watch with web push', () => {
  test('receives published events, as polling shows them', async () => {
    const { receiver, subscription, watch, report } = await openWatchedService();
    const { watchId, events } = await watch();
    expect(events).toEqual([]);
    await report(1, 8);
    const [push] = await receiver.waitFor(1);
    expect(push).toMatchObject({ endpoint: subscription.endpoint, urgency: 'high', ttlSeconds: expect.any(Number) });
    const polled = await watch(watchId);
    expect(polled.events).toMatchObject([{ kind: 'delay', delayMinutes: 8 }]);
    expect(push!.message).toEqual({ watchId, event: polled.events[0] });
    await report(10, 20);
    const [, second] = await receiver.waitFor(2);
    expect(second!.message).toEqual({ watchId, event: (await watch(watchId)).events[1] });
    expect([receiver.received.length, receiver.faults]).toEqual([2, []]);
  });

  test('ends with its subscription', async () => {
    const { receiver, subscription, watch, report } = await openWatchedService();
    const { watchId } = await watch();
    receiver.unsubscribe(subscription);
    await report(1, 8);
    // Requested again, an ended watch starts again.
    await vi.waitFor(async () => expect((await watch(watchId)).watchId).not.toBe(watchId), { timeout: 90_000 });
    expect(receiver.received).toEqual([]);
  });
});
