import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, describeAdded, type LiveLine, openLiveLine, reported, tripRow } from './live-line.ts';

let line: LiveLine;
let busEnds: { tripKey: bigint; day: number };
beforeEach(async () => {
  line = await openLiveLine();
  busEnds = { tripKey: line.timetable.trips.key[tripRow(line.timetable, 'bus')]!, day: DAY };
});

const delayed = reported('bus', [{ sequence: 2, times: [60, 60] }]);
const other = reported('late', [{ sequence: 1, times: [null, 60] }]);

describe('a complete response withdraws what it omits', () => {
  it('future forecasts disappear, past ones remain', () => {
    line.report('08:00', [delayed]);
    expect(line.report('08:15', [other]).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:15')).toBe('-/- 08:11/08:12 -/- -/-');
  });

  it('once', () => {
    line.report('08:00', [delayed]);
    line.report('08:15', [other]);
    expect(line.report('08:16', [other]).ended).toEqual([]);
  });

  it('what is reported again is shown again', () => {
    line.report('08:00', [delayed]);
    line.report('08:15', []);
    line.report('08:16', [delayed]);
    expect(line.show('bus', '08:16')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it.each([
    ['before the trip ends, its cancellation is withdrawn for future calls', '08:15', 'partlyCancelled x x x/- -/-'],
    ['when it has ended, it remains cancelled', '08:31', 'cancelled x x x x'],
  ])('%s', (_reason, at, expected) => {
    line.report('08:00', [reported('bus', [], { relationship: 'cancelled' })]);
    expect(line.show('bus', '08:00')).toBe('cancelled x x x x');
    line.report(at, []);
    expect(line.show('bus', at)).toBe(expected);
  });

  it('a deleted trip is shown again', () => {
    line.report('08:00', [reported('bus', [], { relationship: 'deleted' })]);
    expect(line.show('bus', '08:00')).toBe('cancelled deleted x x x x');
    line.report('08:01', []);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- -/-');
  });

  it('a call without its former skip, of a trip that is still reported, is served', () => {
    line.report('08:00', [reported('bus', [{ sequence: 3, state: 'skipped' }])]);
    line.report('08:01', [reported('bus', [{ sequence: 4, times: [60, null] }])]);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- 08:31/08:31');
  });

  it('without propagation, an omitted call is withdrawn separately', () => {
    const emit = (at: string, ...stops: string[]) =>
      line.report(at, {
        trips: stops.map((stop) => reported('bus', [{ stop, times: [60, 60] }])),
        isPropagating: false,
      });
    emit('08:00', 'b1', 'c', 'd');
    emit('08:15', 'd');
    expect(line.show('bus', '08:15')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('without propagation, a call reported without a time becomes unknown', () => {
    const emit = (at: string, times: readonly [string | null, string | null]) =>
      line.report(at, {
        trips: [reported('bus', [{ stop: 'c', plan: ['08:20', '08:22'], times }])],
        isPropagating: false,
      });
    emit('08:00', ['08:21', '08:23']);
    emit('08:01', [null, '08:23']);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/08:23 08:31/08:31');
  });

  it('a trip that was cancelled and runs again runs entirely, even if only one call is reported', () => {
    const emit = (at: string, trip: ReturnType<typeof reported>) =>
      line.report(at, { trips: [trip], isPropagating: false });
    emit('07:30', reported('bus', [], { relationship: 'cancelled' }));
    emit('07:31', reported('bus', [{ stop: 'c', times: [60, 60] }]));
    expect(line.show('bus', '07:31')).toBe('-/- -/- 08:21/08:23 08:31/08:31');
  });
});

describe('a source of several parts', () => {
  it('no part withdraws reports of another', () => {
    line.report('08:00', [delayed], { part: 'north' });
    expect(line.report('08:01', [other], { part: 'south' }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('a trip that two parts report ends when both omit it', () => {
    const at = (stop: string) => ({ isPropagating: false, trips: [reported('bus', [{ stop, times: [60, 60] }])] });
    const silence = { isPropagating: false };
    line.report('08:00', at('b1'), { part: 'berg' });
    line.report('08:01', at('c'), { part: 'kirche' });
    expect(line.report('08:02', silence, { part: 'berg' }).ended).toEqual([]);
    expect(line.show('bus', '08:02')).toBe('-/- -/- 08:21/08:23 08:31/08:31');
    expect(line.report('08:03', silence, { part: 'kirche' }).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:03')).toBe('-/- -/- -/- -/-');
  });

  it('a cancellation that two parts report remains until both omit it', () => {
    const cancelled = { isPropagating: false, trips: [reported('bus', [], { relationship: 'cancelled' })] };
    line.report('07:30', cancelled, { part: 'berg' });
    line.report('07:31', cancelled, { part: 'kirche' });
    line.report('07:32', { isPropagating: false }, { part: 'kirche' });
    expect(line.show('bus', '07:32')).toBe('cancelled x x x x');
    line.report('07:33', { isPropagating: false }, { part: 'berg' });
    expect(line.show('bus', '07:33')).toBe('-/- -/- -/- -/-');
  });
});

describe('a differential answer', () => {
  const change = (at: string, update: object) => line.report(at, { scope: 'mentioned', ...update });

  it('changes the entities that it contains', () => {
    change('08:00', { trips: [delayed] });
    expect(change('08:01', { trips: [other] }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('withdraws the entities that it deletes: trips, vehicles and alerts', () => {
    const vehicle = { lat: 48, lon: 16, headingDeg: null, recordedAt: null, stop: null, stopSequence: null };
    const vehicles = [{ ...vehicle, place: 'entity 7', id: 'v', label: null, trip: null, stopStatus: null }];
    change('08:00', { trips: [delayed, other], vehicles });
    expect(change('08:01', { deletedIds: ['bus', '7'] }).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- -/-');
    expect(line.show('late', '08:01')).toContain('/09:01');
    expect(line.build('08:01').vehicles.id).toHaveLength(0);
  });

  it('cannot delete entities of another part', () => {
    change('08:00', { trips: [delayed] });
    expect(line.report('08:01', { scope: 'mentioned', deletedIds: ['bus'] }, { part: 'other' }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toContain('08:12');
  });

  it('withdraws an added trip', () => {
    const extra = reported(
      'extra',
      [
        { stop: 'a', times: [null, '08:40'] },
        { stop: 'd', times: ['08:50', null] },
      ],
      {
        relationship: 'added',
      },
    );
    change('08:00', { trips: [extra] });
    expect(describeAdded(line.build('08:00'))).toHaveLength(1);
    change('08:01', { deletedIds: ['extra'] });
    expect(describeAdded(line.build('08:01'))).toEqual([]);
  });

  it('trips that ended long ago are dropped without a deletion', () => {
    change('08:00', { trips: [delayed] });
    line.build('09:32');
    expect(line.show('bus', '09:32')).toBe('silence');
    // Half a day later the trip may be emitted as if it were new.
    line.build('21:00');
    expect(change('21:01', { trips: [delayed] }).observations).toHaveLength(2);
  });
});

it('ended trips are kept for an hour after their end, and after their last report', () => {
  line.report('08:00', [delayed]);
  expect(line.show('bus', '09:30')).not.toBe('silence');
  expect(line.show('bus', '09:31')).not.toBe('silence');
  line.report('09:31', [delayed]);
  expect(line.show('bus', '10:31')).not.toBe('silence');
  expect(line.show('bus', '10:32')).toBe('silence');
});
