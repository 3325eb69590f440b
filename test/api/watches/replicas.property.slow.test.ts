import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WatchEvent } from '../../../api/contract/definitions.ts';
import type { Published } from '../../../api/engine/read/realtime.ts';
import { createWatchService, type WatchService } from '../../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import type { WatchSpec } from '../../../api/watches/watch.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { instant, TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { LIMITS, orderOf } from './store-cases.ts';

const bus = (clock: string): TripReport =>
  reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });
const tram = (platform: string): TripReport =>
  reportOf(townTrip('t2'), { calls: [callOf(stopOf('s2'), { departure: timeOf(at('08:18')), platform })] });
const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });

/** Traffic states in any order. */
const situations: readonly Partial<SourceUpdate>[] = [
  { trips: [bus('08:10')] },
  { trips: [bus('08:14')] },
  { trips: [bus('08:20'), tram('2')] },
  { trips: [bus('08:12'), tram('1')] },
  { trips: [cancelled('t1')] },
  { trips: [bus('08:10'), cancelled('t2')], alerts: [alertOf('x', { stops: [stopOf('s2')] })] },
  { alerts: [alertOf('x', { stops: [stopOf('s2')] }), alertOf('y', { stops: [stopOf('a')] })] },
];

async function openSituations(): Promise<readonly World[]> {
  const town = await openTripTown();
  const worlds: World[] = [];
  for (const situation of situations) {
    const live = await openLiveWorld(town, ['rt'], { maxAgeSeconds: 36_000 });
    live.report('rt', at('07:00'), situation);
    worlds.push(live.at(at('07:00')));
  }
  return worlds;
}

/** The data as published at a time. */
function publish({ timetable, realtime }: World, now: Instant): Published {
  const createdAt = new Date(now * 1000).toISOString();
  return { timetable, realtime: realtime && { ...realtime, manifest: { ...realtime.manifest, createdAt } } };
}

const BEGIN = instant(at('07:05'));

/** One of the replicas, the other, both in turn or at the same time, or a replica that is a snapshot behind. */
type Delivery = 'first' | 'second' | 'both' | 'at once' | 'second late' | 'restart' | 'crash';

interface Step {
  readonly situation: number;
  readonly seconds: number;
  /** The replica that judges the snapshot first. */
  readonly opening: Delivery;
  readonly deliveries: readonly Delivery[];
}

const step: fc.Arbitrary<Step> = fc.record({
  situation: fc.nat(situations.length - 1),
  seconds: fc.constantFrom(20, 60, 200, 400),
  opening: fc.constantFrom<Delivery>('first', 'second', 'both', 'at once', 'restart', 'crash'),
  deliveries: fc.array(
    fc.constantFrom<Delivery>('first', 'second', 'both', 'at once', 'second late', 'restart', 'crash'),
    { maxLength: 3 },
  ),
});

async function openStore(clock: ReturnType<typeof fixedClock>): Promise<WatchStore> {
  return openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
}

/** Services over one store, and the effect of a delivery. */
class Replicas {
  private readonly store: WatchStore;
  private readonly clock: ReturnType<typeof fixedClock>;
  private services: [WatchService, WatchService];
  private behind: Published | null = null;

  constructor(store: WatchStore, clock: ReturnType<typeof fixedClock>) {
    this.store = store;
    this.clock = clock;
    this.services = [this.make(), this.make()];
  }

  private make(store = this.store): WatchService {
    return createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock: this.clock });
  }

  get any(): WatchService {
    return this.services[0];
  }

  async deliver(delivery: Delivery, pair: Published): Promise<void> {
    const [first, second] = this.services;
    if (delivery === 'restart') {
      this.services = [this.make(), second];
      await this.services[0].follow(pair);
    } else if (delivery === 'crash') {
      // The transaction is committed, but its replica ends before it receives the confirmation.
      const dying = this.make({
        ...this.store,
        commit: async (...values) => {
          await this.store.commit(...values);
          throw new Error('killed');
        },
      });
      await dying.follow(pair).catch(() => {});
    } else if (delivery === 'at once') await Promise.all([first.follow(pair), second.follow(pair)]);
    else if (delivery === 'second late') await second.follow(this.behind ?? pair);
    else {
      if (delivery !== 'second') await first.follow(pair);
      if (delivery !== 'first') await second.follow(pair);
    }
  }

  finish(pair: Published): void {
    this.behind = pair;
  }
}

test('emits each event once and in order, whatever happens to two replicas', { timeout: 300_000 }, async () => {
  const worlds = await openSituations();
  const legs = [
    { journeyRef: 'bus', tripKey: keyOf(worlds[0]!, 't1'), originId: 'at:a', destinationId: 'at:s1' },
    { journeyRef: 'tram', tripKey: keyOf(worlds[0]!, 't2'), originId: 'at:s2', destinationId: 'at:z' },
  ].map((leg) => ({ ...leg, day: toEpochDay(DAY as ServiceDate) }));
  const spec: WatchSpec = { kind: 'trip', until: null, legs, minDelayMinutes: 5 };
  let totalEvents = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const clock = fixedClock(new Date(BEGIN * 1000).toISOString());
      const [shared, alone] = [await openStore(clock), await openStore(clock)];
      const replicas = new Replicas(shared, clock);
      const reference = createWatchService({ store: alone, referenceKey: TEST_KEY, limits: LIMITS, clock });
      const start = publish(worlds[0]!, BEGIN);
      await Promise.all([replicas.deliver('both', start), reference.follow(start)]);
      const ids = [await begin(replicas.any, spec), await begin(reference, spec)] as const;
      replicas.finish(start);
      let now = BEGIN;
      for (const { situation, seconds, opening, deliveries } of steps) {
        now = (now + seconds) as Instant;
        clock.set(new Date(now * 1000).toISOString());
        const pair = publish(worlds[situation]!, now);
        await reference.follow(pair);
        for (const delivery of [opening, ...deliveries]) await replicas.deliver(delivery, pair);
        replicas.finish(pair);
      }
      const [emitted, expected] = [await poll(replicas.any, spec, ids[0]), await poll(reference, spec, ids[1])];
      expect(emitted.map(withoutId)).toEqual(expected.map(withoutId));
      expect(new Set(emitted.map(({ id }) => id)).size).toBe(emitted.length);
      totalEvents += emitted.length;
      await Promise.all([shared.close(), alone.close()]);
    }),
    { numRuns: 120 },
  );
  expect(totalEvents).toBeGreaterThan(300);
});

function keyOf({ timetable }: World, tripId: string): string {
  const { tripId: ids, key } = timetable.tables.trips;
  for (let row = 0; row < ids.length; row++) if (ids.get(row) === tripId) return key[row]!.toString();
  throw new Error(`there is no trip ${tripId}`);
}

const begin = async (service: WatchService, spec: WatchSpec) => (await service.watch(orderOf({ spec }), null))!.watchId;

const poll = async (service: WatchService, spec: WatchSpec, id: string) =>
  (await service.watch(orderOf({ id, spec }), null))!.events;

function withoutId({ id: _, ...event }: WatchEvent): Omit<WatchEvent, 'id'> {
  return event;
}
