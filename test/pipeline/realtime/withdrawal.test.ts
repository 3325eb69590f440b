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

describe('a complete answer takes back what it does not name', () => {
  it('forecasts ahead go, those that have passed stay', () => {
    line.say('08:00', [delayed]);
    expect(line.say('08:15', [other]).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:15')).toBe('-/- 08:11/08:12 -/- -/-');
  });

  it('it ends once', () => {
    line.say('08:00', [delayed]);
    line.say('08:15', [other]);
    expect(line.say('08:16', [other]).ended).toEqual([]);
  });

  it('what is named again is known again', () => {
    line.say('08:00', [delayed]);
    line.say('08:15', []);
    line.say('08:16', [delayed]);
    expect(line.show('bus', '08:16')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it.each([
    ['before the trip ends, its cancellation is lifted where it lies ahead', '08:15', 'partlyCancelled x x x/- -/-'],
    ['when it is over, it stays cancelled', '08:31', 'cancelled x x x x'],
  ])('%s', (_reason, at, expected) => {
    line.say('08:00', [reported('bus', [], { relationship: 'cancelled' })]);
    expect(line.show('bus', '08:00')).toBe('cancelled x x x x');
    line.say(at, []);
    expect(line.show('bus', at)).toBe(expected);
  });

  it('a trip that was not to be shown is shown again', () => {
    line.say('08:00', [reported('bus', [], { relationship: 'deleted' })]);
    expect(line.show('bus', '08:00')).toBe('cancelled deleted x x x x');
    line.say('08:01', []);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- -/-');
  });

  it('within a trip that is still named, a call that is skipped no more is served', () => {
    line.say('08:00', [reported('bus', [{ sequence: 3, state: 'skipped' }])]);
    line.say('08:01', [reported('bus', [{ sequence: 4, times: [60, null] }])]);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- 08:31/08:31');
  });

  it('where each call speaks for itself, a call that is left out is taken back by itself', () => {
    const say = (at: string, ...stops: string[]) =>
      line.say(at, { trips: stops.map((stop) => reported('bus', [{ stop, times: [60, 60] }])), isPropagating: false });
    say('08:00', 'b1', 'c', 'd');
    say('08:15', 'd');
    expect(line.show('bus', '08:15')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('where each call speaks for itself, one that is named without a time is not known any more', () => {
    const say = (at: string, times: readonly [string | null, string | null]) =>
      line.say(at, {
        trips: [reported('bus', [{ stop: 'c', plan: ['08:20', '08:22'], times }])],
        isPropagating: false,
      });
    say('08:00', ['08:21', '08:23']);
    say('08:01', [null, '08:23']);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/08:23 08:31/08:31');
  });

  it('a trip that was cancelled and runs after all runs everywhere, though one call alone is named', () => {
    const say = (at: string, trip: ReturnType<typeof reported>) =>
      line.say(at, { trips: [trip], isPropagating: false });
    say('07:30', reported('bus', [], { relationship: 'cancelled' }));
    say('07:31', reported('bus', [{ stop: 'c', times: [60, 60] }]));
    expect(line.show('bus', '07:31')).toBe('-/- -/- 08:21/08:23 08:31/08:31');
  });
});

describe('a source of several parts', () => {
  it('one part takes nothing back that another said', () => {
    line.say('08:00', [delayed], { part: 'north' });
    expect(line.say('08:01', [other], { part: 'south' }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('a trip that two parts name ends when the last of them is silent', () => {
    const at = (stop: string) => ({ isPropagating: false, trips: [reported('bus', [{ stop, times: [60, 60] }])] });
    const silence = { isPropagating: false };
    line.say('08:00', at('b1'), { part: 'berg' });
    line.say('08:01', at('c'), { part: 'kirche' });
    expect(line.say('08:02', silence, { part: 'berg' }).ended).toEqual([]);
    expect(line.show('bus', '08:02')).toBe('-/- -/- 08:21/08:23 08:31/08:31');
    expect(line.say('08:03', silence, { part: 'kirche' }).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:03')).toBe('-/- -/- -/- -/-');
  });

  it('a cancellation that two parts report stays until the last of them is silent', () => {
    const cancelled = { isPropagating: false, trips: [reported('bus', [], { relationship: 'cancelled' })] };
    line.say('07:30', cancelled, { part: 'berg' });
    line.say('07:31', cancelled, { part: 'kirche' });
    line.say('07:32', { isPropagating: false }, { part: 'kirche' });
    expect(line.show('bus', '07:32')).toBe('cancelled x x x x');
    line.say('07:33', { isPropagating: false }, { part: 'berg' });
    expect(line.show('bus', '07:33')).toBe('-/- -/- -/- -/-');
  });
});

describe('a differential answer', () => {
  const change = (at: string, update: object) => line.say(at, { scope: 'mentioned', ...update });

  it('changes what it names', () => {
    change('08:00', { trips: [delayed] });
    expect(change('08:01', { trips: [other] }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toBe('-/- 08:11/08:12 08:21/08:23 08:31/08:31');
  });

  it('takes back what it deletes: trips, vehicles and news, by the id of their entity', () => {
    const vehicle = { lat: 48, lon: 16, headingDeg: null, recordedAt: null, stop: null, stopSequence: null };
    const vehicles = [{ ...vehicle, place: 'entity 7', id: 'v', label: null, trip: null, stopStatus: null }];
    change('08:00', { trips: [delayed, other], vehicles });
    expect(change('08:01', { deletedIds: ['bus', '7'] }).ended).toEqual([busEnds]);
    expect(line.show('bus', '08:01')).toBe('-/- -/- -/- -/-');
    expect(line.show('late', '08:01')).toContain('/09:01');
    expect(line.build('08:01').vehicles.id).toHaveLength(0);
  });

  it('of another part’s entities it deletes none', () => {
    change('08:00', { trips: [delayed] });
    expect(line.say('08:01', { scope: 'mentioned', deletedIds: ['bus'] }, { part: 'other' }).ended).toEqual([]);
    expect(line.show('bus', '08:01')).toContain('08:12');
  });

  it('takes back an added trip', () => {
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

  it('what is long over is forgotten, though nobody deletes it', () => {
    change('08:00', { trips: [delayed] });
    line.build('09:32');
    expect(line.show('bus', '09:32')).toBe('silence');
    // Half a day later the trip may be emitted as if it were new.
    line.build('21:00');
    expect(change('21:01', { trips: [delayed] }).observations).toHaveLength(2);
  });
});

it('what is over is kept an hour after its end, and after it was last spoken of', () => {
  line.say('08:00', [delayed]);
  expect(line.show('bus', '09:30')).not.toBe('silence');
  expect(line.show('bus', '09:31')).not.toBe('silence');
  line.say('09:31', [delayed]);
  expect(line.show('bus', '10:31')).not.toBe('silence');
  expect(line.show('bus', '10:32')).toBe('silence');
});
