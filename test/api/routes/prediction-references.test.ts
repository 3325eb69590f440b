import { beforeAll, describe, expect, test } from 'vitest';
import { createReferences, REFERENCE_KEY_BYTES } from '../../../api/engine/read/references.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { hashTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import type { World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { openService, type ServiceOptions } from '../service-app.ts';
import {
  type LastEmitted,
  NOW,
  observedAt,
  ofBus,
  openLive,
  openTown,
  post,
  references,
  refOf,
} from './prediction-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTown();
});

describe('invalidated references', () => {
  const isInvalidated = async (ref: string, emitted: LastEmitted = {}) =>
    (await post([ref], { forecasts: [], ...emitted })).invalidatedJourneyRefs.length === 1;
  const arriving = (tripId: string, clock: string, isMeasured = false): LastEmitted => ({
    updates: {
      rt: {
        trips: [
          reportOf(townTrip(tripId), {
            calls: [callOf(stopOf('z'), { arrival: timeOf(at(clock), null, isMeasured) })],
          }),
        ],
      },
    },
  });

  test.each<[string, () => string]>([
    ['made by nobody', () => 'nonsense'],
    ['altered at its end', () => `${refOf('t1')}A`],
    ['altered inside', () => refOf('t1').replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))],
    [
      'made by another service',
      () => {
        const stranger = createReferences(Buffer.alloc(REFERENCE_KEY_BYTES, 9));
        return stranger.sealJourney({ tripKey: hashTrip('at', 't1', -1), day: toEpochDay(DAY as ServiceDate) });
      },
    ],
    ['of a trip that is not in the timetable', () => refOf('gone')],
    ['of a day on which it does not run', () => refOf('t1', '2026-03-09')],
    ['of more than three days ago', () => refOf('t1', '2026-02-27')],
    ['of a trip that has arrived', () => refOf('far')],
    ['of the same trip yesterday', () => refOf('t1', '2026-03-02')],
  ])('include those %s', async (_what, ref) => {
    expect(await isInvalidated(ref())).toBe(true);
  });

  test.each<[string, () => string]>([
    ['under way', () => refOf('t1')],
    ['not yet begun', () => refOf('t2')],
    ['of tomorrow', () => refOf('t1', '2026-03-04')],
    ['over midnight', () => refOf('night')],
  ])('exclude those %s', async (_what, ref) => {
    expect(await isInvalidated(ref())).toBe(false);
  });

  /** Observed at the church at 08:25. */
  const lateBus = () => ({
    position: 2,
    observedAt: observedAt('08:25'),
    ...{ low: Int16Array.of(60), median: Int16Array.of(90), high: Int16Array.of(120) },
  });

  test.each<[string, string, LastEmitted, boolean]>([
    ['planned for now', '08:30', {}, false],
    ['planned for before', '08:30:01', {}, true],
    ['late', '08:39', arriving('t1', '08:40'), false],
    ['late and over', '08:41', arriving('t1', '08:40'), true],
    ['early by a forecast, which may be wrong', '08:29', arriving('t1', '08:28'), false],
    ['seen at its end', '08:26', { ...arriving('t1', '08:22', true), reportedAt: '08:25' }, true],
    ['forecast to arrive later than all words on it', '08:30:30', { forecasts: [ofBus(lateBus())] }, false],
  ])('a trip is over: %s', async (_how, now, emitted, expected) => {
    expect(await isInvalidated(refOf('t1'), { now, ...emitted })).toBe(expected);
  });

  test('an added trip is known while it is reported', async () => {
    const extra = reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E' }), {
      relationship: 'added',
      calls: ['a', 'h'].map((id, i) => callOf(stopOf(id), { arrival: timeOf(at(`08:${20 + i}`)) })),
    });
    const live = await openLive({ updates: { rt: { trips: [extra] } } });
    const { key, day } = live.realtime!.tables.addedTrips;
    const ref = references.sealJourney({ tripKey: key[0]!, day: day[0]! });
    expect(await isInvalidated(ref, { updates: { rt: { trips: [extra] } } })).toBe(false);
    expect(await isInvalidated(ref, { updates: { rt: { trips: [extra] } }, now: '08:22' })).toBe(true);
    expect(await isInvalidated(ref)).toBe(true);
  });
});

describe('without predictions', () => {
  const nothing = { count: 0, predictions: [] };
  const getAll = async (live: World, options: Partial<ServiceOptions> = {}) => {
    const app = await openService(live, { clock: fixedClock(at(NOW)), ...options });
    const send = (url: string, payload: object) => app.inject({ method: 'POST', url, payload });
    const answers = [
      await app.inject({ url: '/v1/predictions?line=1' }),
      await app.inject({ url: '/v1/predictions?lat=48.04&lon=16.04' }),
      await app.inject({ url: `/v1/predictions?jids=${refOf('t1')}` }),
      await send('/v1/predictions/batch', { jids: [refOf('t1')] }),
    ];
    for (const answer of answers) {
      await expectValidAnswer('V1Predictions', answer.json());
      expect([answer.statusCode, answer.json()]).toMatchObject([200, nothing]);
    }
    const batch = await send('/v2/predictions/batch', { journeyRefs: [refOf('t1'), 'nonsense', refOf('far')] });
    await expectValidAnswer('PredictionBatch', batch.json());
    expect([batch.statusCode, batch.json().predictions]).toEqual([200, []]);
    return batch.json().invalidatedJourneyRefs as string[];
  };

  test('returns empty responses, and still checks references', async () => {
    const judged = ['nonsense', refOf('far')];
    expect(await getAll(world)).toEqual(judged);
    expect(await getAll(await openLive({ forecasts: [] }))).toEqual(judged);
    expect(await getAll(await openLive({}), { arePredictionsPaused: true })).toEqual(judged);
  });

  test('without a timetable, only malformed references are invalidated', async () => {
    expect(await getAll(world, { overrides: { snapshots: { current: () => null } } })).toEqual(['nonsense']);
  });
});
