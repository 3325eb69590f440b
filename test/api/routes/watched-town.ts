import { createECDH } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import type { WatchState } from '../../../api/contract/definitions.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import { serveWatches } from '../../../api/watches/service/watches.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { testWatchService, testWatchSettings } from '../../support/fakes/test-watches.ts';
import { TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { serviceOptions } from '../service-app.ts';

export const today = toEpochDay(DAY as ServiceDate);
const key = createECDH('prime256v1');
export const subscription = {
  endpoint: 'https://push.example.org/abc',
  expirationTime: null,
  keys: { p256dh: key.generateKeys('base64url'), auth: Buffer.alloc(16, 3).toString('base64url') },
};

/** The service on the town, with a source that the test controls. */
export class Town {
  readonly clock = fixedClock(at('07:30'));
  readonly live: LiveWorld;
  readonly watches: WatchService;
  readonly app: FastifyInstance;
  private world: World;

  private constructor(
    world: World,
    live: LiveWorld,
    app: FastifyInstance,
    watches: WatchService,
    clock: Town['clock'],
  ) {
    this.clock = clock;
    this.world = world;
    this.live = live;
    this.app = app;
    this.watches = watches;
  }

  static async open(limits = testWatchSettings): Promise<Town> {
    const world = await openTripTown();
    const live = await openLiveWorld(world);
    const clock = fixedClock(at('07:30'));
    const service = testWatchService(clock, limits);
    let town: Town;
    const options = serviceOptions(world, { clock, watches: serveWatches(service, TEST_KEY) });
    const snapshots = {
      current: () => ({ value: town.published, dataVersion: 'v', timetableVersion: 'v' }),
    };
    const app = await buildApp({ ...options, snapshots });
    town = new Town(world, live, app, service, clock);
    onTestFinished(async () => {
      await app.close();
      await service.close();
    });
    await town.receive('07:30', {});
    return town;
  }

  get published() {
    return { timetable: this.world.timetable, realtime: this.world.realtime };
  }

  /** Polls, publishes a snapshot, and evaluates the watches. @returns the number of events */
  async receive(clock: string, update: Partial<SourceUpdate>): Promise<number> {
    this.clock.set(at(clock));
    this.live.report('rt', at(clock), update);
    this.world = this.live.at(at(clock));
    return this.watches.follow(this.published);
  }

  ref(tripId: string, day: number = today): string {
    const { tripId: ids, key } = this.world.timetable.tables.trips;
    for (let row = 0; row < ids.length; row++) {
      if (ids.get(row) === tripId) return this.world.references.sealJourney({ tripKey: key[row]!, day });
    }
    throw new Error(`there is no trip ${tripId}`);
  }

  /** The bus to the station, then the tram from its other platform. */
  legs = () => [
    { journeyRef: this.ref('t1'), originId: 'at:a', destinationId: 'at:s1' },
    { journeyRef: this.ref('t2'), originId: 'at:s2', destinationId: 'at:z' },
  ];

  post(path: string, payload: object, token?: string) {
    const headers = token === undefined ? {} : { 'x-installation-token': token };
    return this.app.inject({ method: 'POST', url: `/v2/${path}`, payload, headers });
  }

  async watch(path: string, payload: object, token?: string): Promise<WatchState> {
    const answer = await this.post(path, payload, token);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    await expectValidAnswer('WatchState', answer.json());
    return answer.json();
  }
}

export const bus = (clock: string): TripReport =>
  reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });

export const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
export const kindsOf = ({ events }: WatchState) => events.map(({ kind }) => kind);
