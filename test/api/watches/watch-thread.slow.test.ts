import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Published } from '../../../api/engine/read/realtime.ts';
import { deliverPushes } from '../../../api/push/deliver-pushes.ts';
import { followWithWatches, watchInThread } from '../../../api/watches/service/start-watches.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import type { WatchSpec } from '../../../api/watches/watch.ts';
import { movingClock, nowInstant } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { testWatchSettings } from '../../support/fakes/test-watches.ts';
import { TEST_KEY } from '../../support/worlds/board-world.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { reportOf } from '../../support/worlds/live-reports.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { liveTripTown, openTripTown } from '../engine/trips/trip-town.ts';
import { countOutcomes, openReceiver, openSender, targetOf, vapidKeys } from '../push/push-cases.ts';
import { orderOf } from './store-cases.ts';

/** The thread has its own clock, which follows this one: the morning of the network. */
const clock = movingClock({ at: Date.parse(at('07:50')), since: Date.now(), speed: 1 });

const compiled = async () => pathToFileURL(await compileProgram('api/watches/service/watch-thread.ts'));

function open(file: URL, store: string, log: Log = silentLog): WatchService {
  const start = { store: { file: store, postgresUrl: null }, limits: testWatchSettings, referenceKey: TEST_KEY };
  const service = watchInThread(file, start, { clock, log });
  onTestFinished(() => service.close());
  return service;
}

async function tram(): Promise<WatchSpec> {
  const { timetable } = await openTripTown();
  const { tripId, key } = timetable.tables.trips;
  const row = Array.from({ length: tripId.length }, (_, i) => i).find((i) => tripId.get(i) === 't2')!;
  const leg = { journeyRef: 'r', tripKey: key[row]!.toString(), originId: 'at:s2', destinationId: 'at:z' };
  return { kind: 'trip', until: null, legs: [{ ...leg, day: toEpochDay(DAY as ServiceDate) }], minDelayMinutes: 5 };
}

const cancelled = { trips: [reportOf(townTrip('t2'), { relationship: 'cancelled' })] };

test('a thread judges the pairs that it receives, and its store outlives it', async () => {
  const file = await compiled();
  const store = path.join(await temporaryFolder(), 'watches.sqlite');
  const pairs: Published[] = [await liveTripTown('07:40', {}), await liveTripTown('07:50', cancelled)];
  const spec = await tram();
  const service = open(file, store);
  let current = pairs[0]!;
  const snapshots = { current: () => ({ value: current, dataVersion: 'of no interest' }) };
  const following = followWithWatches(service, snapshots, { clock, log: silentLog });
  await service.follow(current);
  const made = await service.watch(orderOf({ spec }), null);
  expect(made).toMatchObject({ status: 'unknown', events: [], checkedAt: expect.any(Number) });
  current = pairs[1]!;
  const poll = (from: WatchService) => from.watch(orderOf({ id: made!.watchId, spec }), null);
  await vi.waitFor(async () => expect((await poll(service))!.events).toHaveLength(1), { timeout: 60_000 });
  await following.stop();
  const before = await poll(service);
  await service.close();
  const after = open(file, store);
  expect(await poll(after)).toMatchObject({ events: before!.events, watchId: made!.watchId });
  expect(await after.unwatch(made!.watchId, 'trip', 'anna')).toBe(true);
  expect(await after.unwatch(made!.watchId, 'trip', 'anna')).toBe(false);
});

test('events of a thread are pushed', async () => {
  const receiver = await openReceiver();
  const service = open(await compiled(), path.join(await temporaryFolder(), 'watches.sqlite'));
  const spec = await tram();
  await service.follow(await liveTripTown('07:40', {}));
  const target = targetOf(receiver.subscribe(vapidKeys.publicKey));
  const made = await service.watch(orderOf({ spec, target }), null);
  const { counts, sender } = countOutcomes(openSender({ clock }));
  const delivery = deliverPushes(service, sender, { clock, log: silentLog });
  onTestFinished(() => delivery.stop());
  expect(await service.follow(await liveTripTown('07:50', cancelled))).toBe(1);
  const [push] = await receiver.waitFor(1);
  await vi.waitFor(() => expect(counts.delivered).toBe(1), { timeout: 60_000 });
  await delivery.stop();
  const { events } = (await service.watch(orderOf({ id: made!.watchId, spec, target }), null))!;
  expect(push!.message).toEqual({ watchId: made!.watchId, event: events[0] });
  expect(await service.claim((nowInstant(clock) + 600) as Instant, 10)).toEqual([]);
});

test('a store that cannot be opened and a thread that dies are I/O errors, each logged', async () => {
  const away = open(await compiled(), '/dev/null/watches.sqlite');
  await expect(away.watch(orderOf(), null)).rejects.toMatchObject({ code: 'watch_store_failed' });
  const warnings: string[] = [];
  const none = open(new URL('file:///nowhere/thread.js'), 'x', {
    ...silentLog,
    warn: (text) => void warnings.push(text),
  });
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 60_000 });
  await expect(none.watch(orderOf(), null)).rejects.toMatchObject({ code: 'watches_unavailable' });
});
