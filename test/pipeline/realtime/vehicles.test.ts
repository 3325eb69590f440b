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

function say(live: LiveWorld, clock: string, vehicles: readonly VehicleReport[], source = 'rt'): AppliedUpdate {
  return live.say(source, at(clock), { vehicles, recordCount: vehicles.length }, 'vehicles');
}

/** `v1 08:10 t1@1 stopped`: id, when it was seen, what it runs and where. */
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

describe('which vehicles are shown', () => {
  test.each<[clock: string, shown: readonly string[]]>([
    ['08:00', ['v1 08:00 t1@-1']],
    ['08:08', ['v1 08:00 t1@-1']],
    ['08:08:01', []],
  ])('at %s of one that was seen at 08:00', async (clock, shown) => {
    const live = await openLiveWorld(world);
    say(live, '08:00', [vehicleOf('v1', { trip: t1 })]);
    expect(shownAt(live, clock)).toEqual(shown);
  });

  test.each<[reason: string, vehicles: readonly VehicleReport[], shown: readonly string[]]>([
    [
      'of two units of one trip the one seen last',
      [
        vehicleOf('v1', { trip: t1, recordedAt: instant(at('08:01')) }),
        vehicleOf('v2', { trip: t1, recordedAt: instant(at('08:02')) }),
      ],
      ['v2 08:02 t1@-1'],
    ],
    [
      'of two units seen at once the first by id',
      [vehicleOf('v2', { trip: t1 }), vehicleOf('v1', { trip: t1 })],
      ['v1 08:05 t1@-1'],
    ],
    [
      'vehicles of two trips, by id',
      [vehicleOf('v2', { trip: t1 }), vehicleOf('v1', { trip: t2 })],
      ['v1 08:05 t2@-1', 'v2 08:05 t1@-1'],
    ],
    ['any number without a trip', [vehicleOf('v2'), vehicleOf('v1')], ['v1 08:05', 'v2 08:05']],
    [
      'one of which only the line is known',
      [vehicleOf('v1', { trip: tripOf('gone', { routeId: 'r' }) })],
      ['v1 08:05 on 1'],
    ],
    [
      'one whose clock is ahead counts as seen at its report',
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
    say(live, '08:05', vehicles);
    expect(shownAt(live, '08:05')).toEqual(shown);
  });

  it('sorts by source, then id, and of two sources with one trip has the one seen last', async () => {
    const live = await openLiveWorld(world, ['rt', 'other']);
    say(live, '08:01', [vehicleOf('v9'), vehicleOf('v8', { trip: t1 })]);
    say(live, '08:02', [vehicleOf('v1'), vehicleOf('v2', { trip: t1 })], 'other');
    expect(shownAt(live, '08:02')).toEqual(['v9 08:01', 'v1 08:02', 'v2 08:02 t1@-1']);
  });

  it('counts what could be placed and what not', async () => {
    const live = await openLiveWorld(world);
    const { tally } = say(live, '08:05', [vehicleOf('v1', { trip: t1 }), vehicleOf('v2'), vehicleOf('v3')]);
    expect([tally.vehiclesMatched, tally.vehiclesUnmatched]).toEqual([1, 2]);
  });

  it('knows heading, line and direction by the word of the publisher', async () => {
    const live = await openLiveWorld(world);
    const trip = tripOf(null, { lineLabel: '99', headsign: 'Heide' });
    say(live, '08:05', [vehicleOf('v1', { headingDeg: 0, trip }), vehicleOf('v2')]);
    const { vehicles, texts } = live.state.build(instant(at('08:05')));
    expect([...vehicles.headingDeg]).toEqual([0, -1]);
    expect([texts.text.get(vehicles.label[0]!), texts.text.get(vehicles.direction[0]!)]).toEqual(['99', 'Heide']);
    expect([vehicles.label[1], vehicles.direction[1]]).toEqual([-1, -1]);
  });

  it('ignores an observation that is older than the one it knows', async () => {
    const live = await openLiveWorld(world);
    say(live, '08:05', [vehicleOf('v1', { trip: t1, stop: stopOf('c'), recordedAt: instant(at('08:05')) })]);
    const seenEarlier = { trip: t1, stop: stopOf('b'), stopStatus: 'stoppedAt' as const };
    const late = say(live, '08:06', [vehicleOf('v1', { ...seenEarlier, recordedAt: instant(at('08:04')) })]);
    expect(shownAt(live, '08:06')).toEqual(['v1 08:05 t1@2']);
    expect(late.observations).toEqual([]);
  });
});

describe('an added trip', () => {
  it('is the one that its vehicle names', async () => {
    const live = await openLiveWorld(world);
    const calls = [
      callOf(stopOf('a'), { departure: timeOf(at('08:00')) }),
      callOf(stopOf('b'), { arrival: timeOf(at('08:20')) }),
    ];
    const trips = [
      reportOf(tripOf('extra', { startDate: DAY as never, lineLabel: 'E' }), { relationship: 'added', calls }),
    ];
    live.say('rt', at('08:05'), { trips });
    const { tally } = say(live, '08:05', [vehicleOf('v1'), vehicleOf('v2', { trip: tripOf('extra') })]);
    expect([tally.vehiclesMatched, tally.vehiclesUnmatched]).toEqual([1, 1]);
    expect(shownAt(live, '08:05')).toEqual(['v1 08:05', 'v2 08:05 added E']);
  });
});

describe('what a vehicle at a stop proves', () => {
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
      'the whole way',
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
      'from stop to stop, with nothing seen between them',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:20', stopped('c'), ['departure 1 08:10', 'arrival 2 08:20']],
      ],
    ],
    [
      'seen nowhere in particular it may still stand there',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:11', nowhere, []],
        ['08:12', stopped('b'), []],
      ],
    ],
    [
      'seen at an earlier call it has not left',
      [
        ['08:10', stopped('b'), ['arrival 1 08:10']],
        ['08:11', stopped('a'), []],
      ],
    ],
    ['on its way it proves nothing', [['08:10', heading('b'), []]]],
  ])('%s', async (_reason, seen) => {
    const live = await openLiveWorld(world);
    for (const [clock, place, reported] of seen) {
      const applied = say(live, clock, [vehicleOf('v1', { trip: t1, recordedAt: instant(at(clock)), ...place })]);
      expect(describeObservations(applied), clock).toEqual(reported);
    }
  });

  it('is shown, with where it comes from', async () => {
    const live = await openLiveWorld(world);
    say(live, '08:10:40', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    const { calls } = live.state.build(instant(at('08:11')));
    expect(clockOf(calls.arrival[1]!)).toBe('08:10:40');
    expect(calls.arrivalPrognosis[1]).toBe(2);
    expect(calls.flags[1]).toBe(callFlags.fromPosition);
  });

  it('is never later than its report', async () => {
    const live = await openLiveWorld(world);
    const ahead = { recordedAt: instant(at('09:00')), ...stopped('b') };
    expect(describeObservations(say(live, '08:10', [vehicleOf('v1', { trip: t1, ...ahead })]))).toEqual([
      'arrival 1 08:10',
    ]);
  });

  it('does not take the trip of another day for this one', async () => {
    const live = await openLiveWorld(world);
    const yesterday = tripOf('t1', { startDate: '2026-03-02' as never });
    say(live, '08:10', [vehicleOf('v1', { trip: yesterday, ...stopped('b') })]);
    const applied = say(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('c') })]);
    expect(describeObservations(applied)).toEqual(['arrival 2 08:12']);
  });

  /** What trip updates said of Berg before the vehicle stood there at 08:12, and what is then known of its arrival. */
  test.each<[reason: string, call: Parameters<typeof callOf>[1], reported: readonly string[], arrival: string]>([
    ['a forecast is replaced', { arrival: timeOf(at('08:14')) }, ['arrival 1 08:12'], '08:12 observed'],
    ['what was measured stays', { arrival: timeOf(at('08:09'), null, true) }, [], '08:09 observed'],
    ['a call that is cancelled is not called at', { state: 'skipped' }, [], 'cancelled'],
  ])('%s', async (_reason, call, reported, arrival) => {
    const live = await openLiveWorld(world);
    live.say('rt', at('08:10'), { trips: [reportOf(t1, { calls: [callOf(stopOf('b'), call)] })] }, 'trips');
    const applied = say(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    expect(describeObservations(applied)).toEqual(reported);
    const { calls } = live.state.build(instant(at('08:12')));
    const isCancelled = (calls.flags[1]! & CALL_CANCELLED) === CALL_CANCELLED;
    const evidence = ['unknown', 'forecast', 'observed'][calls.arrivalPrognosis[1]!];
    expect(isCancelled ? 'cancelled' : `${clockOf(calls.arrival[1]!)} ${evidence}`).toBe(arrival);
  });

  it('survives a later forecast, and is replaced by a measured time', async () => {
    const live = await openLiveWorld(world);
    say(live, '08:12', [vehicleOf('v1', { trip: t1, ...stopped('b') })]);
    const arrivalAfter = (time: string, isMeasured: boolean) => {
      const calls = [callOf(stopOf('b'), { arrival: timeOf(at(time), null, isMeasured) })];
      live.say('rt', at('08:15'), { trips: [reportOf(t1, { calls })] }, 'trips');
      return clockOf(live.state.build(instant(at('08:15'))).calls.arrival[1]!);
    };
    expect(arrivalAfter('08:18', false)).toBe('08:12');
    expect(arrivalAfter('08:11', true)).toBe('08:11');
  });
});
