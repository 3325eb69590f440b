import { beforeEach, describe, expect, it } from 'vitest';
import { fromEpochDay, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import {
  DATE,
  DAY,
  describeAdded,
  describeObservation,
  type LiveLine,
  liveRow,
  openLiveLine,
  type ReportedCall,
  reported,
  tripRow,
} from './live-line.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

const added = (trip: string, calls: readonly ReportedCall[], over = {}) =>
  reported({ tripId: trip, startDate: DATE, lineLabel: 'E' }, calls, { relationship: 'added', ...over });
const list = (at: string) => describeAdded(line.build(at));

/** Calls of an extra trip at 08:40, 08:50, 09:00, some minutes late. */
const extraCalls = (delay: number): ReportedCall[] => [
  { stop: 'a', plan: [null, '08:40'], times: [null, delay] },
  { stop: 'c', plan: ['08:50', '08:50'], times: [delay, delay] },
  { stop: 'd', plan: ['09:00', null], times: [delay, null] },
];

describe('a trip that is not in the timetable', () => {
  it("propagates its delay over its publisher's schedule", () => {
    const [first, ...rest] = extraCalls(0);
    const calls = [
      { ...first!, times: [null, 180] as const },
      ...rest.map(({ stop, plan }) => ({ stop: stop!, plan: plan! })),
    ];
    line.report('08:30', [added('extra', calls)]);
    expect(list('08:30')).toEqual(['E 03-02 additional: Anger 08:43/08:43, Kirche 08:53/08:53, Dorf 09:03/09:03']);
  });

  it.each<[reason: string, calls: readonly ReportedCall[], tally: object]>([
    [
      'is counted and not shown without any time',
      [{ stop: 'a' }, { stop: 'd' }],
      { unmatched: { added_without_calls: 1 } },
    ],
    ['is counted and not shown without calls', [], { unmatched: { added_without_calls: 1 } }],
    [
      'omits and counts a call without a time',
      [{ stop: 'a', times: [null, '08:40'] }, { stop: 'c' }, { stop: 'd', times: ['09:00', null] }],
      { matched: { added: 1 }, problems: { call_without_time: 1 } },
    ],
    [
      'rejects a time in three days',
      [
        { stop: 'a', times: [null, '80:00'] },
        { stop: 'd', times: ['09:00', null] },
      ],
      { matched: { added: 1 }, problems: { implausible_time: 1, call_without_time: 1 } },
    ],
  ])('%s', (_reason, calls, expected) => {
    expect(line.report('08:30', [added('extra', calls)]).tally).toMatchObject(expected);
  });

  it('can be cancelled, or deleted', () => {
    line.report('08:30', [added('extra', extraCalls(0))]);
    const cancel = reported({ tripId: 'extra', startDate: DATE }, [], { relationship: 'cancelled' });
    expect(line.report('08:31', [cancel]).tally.matched).toEqual({ cancelled_added: 1 });
    expect(list('08:31')).toEqual(['E 03-02 cancelled additional: Anger x, Kirche x, Dorf x']);
    line.report('08:32', [added('extra', extraCalls(0))]);
    expect(list('08:32')).toEqual(['E 03-02 additional: Anger 08:40/08:40, Kirche 08:50/08:50, Dorf 09:00/09:00']);
    line.report('08:33', [reported({ tripId: 'extra' }, [], { relationship: 'deleted' })]);
    expect(list('08:33')).toEqual([]);
  });

  it('is unknown if it is cancelled and was never added', () => {
    const cancel = reported({ tripId: 'extra' }, [], { relationship: 'cancelled' });
    expect(line.report('08:31', [cancel]).tally.unmatched).toEqual({ unknown_trip: 1 });
  });
});

describe('from one response to the next', () => {
  it('without a schedule, calls are identified by number', () => {
    const calls = (...times: readonly (readonly [string | null, string | null])[]) =>
      times.map((both, i) => ({ stop: 'acd'[i]!, sequence: i + 1, times: both }));
    line.report('08:30', [added('extra', calls([null, '08:40'], ['08:50', '08:50'], ['09:00', null]))]);
    line.report('08:45', [added('extra', calls([null, '08:44'], ['08:55', '08:55'], ['09:05', null]).slice(1))]);
    expect(list('08:45')).toEqual(['E 03-02 additional: Anger 08:40/08:40, Kirche 08:55/08:55, Dorf 09:05/09:05']);
  });

  it('observations remain', () => {
    const [first, ...rest] = extraCalls(0);
    line.report('08:42', [added('extra', [{ ...first!, times: [null, '08:41!'] }, ...rest])]);
    line.report('08:43', [added('extra', [{ ...first!, times: [null, '08:45'] }, ...rest])]);
    expect(list('08:43')[0]).toContain('Anger 08:41!/08:41!');
  });

  it('is withdrawn while ahead, and kept for a while when it has ended', () => {
    line.report('08:30', [added('extra', extraCalls(0))]);
    expect(line.report('08:59', []).ended).toHaveLength(1);
    expect(list('08:59')).toEqual([]);
    line.report('08:30', [added('extra', extraCalls(0))]);
    expect(line.report('09:00', []).ended).toHaveLength(1);
    expect(list('09:00')).toHaveLength(1);
    expect(list('10:01')).toEqual([]);
  });

  it('is one trip if two parts report different calls', () => {
    const own = (i: number) => ({ isPropagating: false, trips: [added('extra', [extraCalls(60)[i]!])] });
    line.report('08:30', own(2), { part: 'dorf' });
    line.report('08:31', own(0), { part: 'anger' });
    expect(list('08:31')).toEqual(['E 03-02 additional: Anger 08:41/08:41, Dorf 09:01/09:01']);
    expect(line.report('08:32', { isPropagating: false }, { part: 'anger' }).ended).toEqual([]);
    expect(line.report('08:33', { isPropagating: false }, { part: 'dorf' }).ended).toHaveLength(1);
    expect(list('08:33')).toEqual([]);
  });
});

describe('another run of a scheduled trip', () => {
  it('a replacement runs instead of the trip, under its name', () => {
    const { tally } = line.report('07:30', [reported('bus', extraCalls(60), { relationship: 'replacement' })]);
    expect(tally.matched).toEqual({ replacement: 1 });
    const tables = line.build('07:30');
    const row = liveRow(tables, tripRow(line.timetable, 'bus'), DAY);
    expect(line.show('bus', '07:30')).toBe('replaced -/- -/- -/- -/-');
    expect(tables.trips.replacedBy[row]).toBe(0);
    expect(tables.addedTrips.key[0]).toBe(line.timetable.trips.key[tripRow(line.timetable, 'bus')]);
    expect(tables.addedTrips.basedOn[0]).toBe(tripRow(line.timetable, 'bus'));
    expect(describeAdded(tables)).toEqual([
      '1 03-02 partlyCancelled: Anger 08:41/08:41, Berg x, Kirche 08:51/08:51, Dorf 09:01/09:01',
    ]);
  });

  it.each<[reason: string, trips: Parameters<LiveLine['report']>[1]]>([
    ['ends when the response no longer contains it', []],
    ['ends when the trip is reported again', [reported('bus', [])]],
  ])('a replacement %s', (_reason, trips) => {
    line.report('07:30', [reported('bus', extraCalls(60), { relationship: 'replacement' })]);
    line.report('07:31', trips);
    expect(line.show('bus', '07:31')).toBe('-/- -/- -/- -/-');
    expect(list('07:31')).toEqual([]);
  });

  it('a duplicate runs at its own time beside the original', () => {
    const copy = reported(
      { tripId: 'bus', startDate: DATE, startTime: 34_200 as never },
      [{ sequence: 2, times: [120, 120] }],
      { relationship: 'duplicated', newTripId: 'bus-2' },
    );
    expect(line.report('07:30', [copy]).tally.matched).toEqual({ duplicated: 1 });
    expect(list('07:30')).toEqual([
      '1 03-02 additional: Anger -/-, Berg 09:42/09:43, Kirche 09:52/09:54, Dorf 10:02/10:02',
    ]);
    expect(line.show('bus', '07:30')).toBe('silence');
  });

  it('a duplicate on another day', () => {
    const copy = reported({ tripId: 'bus', startDate: '2026-03-03' as ServiceDate, startTime: 28_800 as never }, [], {
      relationship: 'duplicated',
      newTripId: 'bus-2',
      delaySeconds: 60,
    });
    line.report('07:30', [copy]);
    expect(line.build('07:30').addedTrips.day.map((day) => day - DAY)).toEqual(new Int32Array([1]));
    expect(fromEpochDay(DAY + 1)).toBe('2026-03-03');
    expect(list('07:30')[0]).toContain('Anger 32:01/32:01');
  });
});

describe('of several sources', () => {
  it('each has its own added trips; of two replacements of one trip the fresher one runs', async () => {
    line = await openLiveLine(['one', 'two']);
    const emit = (source: string, at: string, delay: number) =>
      line.report(
        at,
        [added('extra', extraCalls(delay)), reported('bus', extraCalls(delay), { relationship: 'replacement' })],
        { source },
      );
    emit('one', '08:31', 60);
    emit('two', '08:30', 120);
    const tables = line.build('08:31');
    expect(tables.addedTrips.key).toHaveLength(3);
    expect([...tables.addedTrips.key].sort()).toEqual([...tables.addedTrips.key]);
    const replacement = tables.trips.replacedBy[liveRow(tables, tripRow(line.timetable, 'bus'), DAY)]!;
    expect(tables.addedTrips.source[replacement]).toBe(0);
  });
});

it('observations of an added trip use the same name as references', () => {
  const { observations } = line.report('08:30', [added('extra', extraCalls(60))]);
  expect(observations.map(describeObservation)).toEqual([
    'extra 0.departure 08:41 forecast',
    'extra 1.arrival 08:51 forecast',
    'extra 1.departure 08:51 forecast',
    'extra 2.arrival 09:01 forecast',
  ]);
  const { addedTrips } = line.build('08:30');
  expect(new Set(observations.map(({ tripKey, day }) => `${tripKey} ${day}`))).toEqual(
    new Set([`${addedTrips.key[0]} ${addedTrips.day[0]}`]),
  );
  expect(observations[0]).toMatchObject({ stopId: 'a', lineLabel: 'E', routeId: null });
});
