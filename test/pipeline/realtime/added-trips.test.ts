import fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { CallReport, ReportedTime, TripReport } from '../../../pipeline/model/realtime.ts';
import { sortAdded } from '../../../pipeline/realtime/state/build-added.ts';
import { groupByStop } from '../../../pipeline/realtime/state/build-trips.ts';
import type { AddedTrip } from '../../../pipeline/realtime/state/memory.ts';
import { CALL_CANCELLED, type RealtimeTables, tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';

/** Trip t1: Anger 08:00, Berg 08:10 to 08:11, Kirche 08:20; every day from 2 to 8 March. */
let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

const DAY = '2026-03-03' as never;
const at = (clock: string) => `2026-03-03T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;
const clockOf = (time: number) => new Date((time + 3600) * 1000).toISOString().slice(11, 19).replace(/:00$/, '');
const hours = (clock: string) => (Number(clock.slice(0, 2)) * 3600 + Number(clock.slice(3, 5)) * 60) as never;

/**
 * `2026-03-03 additional E: Anger 08:00+1
 *
 * Berg 08:10 08:11 x`: scheduled times, minutes late, cancelled calls.
 */
function describeAdded(tables: RealtimeTables): string[] {
  const { addedTrips, addedCalls, texts } = tables;
  const event = (planned: number, time: number, hasPlan: boolean) => {
    if (planned === 0) return time === 0 || hasPlan ? [] : [`~${clockOf(time)}`];
    return [`${clockOf(planned)}${time === 0 ? '' : `+${(time - planned) / 60}`}`];
  };
  return Array.from(addedTrips.key, (_, row) => {
    const calls = Array.from({ length: addedTrips.callCount[row]! }, (_, position) => {
      const k = addedTrips.firstCall[row]! + position;
      const hasPlan = addedCalls.scheduledArrival[k]! > 0 || addedCalls.scheduledDeparture[k]! > 0;
      const arrival = event(addedCalls.scheduledArrival[k]!, addedCalls.arrival[k]!, hasPlan);
      const departure = event(addedCalls.scheduledDeparture[k]!, addedCalls.departure[k]!, hasPlan);
      const cancelled = (addedCalls.flags[k]! & CALL_CANCELLED) === CALL_CANCELLED ? ['x'] : [];
      return [texts.text.get(addedCalls.stopName[k]!), ...new Set([...arrival, ...departure]), ...cancelled].join(' ');
    });
    const kind = (addedTrips.flags[row]! & tripFlags.additional) !== 0 ? 'additional' : 'replacement';
    const day = new Date(addedTrips.day[row]! * 86_400_000).toISOString().slice(0, 10);
    return `${day} ${kind} ${texts.text.get(addedTrips.label[row]!)}: ${calls.join(' | ')}`;
  });
}

function emit(live: LiveWorld, clock: string, reports: readonly TripReport[], isPropagating = false) {
  return live.report('rt', at(clock), { trips: reports, recordCount: reports.length, isPropagating });
}

const shownAt = (live: LiveWorld, clock: string) => describeAdded(live.state.build(instant(at(clock))));

function delayOf(minutes: number): ReportedTime {
  return { scheduledTime: null, time: null, delaySeconds: minutes * 60, isMeasured: false };
}

/** A call that is identified only by its number. */
const byNumber = (reported: Partial<CallReport>): CallReport => ({ ...callOf(stopOf(null), reported), stop: null });

const extra = tripOf('extra', { startDate: DAY, lineLabel: 'E' });
const toBerg: readonly CallReport[] = [
  callOf(stopOf('a'), { departure: timeOf(at('08:31'), at('08:30')) }),
  callOf(stopOf('b'), { arrival: timeOf(at('08:42'), at('08:40')) }),
];

describe('an added trip is shown with', () => {
  const added = (calls: readonly CallReport[], over: Partial<TripReport> = {}) =>
    reportOf(extra, { relationship: 'added', calls, ...over });
  const t1 = (over: Partial<Parameters<typeof tripOf>[1]> = {}) => tripOf('t1', { startDate: DAY, ...over });
  const duplicated = (start: string, over: Partial<TripReport> = {}) =>
    reportOf(t1({ startTime: hours(start) }), { relationship: 'duplicated', newTripId: 'again', ...over });
  const replacement = (calls: readonly CallReport[], over: Partial<TripReport> = {}) =>
    reportOf(t1(), { relationship: 'replacement', calls, ...over });

  test.each<[reason: string, report: TripReport, isPropagating: boolean, shown: readonly string[]]>([
    ['scheduled and estimated times', added(toBerg), true, ['2026-03-03 additional E: Anger 08:30+1 | Berg 08:40+2']],
    [
      'estimated times only',
      added([callOf(stopOf('a'), { departure: timeOf(at('08:31')) })]),
      true,
      ['2026-03-03 additional E: Anger ~08:31'],
    ],
    [
      'a delay relative to its schedule',
      added([callOf(stopOf('a'), { departure: { ...timeOf(null, at('08:30')), delaySeconds: 180 } })]),
      true,
      ['2026-03-03 additional E: Anger 08:30+3'],
    ],
    ['a delay without a schedule', added([callOf(stopOf('a'), { departure: delayOf(3) })]), true, []],
    ['no calls at all', added([]), true, []],
    [
      'an unknown stop, and one without a name',
      added([
        callOf(stopOf(null, 'Oberberg'), { departure: timeOf(at('08:30')) }),
        callOf(stopOf('q'), { arrival: timeOf(at('08:40')) }),
      ]),
      true,
      ['2026-03-03 additional E: Oberberg ~08:30 | q ~08:40'],
    ],
    [
      'a skipped call',
      added([toBerg[0]!, { ...toBerg[1]!, state: 'skipped' }]),
      true,
      ['2026-03-03 additional E: Anger 08:30 x | Berg 08:40 x'],
    ],
    [
      'no date: the day on which it starts',
      reportOf(tripOf('extra', { lineLabel: 'E' }), { relationship: 'added', calls: toBerg }),
      true,
      ['2026-03-03 additional E: Anger 08:30+1 | Berg 08:40+2'],
    ],
    [
      'a repetition at another time',
      duplicated('09:05'),
      true,
      ['2026-03-03 additional 1: Anger 09:05 | Berg 09:15 09:16 | Kirche 09:25'],
    ],
    [
      'a repetition that is entirely late',
      duplicated('09:05', { delaySeconds: 120 }),
      true,
      ['2026-03-03 additional 1: Anger 09:05+2 | Berg 09:15+2 09:16+2 | Kirche 09:25+2'],
    ],
    [
      'a repetition with delays by number, which propagate',
      duplicated('09:05', { calls: [byNumber({ stopSequence: 2, departure: delayOf(4) })] }),
      true,
      ['2026-03-03 additional 1: Anger 09:05 | Berg 09:15 09:16+4 | Kirche 09:25+4'],
    ],
    [
      'or do not propagate',
      duplicated('09:05', { calls: [callOf(stopOf('b'), { departure: delayOf(4) })] }),
      false,
      ['2026-03-03 additional 1: Anger 09:05 | Berg 09:15 09:16+4 | Kirche 09:25+4'],
    ],
    [
      'a repetition that skips a stop',
      duplicated('09:05', { delaySeconds: 60, calls: [callOf(stopOf('b'), { state: 'skipped' })] }),
      true,
      ['2026-03-03 additional 1: Anger 09:05+1 | Berg 09:15 09:16 x | Kirche 09:25+1'],
    ],
    [
      'a trip without a schedule, replacing an unknown trip',
      reportOf(extra, {
        relationship: 'unscheduled',
        calls: [callOf(stopOf('a'), { departure: timeOf(at('08:30')) })],
      }),
      true,
      ['2026-03-03 additional E: Anger ~08:30'],
    ],
    [
      'a replacement: its own calls, under the key and the day of its trip',
      replacement([
        callOf(stopOf('a'), { departure: timeOf(at('08:05')) }),
        callOf(stopOf('c'), { arrival: timeOf(at('08:50')) }),
      ]),
      true,
      ['2026-03-03 replacement 1: Anger ~08:05 | Berg 08:10 08:11 x | Kirche ~08:50'],
    ],
    [
      'a replacement with calls by number, and times by delay',
      replacement([
        byNumber({ stopSequence: 1, departure: delayOf(5) }),
        byNumber({ stopSequence: 3, arrival: delayOf(30) }),
      ]),
      true,
      ['2026-03-03 replacement 1: Anger ~08:05 | Berg 08:10 08:11 x | Kirche ~08:50'],
    ],
  ])('%s', async (_reason, report, isPropagating, shown) => {
    const live = await openLiveWorld(world);
    const { tally } = emit(live, '08:00', [report], isPropagating);
    expect(shownAt(live, '08:00')).toEqual(shown);
    const { relationship } = report;
    if (shown.length > 0) expect(tally.matched).toEqual({ [relationship]: 1 });
    else expect(tally.unmatched).toEqual({ [`${relationship}_without_calls`]: 1 });
  });

  it('a replacement is found from the trip that it replaces', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', [replacement(toBerg)]);
    const { trips, addedTrips } = live.state.build(instant(at('08:00')));
    const { tables } = world.timetable;
    expect(tables.trips.tripId.get(trips.trip[0]!)).toBe('t1');
    expect([trips.flags[0], trips.replacedBy[0]]).toEqual([tripFlags.replaced, 0]);
    expect([addedTrips.key[0], addedTrips.day[0]]).toEqual([tables.trips.key[trips.trip[0]!], trips.day[0]]);
    expect(addedTrips.basedOn[0]).toBe(trips.trip[0]);
  });

  it('a repetition has a separate key, the same in every response', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', [duplicated('09:05'), duplicated('09:10')]);
    const first = [...live.state.build(instant(at('08:00'))).addedTrips.key];
    expect(new Set([...first, ...world.timetable.tables.trips.key]).size).toBe(
      2 + world.timetable.tables.trips.key.length,
    );
    emit(live, '08:01', [duplicated('09:10'), duplicated('09:05')]);
    expect([...live.state.build(instant(at('08:01'))).addedTrips.key]).toEqual(first);
  });
});

describe('past calls', () => {
  const call = (id: string, clock: string, isPlanned = true) =>
    callOf(stopOf(id), { departure: timeOf(at(clock), isPlanned ? at(clock) : null) });
  const reported = (...calls: CallReport[]) => [reportOf(extra, { relationship: 'added', calls })];

  test.each<[reason: string, before: readonly CallReport[], now: readonly CallReport[], shown: string]>([
    [
      'remain when they are omitted',
      [call('a', '08:00'), call('b', '08:10'), call('c', '08:20')],
      [call('c', '08:20')],
      'Anger 08:00+0 | Berg 08:10+0 | Kirche 08:20+0',
    ],
    [
      'also without a schedule, while the rest is later than before',
      [call('a', '08:00', false), call('b', '08:10', false), call('c', '08:20', false)],
      [call('b', '08:16', false), call('c', '08:26', false)],
      'Anger ~08:00 | Berg ~08:16 | Kirche ~08:26',
    ],
    [
      'but omitted future calls disappear',
      [call('a', '08:30'), call('b', '08:40'), call('c', '08:50')],
      [call('c', '08:50')],
      'Kirche 08:50+0',
    ],
    [
      'also if the trip takes another path',
      [call('a', '08:00'), call('b', '08:10')],
      [call('c', '08:20')],
      'Anger 08:00+0 | Berg 08:10+0 | Kirche 08:20+0',
    ],
    [
      'a stop served twice is identified by its time',
      [call('a', '08:00'), call('b', '08:05'), call('a', '08:10'), call('c', '08:20')],
      [call('a', '08:10'), call('c', '08:20')],
      'Anger 08:00+0 | Berg 08:05+0 | Anger 08:10+0 | Kirche 08:20+0',
    ],
  ])('%s', async (_reason, before, now, shown) => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', reported(...before));
    emit(live, '08:15', reported(...now));
    emit(live, '08:16', reported(...now));
    expect(shownAt(live, '08:16')).toEqual([`2026-03-03 additional E: ${shown}`]);
  });

  it.each<[reason: string, departure: string, isThere: boolean]>([
    ['a trip that is not reported disappears', '08:30', false],
    ['unless it has ended', '08:00', true],
  ])('%s', async (_reason, departure, isThere) => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', reported(call('a', departure)));
    const { ended } = emit(live, '08:01', []);
    expect(ended).toHaveLength(1);
    expect(shownAt(live, '08:01')).toHaveLength(isThere ? 1 : 0);
  });

  it('or ended more than an hour ago', async () => {
    const live = await openLiveWorld(world);
    emit(live, '08:00', reported(call('a', '08:00')));
    expect(shownAt(live, '09:00')).toHaveLength(1);
    expect(shownAt(live, '09:00:01')).toEqual([]);
  });
});

it('forecasts expire, but past calls do not', async () => {
  const live = await openLiveWorld(world, ['rt'], { maxAgeSeconds: 120 });
  const over = callOf(stopOf('a'), { departure: timeOf(at('07:59'), at('07:59')) });
  const planned = callOf(stopOf('c'), { arrival: timeOf(null, at('08:50')) });
  emit(live, '08:00', [reportOf(extra, { relationship: 'added', calls: [over, toBerg[1]!, planned] })]);
  const { expiresAt } = live.state.build(instant(at('08:00'))).addedCalls;
  expect([...expiresAt]).toEqual([0xffff_ffff, instant(at('08:02')), instant(at('08:02'))]);
});

it('of two sources that replace one trip the latest one counts', async () => {
  const live = await openLiveWorld(world, ['one', 'two']);
  const replaceBy = (clock: string) =>
    reportOf(tripOf('t1', { startDate: DAY }), {
      relationship: 'replacement',
      calls: [
        callOf(stopOf('a'), { departure: timeOf(at('08:02')) }),
        callOf(stopOf('c'), { arrival: timeOf(at(clock)) }),
      ],
    });
  live.report('one', at('08:00'), { trips: [replaceBy('08:30')] });
  live.report('two', at('08:01'), { trips: [replaceBy('08:40')] });
  expect(shownAt(live, '08:01')).toEqual([
    '2026-03-03 replacement 1: Anger ~08:02 | Berg 08:10 08:11 x | Kirche ~08:40',
  ]);
  live.report('one', at('08:02'), { trips: [replaceBy('08:35')] });
  expect(shownAt(live, '08:02')).toEqual([
    '2026-03-03 replacement 1: Anger ~08:02 | Berg 08:10 08:11 x | Kirche ~08:35',
  ]);
});

it('trips are sorted by key and day, each once, with the freshest report of each', () => {
  const trip = fc.record({
    key: fc.bigInt({ min: 0n, max: 3n }),
    day: fc.integer({ min: 0, max: 2 }),
    seenAt: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(trip), (trips) => {
      const witnesses = trips.map((one, index) => ({ source: { index, maxAgeSeconds: 60 }, trip: one as AddedTrip }));
      const names = (all: typeof witnesses) => all.map(({ trip: { key, day } }) => Number(key) * 10 + day);
      const sorted = sortAdded(witnesses) as typeof witnesses;
      expect(names(sorted)).toEqual([...new Set(names(witnesses))].sort((a, b) => a - b));
      for (const { trip: one } of sorted) {
        const rivals = trips.filter(({ key, day }) => key === one.key && day === one.day);
        expect(one.seenAt).toBe(Math.max(...rivals.map(({ seenAt }) => seenAt)));
      }
    }),
    { numRuns: 200, seed: 20_260_311 },
  );
});

describe('by stop', () => {
  it('finds every call, and no other', async () => {
    const call = fc
      .constantFrom('a', 'b', 'c', 'gone')
      .map((id) => callOf(stopOf(id), { departure: timeOf(at('08:30')) }));
    const trips = fc.array(fc.array(call, { minLength: 1, maxLength: 5 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(trips, async (all) => {
        const live = await openLiveWorld(world);
        const reports = all.map((calls, i) =>
          reportOf(tripOf(`x${i}`, { startDate: DAY }), { relationship: 'added', calls }),
        );
        emit(live, '08:00', reports);
        const { addedTrips, addedCalls, addedStations, addedStationCalls } = live.state.build(instant(at('08:00')));
        const indexed = Array.from(addedStations.station, (stop, group) =>
          Array.from({ length: addedStations.callCount[group]! }, (_, i) => {
            const k = addedStations.firstCall[group]! + i;
            return `${stop}: ${addedStationCalls.addedTrip[k]} ${addedStationCalls.position[k]}`;
          }),
        ).flat();
        const searched = Array.from(addedTrips.key, (_, row) =>
          Array.from({ length: addedTrips.callCount[row]! }, (_, position) => ({
            stop: addedCalls.stop[addedTrips.firstCall[row]! + position]!,
            name: `${row} ${position}`,
          })),
        ).flat();
        const expected = searched.filter(({ stop }) => stop >= 0).map(({ stop, name }) => `${stop}: ${name}`);
        expect([...indexed].sort()).toEqual(expected.sort());
        expect([...addedStations.station]).toEqual([...new Set(addedStations.station)].sort((a, b) => a - b));
      }),
      { numRuns: 50, seed: 20_260_312 },
    );
  });

  it('groups equal a naive grouping, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 5 })), (stops) => {
        const { stop, first, count, order } = groupByStop(stops, 6);
        const grouped = Array.from(stop, (of, row) => [of, [...order.subarray(first[row], first[row]! + count[row]!)]]);
        const searched = [0, 1, 2, 3, 4, 5]
          .map((of) => [of, stops.flatMap((one, thing) => (one === of ? thing : []))] as const)
          .filter(([, things]) => things.length > 0);
        expect(grouped).toEqual(searched);
      }),
      { numRuns: 200, seed: 20_260_313 },
    );
  });
});
