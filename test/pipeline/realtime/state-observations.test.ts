import { beforeAll, describe, expect, test } from 'vitest';
import type { CallObservation } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, stopOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, clockAt, DAY, emit, type ReportedCall, report, show } from './reported-trips.ts';

// The line of `soundFeed`: t1 calls at a 08:00, b 08:10 to 08:11, c 08:20; t2 an hour later.

let world: World;

beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

describe('observations', () => {
  const words = ({ position, event, time, evidence, isCancelled, platform }: CallObservation) =>
    `${position} ${event} ${isCancelled ? 'cancelled' : `${clockAt(time ?? 0)} ${evidence}`}${platform ? ` at ${platform}` : ''}`;

  test('are reports, each once, and never derived values', async () => {
    const live = await openLiveWorld(world);
    const whole = { isPropagating: true };
    const first = emit(live, '08:05', [report({ a: { departure: '08:02' } })], whole);
    expect(first.observations.map(words)).toEqual(['0 departure 08:02:00 forecast']);
    expect(emit(live, '08:06', [report({ a: { departure: '08:02' } })], whole).observations).toEqual([]);
    const next = emit(live, '08:07', [report({ b: { arrival: '08:12' } })], whole);
    expect(next.observations.map(words)).toEqual(['1 arrival 08:12:00 forecast']);
  });

  test('a propagated time is emitted once it is reported', async () => {
    const live = await openLiveWorld(world);
    const whole = { isPropagating: true };
    emit(live, '08:05', [report({ a: { departure: '08:02' } })], whole);
    const { observations } = emit(
      live,
      '08:06',
      [report({ a: { departure: '08:02' }, b: { arrival: '08:12' } })],
      whole,
    );
    expect(observations.map(words)).toEqual(['1 arrival 08:12:00 forecast']);
  });

  test('are emitted when a platform changes, and when a forecast is confirmed', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12', platform: '3' } })]);
    const moved = emit(live, '08:06', [report({ b: { arrival: '08:12', platform: '4' } })]);
    expect(moved.observations.map(words)).toEqual(['1 arrival 08:12:00 forecast at 4']);
    const seen = emit(live, '08:13', [report({ b: { arrival: '08:12', platform: '4', isMeasured: true } })]);
    expect(seen.observations.map(words)).toEqual(['1 arrival 08:12:00 observed_actual at 4']);
  });

  test('are emitted once per call for a cancelled trip', async () => {
    const live = await openLiveWorld(world);
    const cancelled = report({}, { relationship: 'cancelled' });
    expect(emit(live, '07:50', [cancelled]).observations.map(words)).toEqual([
      '0 departure cancelled',
      '1 arrival cancelled',
      '1 departure cancelled',
      '2 arrival cancelled',
    ]);
    expect(emit(live, '07:51', [cancelled]).observations).toEqual([]);
  });

  test('name trip, line, stop and schedule', async () => {
    const live = await openLiveWorld(world);
    const { observations } = emit(live, '08:05', [report({ b: { arrival: '08:12' } })]);
    expect(observations).toEqual([
      {
        tripKey: world.timetable.tables.trips.key[0],
        day: 20_515,
        tripId: 't1',
        routeId: 'r',
        lineLabel: '1',
        position: 1,
        stopId: 'b',
        event: 'arrival',
        channel: 'stop_events',
        scheduledTime: instant(at('08:10')),
        time: instant(at('08:12')),
        evidence: 'forecast',
        isCancelled: false,
        platform: null,
        uncertaintySeconds: null,
        occupancy: null,
        recordedAt: instant(at('08:05')),
      },
    ]);
  });

  test('are not emitted again after a restart with the emitted observations', async () => {
    const live = await openLiveWorld(world);
    const skip = { state: 'skipped' } as const;
    const reports = [
      report({ a: { departure: '08:02' }, b: { arrival: '08:12', departure: '08:13', platform: '3' } }),
      report({ a: { departure: '09:01' }, b: skip }, {}, 't2'),
    ];
    const reported = emit(live, '08:05', reports).observations;
    expect(reported).toHaveLength(6);
    const restarted = await openLiveWorld(world);
    restarted.state.restore(
      'rt',
      reported.map((observation) => ({ ...observation, lastSeenAt: instant(at('08:05')), part: 'all' })),
    );
    expect(show(restarted, '08:05')).toBe(show(live, '08:05'));
    expect(emit(restarted, '08:06', reports).observations).toEqual([]);
    expect(show(restarted, '08:06')).toBe('-/08:02:00~ 08:12:00~/08:13:00~ -/-');
  });
});

test('an added trip without a date keeps the day on which it began', async () => {
  const live = await openLiveWorld(world);
  const added = (calls: Readonly<Record<string, ReportedCall>>) => ({
    ...report(calls, { relationship: 'added' }),
    trip: tripOf('extra', { routeId: 'r' }),
  });
  emit(live, '23:30', [added({ a: { departure: '23:50' }, b: { arrival: '23:59' } })]);
  const before = live.state.build(instant(at('23:30'))).addedTrips;
  const late = added({});
  const midnight = (instant(at('23:59')) + 600) as Instant;
  const event = { scheduledTime: null, time: midnight, delaySeconds: null, isMeasured: false };
  emit(live, '23:58', [{ ...late, calls: [callOf(stopOf('c'), { arrival: event })] }]);
  const after = live.state.build(instant(at('23:58'))).addedTrips;
  expect([...after.day]).toEqual([...before.day]);
  expect([...after.key]).toEqual([...before.key]);
});

test('a reported measurement is no longer marked as position of a vehicle', async () => {
  const live = await openLiveWorld(world);
  const vehicle = vehicleOf('v', {
    trip: tripOf('t1', { startDate: DAY }),
    stop: stopOf('b'),
    stopStatus: 'stoppedAt',
  });
  const flagsAt = (clock: string) => live.state.build(instant(at(clock))).calls.flags[1]!;
  live.report('rt', at('08:11'), { vehicles: [vehicle], recordCount: 1 }, 'vehicles');
  expect(flagsAt('08:11') & callFlags.fromPosition).toBe(callFlags.fromPosition);
  emit(live, '08:12', [report({ b: { arrival: '08:10', isMeasured: true } })]);
  expect(flagsAt('08:12') & callFlags.fromPosition).toBe(0);
});
