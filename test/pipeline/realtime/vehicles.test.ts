import { beforeAll, describe, expect, it, test } from 'vitest';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import { CALL_CANCELLED, callFlags, type RealtimeTables } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';

/** Trip t1: Anger 08:00, Berg 08:10 to 08:11, Kirche 08:20. */
let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

const DAY = '2026-03-03';
/** `08:10`, or `08:10:30`, of a Tuesday in Vienna. */
const at = (clock: string) => `${DAY}T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;
const clockOf = (time: number) => new Date((time + 3600) * 1000).toISOString().slice(11, 19).replace(/:00$/, '');

const t1 = tripOf('t1', { startDate: DAY as never });
const t2 = tripOf('t2', { startDate: DAY as never });

function emit(live: LiveWorld, clock: string, vehicles: readonly VehicleReport[], source = 'rt'): AppliedUpdate {
  return live.report(source, at(clock), { vehicles, recordCount: vehicles.length }, 'vehicles');
}

/** `v1 08:10 t1@1 stopped`: id, observation time, trip and position. */
function describeVehicles({ vehicles, texts, addedTrips }: RealtimeTables): string[] {
  const { trips, routes } = world.timetable.tables;
  return Array.from(vehicles.id, (id, row) => {
    const [trip, added, route] = [vehicles.trip[row]!, vehicles.addedTrip[row]!, vehicles.route[row]!];
    const dated = trip < 0 ? '' : ` ${trips.tripId.get(trip)}@${vehicles.position[row]}`;
    const extra = added < 0 ? '' : ` added ${texts.text.get(addedTrips.label[added]!)}`;
    const line = trip >= 0 || route < 0 ? '' : ` on ${routes.label.get(route)}`;
    const stopped = vehicles.isStopped[row] === 1 ? ' stopped' : '';
    return `${texts.text.get(id)} ${clockOf(vehicles.observedAt[row]!)}${dated}${extra}${line}${stopped}`;
  });
}

const shownAt = (live: LiveWorld, clock: string) => describeVehicles(live.state.build(instant(at(clock))));

describe('published vehicles', () => {
  test.each<[clock: string, shown: readonly string[]]>([
    ['08:00', ['v1 08:00 t1@-1']],
    ['08:08', ['v1 08:00 t1@-1']],
    ['08:08:01', []],
  ])('at %s of one observed at 08:00', async (clock, shown) => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', [vehicleOf('v1', { trip: t1 })]);
    expect(shownAt(live, clock)).toEqual(shown);
  });

  test.each<[reason: string, vehicles: readonly VehicleReport[], shown: readonly string[]]>([
    [
      'of two units of one trip the one observed last',
      [
        vehicleOf('v1', { trip: t1, recordedAt: instant(at('08:01')) }),
        vehicleOf('v2', { trip: t1, recordedAt: instant(at('08:02')) }),
      ],
      ['v2 08:02 t1@-1'],
    ],
    [
      'of two units observed at the same time the first by id',
      [vehicleOf('v2', { trip: t1 }), vehicleOf('v1', { trip: t1 })],
      ['v1 08:05 t1@-1'],
    ],
    [
      'vehicles of two trips, by id',
      [vehicleOf('v2', { trip: t1 }), vehicleOf('v1', { trip: t2 })],
      ['v1 08:05 t2@-1', 'v2 08:05 t1@-1'],
    ],
    ['any number without a trip', [vehicleOf('v2'), vehicleOf('v1')], ['v1 08:05', 'v2 08:05']],
    ['one with only a known line', [vehicleOf('v1', { trip: tripOf('gone', { routeId: 'r' }) })], ['v1 08:05 on 1']],
    [
      'one with a clock that is ahead counts as observed at its report',
      [vehicleOf('v1', { trip: t1, recordedAt: instant(at('09:00')) })],
      ['v1 08:05 t1@-1'],
    ],
    [
      'one at a call',
      [vehicleOf('v1', { trip: t1, stop: stopOf('b'), stopStatus: 'stoppedAt' })],
      ['v1 08:05 t1@1 stopped'],
    ],
  ])('%s', async (_reason, vehicles, shown) => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', vehicles);
    expect(shownAt(live, '08:05')).toEqual(shown);
  });

  it('sorts by source, then id, and of two sources with one trip has the one observed last', async () => {
    const live = await openLiveWorld(world, ['rt', 'other']);
    emit(live, '08:01', [vehicleOf('v9'), vehicleOf('v8', { trip: t1 })]);
    emit(live, '08:02', [vehicleOf('v1'), vehicleOf('v2', { trip: t1 })], 'other');
    expect(shownAt(live, '08:02')).toEqual(['v9 08:01', 'v1 08:02', 'v2 08:02 t1@-1']);
  });

  it('counts matched and unmatched vehicles', async () => {
    const live = await openLiveWorld(world);
    const { tally } = emit(live, '08:05', [vehicleOf('v1', { trip: t1 }), vehicleOf('v2'), vehicleOf('v3')]);
    expect([tally.vehiclesMatched, tally.vehiclesUnmatched]).toEqual([1, 2]);
  });

  it('has the heading, line and direction of the publisher', async () => {
    const live = await openLiveWorld(world);
    const trip = tripOf(null, { lineLabel: '99', headsign: 'Heide' });
    emit(live, '08:05', [vehicleOf('v1', { headingDeg: 0, trip }), vehicleOf('v2')]);
    const { vehicles, texts } = live.state.build(instant(at('08:05')));
    expect([...vehicles.headingDeg]).toEqual([0, -1]);
    expect([texts.text.get(vehicles.label[0]!), texts.text.get(vehicles.direction[0]!)]).toEqual(['99', 'Heide']);
    expect([vehicles.label[1], vehicles.direction[1]]).toEqual([-1, -1]);
  });

  it('ignores an observation that is older than the current one', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [vehicleOf('v1', { trip: t1, stop: stopOf('c'), recordedAt: instant(at('08:05')) })]);
    const seenEarlier = { trip: t1, stop: stopOf('b'), stopStatus: 'stoppedAt' as const };
    const late = emit(live, '08:06', [vehicleOf('v1', { ...seenEarlier, recordedAt: instant(at('08:04')) })]);
    expect(shownAt(live, '08:06')).toEqual(['v1 08:05 t1@2']);
    expect(late.observations).toEqual([]);
  });
});

describe('an added trip', () => {
  it('is matched by the id of its vehicle', async () => {
    const live = await openLiveWorld(world);
    const calls = [
      callOf(stopOf('a'), { departure: timeOf(at('08:00')) }),
      callOf(stopOf('b'), { arrival: timeOf(at('08:20')) }),
    ];
    const trips = [
      reportOf(tripOf('extra', { startDate: DAY as never, lineLabel: 'E' }), { relationship: 'added', calls }),
    ];
    live.report('rt', at('08:05'), { trips });
    const { tally } = emit(live, '08:05', [vehicleOf('v1'), vehicleOf('v2', { trip: tripOf('extra') })]);
    expect([tally.vehiclesMatched, tally.vehiclesUnmatched]).toEqual([1, 1]);
    expect(shownAt(live, '08:05')).toEqual(['v1 08:05', 'v2 08:05 added E']);
  });
});

describe('events derived from a vehicle at a stop', () => {
  /** `departure 0 08:01:30`, in the order of emission. */
  const describeObservations = ({ observations }: AppliedUpdate) =>
    observations.map(({ event, position, time, evidence, channel }) => {
      expect([evidence, channel]).toEqual(['observed_actual', 'positions']);
      return `${event} ${position} ${clockOf(time!)}`;
    });

  type Place = Pick<VehicleReport, 'stop' | 'stopStatus'>;
  const stopped = (id: string): Place => ({ stop: stopOf(id), stopStatus: 'stoppedAt' });
  const heading = (id: string): Place => ({ stop: stopOf(id), stopStatus: 'inTransitTo' });
  const nowhere: Place = { stop: null, stopStatus: null };

  test.each<[reason: string, seen: readonly (readonly [clock: string, place: Place, reported: readonly string[]])[]]>([
    [
      'the whole trip',
      [
        ['07:59', stopped('a'), []],
        ['08:00:30', stopped('a'), []],
        ['08:01', heading('b'), ['departure 0 08:00:30']],
        ['08:09', { stop: stopOf('b'), stopStatus: 'incomingAt' }, []],
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:11', stopped('b'), []],
        ['08:12', heading('c'), ['departure 1 08:11']],
        ['08:20', stopped('c'), ['arrival 2 08:20']],
        ['08:22', stopped('c'), []],
      ],
    ],
    [
      'from stop to stop, with no position in between',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:20', stopped('c'), ['departure 1 08:10', 'arrival 2 08:20']],
      ],
    ],
    [
      'not at a call it may still stand there',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:11', nowhere, []],
        ['08:12', stopped('b'), []],
      ],
    ],
    [
      'at an earlier call it has not departed',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:11', stopped('a'), []],
      ],
    ],
    ['between stops it proves nothing', [['08:10', heading('b'), []]]],
  ])('%s', async (_reason, seen) => {
    const live = await openLiveWorld(world);
    for (const [clock, place, reported] of seen) {
      const applied = emit(live, clock, [vehicleOf('v1', { trip: t1, recordedAt: instant(at(clock)), ...place })]);
      expect(describeObservations(applied), clock).toEqual(reported);
    }
  });

  it('are shown, with their evidence', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:10:40', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    const { calls } = live.state.build(instant(at('08:11')));
    expect(clockOf(calls.arrival[1]!)).toBe('08:10:40');
    expect(calls.arrivalPrognosis[1]).toBe(2);
    expect(calls.flags[1]).toBe(callFlags.fromPosition);
  });

  it('are never later than their report', async () => {
    const live = await openLiveWorld(world);
    const ahead = { recordedAt: instant(at('09:00')), ...stopped('b') };
    expect(describeObservations(emit(live, '08:10', [vehicleOf('v1', { trip: t1, ...ahead })]))).toEqual([
      'arrival 1 08:10',
    ]);
  });

  it('do not concern the trip of another day', async () => {
    const live = await openLiveWorld(world);
    const yesterday = tripOf('t1', { startDate: '2026-03-02' as never });
    emit(live, '08:10', [vehicleOf('v1', { trip: yesterday, ...stopped('b') })]);
    const applied = emit(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('c') })]);
    expect(describeObservations(applied)).toEqual(['arrival 2 08:12']);
  });

  /** Trip updates for Berg before the vehicle stood there at 08:12, and the resulting arrival. */
  test.each<[reason: string, call: Parameters<typeof callOf>[1], reported: readonly string[], arrival: string]>([
    ['a forecast is replaced', { arrival: timeOf(at('08:14')) }, ['arrival 1 08:12'], '08:12 observed'],
    ['a measured time remains', { arrival: timeOf(at('08:09'), null, true) }, [], '08:09 observed'],
    ['a cancelled call is not served', { state: 'skipped' }, [], 'cancelled'],
  ])('%s', async (_reason, call, reported, arrival) => {
    const live = await openLiveWorld(world);
    live.report('rt', at('08:10'), { trips: [reportOf(t1, { calls: [callOf(stopOf('b'), call)] })] }, 'trips');
    const applied = emit(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    expect(describeObservations(applied)).toEqual(reported);
    const { calls } = live.state.build(instant(at('08:12')));
    const isCancelled = (calls.flags[1]! & CALL_CANCELLED) === CALL_CANCELLED;
    const evidence = ['unknown', 'forecast', 'observed'][calls.arrivalPrognosis[1]!];
    expect(isCancelled ? 'cancelled' : `${clockOf(calls.arrival[1]!)} ${evidence}`).toBe(arrival);
  });

  it('survive a later forecast, and are replaced by a measured time', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    const arrivalAfter = (time: string, isMeasured: boolean) => {
      const calls = [callOf(stopOf('b'), { arrival: timeOf(at(time), null, isMeasured) })];
      live.report('rt', at('08:15'), { trips: [reportOf(t1, { calls })] }, 'trips');
      return clockOf(live.state.build(instant(at('08:15'))).calls.arrival[1]!);
    };
    expect(arrivalAfter('08:18', false)).toBe('08:12');
    expect(arrivalAfter('08:11', true)).toBe('08:11');
  });
});
