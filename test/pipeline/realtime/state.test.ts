import { beforeAll, describe, expect, test } from 'vitest';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, stopOf, tripOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, emit, type ReportedCall, report, show } from './reported-trips.ts';

// The line of `soundFeed`: t1 calls at a 08:00, b 08:10 to 08:11, c 08:20; t2 an hour later.

let world: World;

beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

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
