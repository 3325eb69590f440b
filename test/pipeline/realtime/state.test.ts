import { beforeAll, describe, expect, test } from 'vitest';
import { CARRIED, type CallObservation } from '../../../pipeline/model/observation.ts';
import type { CallReport, TripReport } from '../../../pipeline/model/realtime.ts';
import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import { CALL_CANCELLED, callFlags, tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';

// The line of `soundFeed`: t1 calls at a 08:00, b 08:10 to 08:11, c 08:20; t2 an hour later.

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

const DAY = '2026-03-03' as ServiceDate;
/** A time of that day, on clocks in Vienna. */
const at = (clock: string) => `${DAY}T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;

interface ReportedCall {
  readonly arrival?: string;
  readonly departure?: string;
  readonly isMeasured?: boolean;
  readonly state?: CallReport['state'];
  readonly platform?: string;
}

/** A report of t1 (or another trip) as text: times of calls by stop. */
function report(
  calls: Readonly<Record<string, ReportedCall>>,
  over: Partial<TripReport> = {},
  tripId = 't1',
): TripReport {
  const event = (clock: string | undefined, isMeasured: boolean) =>
    clock === undefined ? null : { scheduledTime: null, time: instant(at(clock)), delaySeconds: null, isMeasured };
  return reportOf(tripOf(tripId, { startDate: DAY }), {
    place: `entity ${tripId}`,
    calls: Object.entries(calls).map(([stop, { arrival, departure, isMeasured = false, state = 'normal', platform }]) =>
      callOf(stopOf(stop), {
        arrival: event(arrival, isMeasured),
        departure: event(departure, isMeasured),
        state,
        platform: platform ?? null,
      }),
    ),
    ...over,
  });
}

const clockAt = (at: number) =>
  at === 0 ? '-' : new Date(at * 1000).toLocaleTimeString('de-AT', { timeZone: 'Europe/Vienna' });
const marks = ['?', '~', '!'];

/**
 * The calls of t1 as sources report them: `arrival/departure` with `~` for a forecast, `!` for an observation; `x`
 * cancelled, `*` in conflict. Propagated delays are omitted.
 */
function show(live: LiveWorld, time: string, trip = 0): string {
  const { calls, trips } = live.state.build(instant(at(time)));
  if (trips.trip.length <= trip) return 'nothing';
  const first = trips.firstCall[trip]!;
  return [0, 1, 2]
    .map((k) => {
      const row = first + k;
      const flags = calls.flags[row]!;
      const dispute = (flags & callFlags.sourceConflict) !== 0 ? '*' : '';
      if ((flags & CALL_CANCELLED) === CALL_CANCELLED) return `x${dispute}`;
      const event = (time: number, prognosis: number, cancelled: number) => {
        if ((flags & cancelled) !== 0) return 'x';
        return time === 0 || prognosis === CARRIED ? '-' : `${clockAt(time)}${marks[prognosis]}`;
      };
      const arrival = event(calls.arrival[row]!, calls.arrivalPrognosis[row]!, callFlags.arrivalCancelled);
      const departure = event(calls.departure[row]!, calls.departurePrognosis[row]!, callFlags.departureCancelled);
      return `${arrival}/${departure}${dispute}`;
    })
    .join(' ');
}

const emit = (live: LiveWorld, clock: string, trips: readonly TripReport[], over = {}, part = 'all', source = 'rt') =>
  live.report(source, at(clock), { trips, recordCount: trips.length, ...over }, part);

describe('evidence', () => {
  test('a forecast remains one when its time has passed', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12', departure: '08:13' } })]);
    expect(show(live, '09:15')).toBe('-/- 08:12:00~/08:13:00~ -/-');
    emit(live, '08:30', [report({ b: { arrival: '08:12', departure: '08:13' } })]);
    expect(show(live, '08:30')).toBe('-/- 08:12:00~/08:13:00~ -/-');
  });

  test('measured times in the past are observations, in the future they are not', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:12', [report({ b: { arrival: '08:11', departure: '08:13', isMeasured: true } })]);
    expect(show(live, '08:12')).toBe('-/- 08:11:00!/08:13:00~ -/-');
  });

  test('uses the header time, not our clock', async () => {
    const live = await openLiveWorld(world);
    const publishedAt = instant(at('08:10'));
    emit(live, '08:12', [report({ b: { arrival: '08:11', isMeasured: true } })], { publishedAt });
    expect(show(live, '08:12')).toBe('-/- 08:11:00~/- -/-');
  });

  test('only another observation replaces an observation', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:12', [report({ b: { arrival: '08:11', isMeasured: true } })]);
    emit(live, '08:13', [report({ b: { arrival: '08:15' } })]);
    expect(show(live, '08:13')).toBe('-/- 08:11:00!/- -/-');
    emit(live, '08:14', [report({ b: { arrival: '08:12', isMeasured: true } })]);
    expect(show(live, '08:14')).toBe('-/- 08:12:00!/- -/-');
  });

  test('a frozen response reports nothing, and withdraws nothing', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12' } })]);
    const { tally, observations } = emit(live, '08:06', [report({ b: { arrival: '08:20' } })], { isFrozen: true });
    expect(show(live, '08:06')).toBe('-/- 08:12:00~/- -/-');
    expect(tally.unmatched).toEqual({ frozen: 1 });
    expect(observations).toEqual([]);
  });

  test('a time a day off its schedule is omitted and counted', async () => {
    const live = await openLiveWorld(world);
    const late = {
      ...callOf(stopOf('b')),
      arrival: {
        scheduledTime: null,
        time: (instant(at('08:10')) + 90_000) as Instant,
        delaySeconds: null,
        isMeasured: false,
      },
    };
    const { tally } = emit(live, '08:05', [{ ...report({}), calls: [late] }]);
    expect(tally.problems).toEqual({ implausible_time: 1 });
    expect(show(live, '08:05')).toBe('-/- -/- -/-');
  });
});

describe('a report that a response omits', () => {
  test('is withdrawn if it is in the future, and remains if it is past', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ a: { departure: '08:02' }, b: { arrival: '08:12' }, c: { arrival: '08:22' } })]);
    const { ended } = emit(live, '08:06', []);
    expect(show(live, '08:06')).toBe('-/08:02:00~ -/- -/-');
    expect(ended).toHaveLength(1);
  });

  test('of the same trip, too', async () => {
    const live = await openLiveWorld(world);
    const whole = { isPropagating: true };
    emit(live, '08:05', [report({ a: { departure: '08:02' }, b: { arrival: '08:12' } })], whole);
    emit(live, '08:06', [report({ c: { arrival: '08:25' } })], whole);
    expect(show(live, '08:06')).toBe('-/08:02:00~ -/- 08:25:00~/-');
  });

  test('withdraws a cancellation before the trip has ended, and not after', async () => {
    const live = await openLiveWorld(world);
    emit(live, '07:55', [report({}, { relationship: 'cancelled' })]);
    expect(show(live, '07:55')).toBe('x x x');
    emit(live, '07:56', []);
    expect(show(live, '07:56')).toBe('-/- -/- -/-');
    emit(live, '07:57', [report({}, { relationship: 'cancelled' })]);
    emit(live, '08:30', []);
    expect(show(live, '08:30')).toBe('x x x');
  });

  test('remains in a differential response', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12' } })]);
    emit(live, '08:06', [], { scope: 'mentioned' });
    expect(show(live, '08:06')).toBe('-/- 08:12:00~/- -/-');
  });

  test('unless that response deletes it by the id of its entity', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12' } })]);
    const { ended } = emit(live, '08:06', [], { scope: 'mentioned', deletedIds: ['t1'] });
    expect(show(live, '08:06')).toBe('-/- -/- -/-');
    expect(ended).toHaveLength(1);
  });

  test('of one request of a source is not withdrawn by another', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:05', [report({ b: { arrival: '08:12' } })], {}, 'one');
    emit(live, '08:05', [report({ c: { arrival: '08:24' } })], {}, 'two');
    expect(emit(live, '08:06', [], {}, 'one').ended).toEqual([]);
    expect(show(live, '08:06')).toBe('-/- -/- 08:24:00~/-');
  });
});

describe('cancellations', () => {
  test('of a trip under way keep observed events', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:02', [report({ a: { departure: '08:01', isMeasured: true } })]);
    emit(live, '08:05', [report({}, { relationship: 'cancelled' })]);
    expect(show(live, '08:05')).toBe('-/08:01:00! x x');
    const { trips } = live.state.build(instant(at('08:05')));
    expect(trips.flags[0]).toBe(tripFlags.partlyCancelled);
  });

  test('of every call cancel the trip, of some are partial', async () => {
    const live = await openLiveWorld(world);
    const skip = { state: 'skipped' } as const;
    emit(live, '07:55', [report({ a: skip, b: skip, c: skip })]);
    expect(live.state.build(instant(at('07:55'))).trips.flags[0]).toBe(tripFlags.cancelled);
    emit(live, '07:56', [report({ a: { departure: '08:00' }, b: skip, c: { arrival: '08:20' } })]);
    expect(live.state.build(instant(at('07:56'))).trips.flags[0]).toBe(tripFlags.partlyCancelled);
    emit(live, '07:57', [report({ a: { departure: '08:00' }, b: { arrival: '08:10' }, c: { arrival: '08:20' } })]);
    expect(live.state.build(instant(at('07:57'))).trips.flags[0]).toBe(0);
  });

  test('mark a deleted trip as deleted, not only as cancelled', async () => {
    const live = await openLiveWorld(world);
    emit(live, '07:55', [report({}, { relationship: 'deleted' })]);
    expect(live.state.build(instant(at('07:55'))).trips.flags[0]! & tripFlags.deleted).toBe(tripFlags.deleted);
  });
});

describe('two sources', () => {
  const two = () => openLiveWorld(world, ['one', 'two']);
  const of = (live: LiveWorld, source: string, clock: string, reported: ReportedCall) =>
    emit(live, clock, [report({ b: reported })], {}, 'all', source);

  test.each<[what: string, one: [string, ReportedCall], two: [string, ReportedCall], shown: string]>([
    ['the fresher forecast wins', ['08:00', { arrival: '08:12' }], ['08:01', { arrival: '08:12:30' }], '08:12:30~/-'],
    [
      'more than a minute apart is a conflict',
      ['08:00', { arrival: '08:12' }],
      ['08:01', { arrival: '08:14' }],
      '08:14:00~/-*',
    ],
    [
      'an observation wins over a fresher forecast',
      ['08:12', { arrival: '08:11', isMeasured: true }],
      ['08:13', { arrival: '08:11:30' }],
      '08:11:00!/-',
    ],
    ['a cancellation wins over a forecast', ['08:00', { state: 'skipped' }], ['08:01', { arrival: '08:12' }], 'x*'],
    [
      'and loses to an observation',
      ['08:12', { arrival: '08:11', isMeasured: true }],
      ['08:13', { state: 'skipped' }],
      '08:11:00!/-*',
    ],
  ])('%s, in any order', async (_, one, other, shown) => {
    const forth = await two();
    of(forth, 'one', ...one);
    of(forth, 'two', ...other);
    const back = await two();
    of(back, 'two', ...one);
    of(back, 'one', ...other);
    expect(show(forth, other[0])).toBe(`-/- ${shown} -/-`);
    expect(show(back, other[0])).toBe(`-/- ${shown} -/-`);
  });

  test('a source that is too old loses, and causes no conflict', async () => {
    const live = await openLiveWorld(world, ['one', 'two'], { maxAgeSeconds: 120 });
    of(live, 'one', '08:05', { arrival: '08:30' });
    of(live, 'two', '08:01', { arrival: '08:12' });
    expect(show(live, '08:05')).toBe('-/- 08:30:00~/- -/-');
    of(live, 'two', '08:08', { arrival: '08:13' });
    expect(show(live, '08:08')).toBe('-/- 08:13:00~/- -/-');
  });
});

describe('age', () => {
  const expiry = (live: LiveWorld, time: string) => live.state.build(instant(at(time))).calls.expiresAt[1]!;

  test('a forecast expires with the age of its source, but not if it had passed when last reported', async () => {
    const live = await openLiveWorld(world, ['rt'], { maxAgeSeconds: 120 });
    emit(live, '08:05', [report({ b: { arrival: '08:12', departure: '08:13' } })]);
    expect(expiry(live, '08:05')).toBe(instant(at('08:07')));
    emit(live, '08:14', [report({ b: { arrival: '08:12', departure: '08:13' } })]);
    expect(expiry(live, '08:14')).toBe(0xffff_ffff);
  });

  test('counts from the publication time, not from the fetch time', async () => {
    const live = await openLiveWorld(world, ['rt'], { maxAgeSeconds: 120 });
    emit(live, '08:05', [report({ b: { arrival: '08:12' } })], { publishedAt: instant(at('08:04')) });
    expect(expiry(live, '08:05')).toBe(instant(at('08:06')));
    // A response without newer data does not renew it.
    live.state.confirm('rt', 'all', instant(at('08:06')));
    expect(expiry(live, '08:05')).toBe(instant(at('08:06')));
  });

  test('a confirmation renews all reports of a part without a publication time', async () => {
    const live = await openLiveWorld(world, ['rt'], { maxAgeSeconds: 120 });
    emit(live, '08:00', [report({ b: { arrival: '08:12' } })], { publishedAt: null });
    live.state.confirm('rt', 'all', instant(at('08:05')));
    expect(expiry(live, '08:05')).toBe(instant(at('08:07')));
    live.state.confirm('rt', 'other', instant(at('08:06')));
    expect(expiry(live, '08:06')).toBe(instant(at('08:07')));
  });

  test('a trip is dropped an hour after its end', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:19', [report({ c: { arrival: '08:21' } })]);
    expect(show(live, '09:20')).not.toBe('nothing');
    expect(show(live, '09:22')).toBe('nothing');
  });
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

describe('a trip with two reports in one response', () => {
  test('follows the report with its own id, in any order', async () => {
    const own = report({ b: { arrival: '08:12' } });
    const start = { startDate: DAY, startTime: (8 * 3600) as never, routeId: 'r' };
    const stray = { ...report({ b: { arrival: '08:40' } }), trip: tripOf('stray', start), place: 'entity stray' };
    for (const reports of [
      [own, stray],
      [stray, own],
    ]) {
      const live = await openLiveWorld(world);
      const { tally } = emit(live, '08:05', reports);
      expect(show(live, '08:05')).toBe('-/- 08:12:00~/- -/-');
      expect(tally.matched).toEqual({ trip_id: 1 });
      expect(tally.unmatched).toEqual({ duplicate_report: 1 });
    }
  });
});
