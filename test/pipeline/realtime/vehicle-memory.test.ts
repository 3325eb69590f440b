import { beforeEach, describe, expect, it } from 'vitest';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import { clock, clockText, DATE, describeObservation, type LiveLine, openLiveLine, reported } from './live-line.ts';
import { tripName, vehicleReport } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

interface Seen {
  readonly id?: string;
  /** Null: no trip. */
  readonly trip?: string | null;
  /** By stop_sequence. */
  readonly call?: number;
  readonly status?: VehicleReport['stopStatus'];
  readonly at?: string;
  readonly startDate?: typeof DATE | null;
}

function vehicle({ id = 'v1', trip = 'bus', call, status = 'inTransitTo', at, startDate = DATE }: Seen): VehicleReport {
  return vehicleReport(trip === null ? null : { tripId: trip, startDate }, {
    place: `entity ${id}`,
    id,
    stopSequence: call ?? null,
    stopStatus: status,
    recordedAt: at === undefined ? null : clock(at),
  });
}

function see(at: string, ...seen: readonly Seen[]) {
  return line.report(at, { vehicles: seen.map(vehicle) }, { part: 'positions' });
}

/** Ids and when they were observed. */
function list(at: string): string[] {
  const { vehicles, texts } = line.build(at);
  return [...vehicles.id].map((row, i) => `${texts.text.get(row)} ${clockText(vehicles.observedAt[i]!)}`);
}

it('the result of a response does not depend on whether tables were built before it', () => {
  see('08:00', { call: 1, status: 'stoppedAt', at: '08:00' });
  // So old that it is dropped by a build, and ignored without one.
  const { observations } = see('08:20', { call: 2, at: '08:20' });
  expect(observations).toEqual([]);
});

describe('published vehicles', () => {
  it('exclude future ones once the clock was set back', () => {
    see('20:05', { at: '20:05' });
    expect(list('20:05')).toEqual(['v1 20:05']);
    expect(list('08:05')).toEqual([]);
    see('08:06', { at: '08:06' });
    expect(list('08:06')).toEqual(['v1 08:06']);
  });

  it.each<[reason: string, later: string, expected: string[]]>([
    ['for eight minutes', '08:13', ['v1 08:05']],
    ['not longer', '08:13:01', []],
  ])('%s', (_reason, later, expected) => {
    see('08:05', { at: '08:05' });
    expect(list(later)).toEqual(expected);
  });

  it('of a part are replaced by its complete response; other parts remain', () => {
    see('08:05', { id: 'v1' }, { id: 'v2', trip: 'late' });
    line.report('08:05', { vehicles: [vehicle({ id: 'v3', trip: null })] }, { part: 'trams' });
    see('08:06', { id: 'v2', trip: 'late' });
    expect(list('08:06').map((text) => text.slice(0, 2))).toEqual(['v2', 'v3']);
  });

  it('remain after a differential response', () => {
    see('08:05', { id: 'v1' });
    line.report(
      '08:06',
      { scope: 'mentioned', vehicles: [vehicle({ id: 'v2', trip: 'late' })] },
      { part: 'positions' },
    );
    expect(list('08:06')).toHaveLength(2);
  });

  it('include one with only a known line, and one with nothing known', () => {
    const unknown = { ...vehicle({ id: 'v2' }), trip: tripName({ tripId: 'gone', routeId: 'r' }) };
    const { tally } = line.report('08:05', { vehicles: [unknown, vehicle({ id: 'v3', trip: 'nothing' })] });
    expect(tally).toMatchObject({ vehiclesMatched: 0, vehiclesOnRouteOnly: 1, vehiclesUnmatched: 1 });
    const { vehicles } = line.build('08:05');
    expect([...vehicles.trip]).toEqual([-1, -1]);
    expect([...vehicles.route].map((route) => route >= 0)).toEqual([true, false]);
  });
});

describe('added trips', () => {
  const extra = reported(
    { tripId: 'extra', startDate: DATE, lineLabel: 'E' },
    [
      { stop: 'a', times: [null, '08:05'] },
      { stop: 'd', times: ['08:20', null] },
    ],
    { relationship: 'added' },
  );

  it.each<[reason: string, name: Seen]>([
    ['by its id and date', { trip: 'extra' }],
    ['by its id only', { trip: 'extra', startDate: null }],
  ])('a vehicle matches the one that it runs %s, and counts as matched', (_reason, name) => {
    line.report('08:00', [extra]);
    expect(see('08:05', name).tally).toMatchObject({ vehiclesMatched: 1, vehiclesUnmatched: 0 });
    const { vehicles, addedTrips } = line.build('08:05');
    expect([...vehicles.addedTrip]).toEqual([0]);
    expect(addedTrips.key).toHaveLength(1);
  });

  it('not one of another day', () => {
    line.report('08:00', [extra]);
    see('08:05', { trip: 'extra', startDate: '2026-03-03' as typeof DATE });
    expect([...line.build('08:05').vehicles.addedTrip]).toEqual([-1]);
  });
});

describe('standing at a stop is an observation', () => {
  const report = (at: string, ...seen: readonly Seen[]) => see(at, ...seen).observations.map(describeObservation);
  const standing = (call: number, at?: string): Seen => ({ call, status: 'stoppedAt', ...(at ? { at } : {}) });

  it('it arrived when it was first observed there, and departed when it was last observed there', () => {
    expect(report('08:11', standing(2, '08:10:40'))).toEqual(['bus 1.arrival 08:10:40 observed from a position']);
    expect(report('08:12', standing(2, '08:11:40'))).toEqual([]);
    expect(report('08:13', { call: 3, at: '08:12:40' })).toEqual(['bus 1.departure 08:11:40 observed from a position']);
    expect(line.show('bus', '08:13')).toBe('-/- 08:10:40!/08:11:40! -/- -/-');
  });

  it.each<[reason: string, steps: readonly Seen[]]>([
    ['not while it is on the way there', [{ call: 2, status: 'inTransitTo' }]],
    ['not while it approaches', [{ call: 2, status: 'incomingAt' }]],
    ['not without a call', [{ status: 'stoppedAt' }]],
    ['there is no arrival at the first call', [standing(1)]],
    ['on a day without service, or of an unknown trip', [{ ...standing(2), trip: 'nothing' }]],
  ])('%s', (_reason, steps) => {
    for (const step of steps) expect(report('08:12', step)).toEqual([]);
  });

  it('at the first stop the departure counts, at the last one the arrival', () => {
    expect(report('08:00', standing(1))).toEqual([]);
    expect(report('08:01', { call: 2 })).toEqual(['bus 0.departure 08:00 observed from a position']);
    expect(report('08:30', standing(4))).toEqual(['bus 3.arrival 08:30 observed from a position']);
    expect(report('08:31', { trip: 'late', call: 1 })).toEqual([]);
  });

  it('an observation hours early or late counts only within a day', () => {
    const { tally, observations } = see('34:00', { ...standing(2), at: '33:00' });
    expect([tally.problems.implausible_time, observations]).toEqual([1, []]);
  });

  it("wins over a forecast and a cancellation, and is replaced by the publisher's observation", () => {
    const bus = (departure: string) => [reported('bus', [{ sequence: 2, times: [null, departure] }])];
    line.report('08:10', bus('08:15'));
    report('08:11', standing(2));
    report('08:12', { call: 3 });
    expect(line.show('bus', '08:12')).toBe('-/- 08:11!/08:11! 08:24/08:26 08:34/08:34');
    line.report('08:13', bus('08:16'));
    expect(line.show('bus', '08:13')).toContain('08:11!/08:11!');
    line.report('08:14', [reported('bus', [], { relationship: 'cancelled' })]);
    expect(line.show('bus', '08:14')).toBe('partlyCancelled x 08:11!/08:11! x x');
    line.report('08:15', bus('08:12:30!'));
    expect(line.show('bus', '08:15')).toContain('08:11!/08:12:30!');
  });

  it('it keeps a forecast no fresher than its own source does', () => {
    line.report('08:09', [reported('bus', [{ sequence: 2, times: [60, 120] }])]);
    report('08:11', standing(2));
    expect(line.build('08:11').calls.expiresAt[1]).toBe(clock('08:14'));
  });
});
