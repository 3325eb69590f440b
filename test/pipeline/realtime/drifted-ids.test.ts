import { beforeEach, describe, expect, it, test } from 'vitest';
import type { Board } from '../../../api/contract/definitions.ts';
import type { ServiceTime } from '../../../pipeline/model/service-time.ts';
import { clockOf, describeDepartures, queryDepartures, queryJourney } from '../../support/worlds/board-world.ts';
import {
  clock,
  DATE,
  describeObservation,
  iso,
  type LiveLine,
  openLiveLine,
  type ReportedCall,
  reported,
} from './live-line.ts';
import { stopName, vehicleReport } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

const seconds = (hours: number, minutes = 0) => (hours * 3600 + minutes * 60) as ServiceTime;

/** The loop at ten: Anger, Berg, Anger, Berg, every five minutes; under an id that the timetable lacks. */
const loop = { tripId: 'drifted', routeId: 'l', directionId: 0, startDate: DATE, startTime: seconds(10) } as const;

describe('a report whose trip id drifted, for a trip that returns to its stops', () => {
  test.each<
    [reason: string, at: string, calls: readonly ReportedCall[], shown: string, observations: readonly string[]]
  >([
    [
      'a time only: the nearest call',
      '10:08',
      [{ stop: 'a', times: [null, '10:12'] }],
      '-/- -/- -/10:12 10:17/10:17',
      ['loop 2.departure 10:12 forecast'],
    ],
    [
      'a number at which the trip has another stop: by time',
      '10:08',
      [{ stop: 'a', sequence: 4, times: [null, '10:12'] }],
      '-/- -/- -/10:12 10:17/10:17',
      ['loop 2.departure 10:12 forecast'],
    ],
    [
      'a number at which the trip has that stop: by number',
      '09:50',
      [{ stop: 'a', sequence: 3, times: [null, '10:02'] }],
      '-/- 10:02/10:02 10:02/10:02 10:07/10:07',
      ['loop 2.departure 10:02 forecast'],
    ],
    [
      'a delay only, under way: the next call',
      '10:08',
      [{ stop: 'a', times: [null, 60] }],
      '-/- -/- -/10:11 10:16/10:16',
      ['loop 2.departure 10:11 forecast'],
    ],
    [
      'a delay only, before the trip starts: its first call',
      '09:55',
      [{ stop: 'b1', times: [60, 60] }],
      '-/- 10:06/10:06 10:11/10:11 10:16/10:16',
      ['loop 1.arrival 10:06 forecast', 'loop 1.departure 10:06 forecast'],
    ],
    [
      'a large delay of an arrival only: the next call',
      '10:04',
      [{ stop: 'b1', times: [600, null] }],
      '-/- 10:15/10:15 10:20/10:20 10:25/10:25',
      ['loop 1.arrival 10:15 forecast'],
    ],
    [
      'a skipped call beside one with a time: the call after it',
      '10:08',
      [
        { stop: 'a', times: [null, '10:11'] },
        { stop: 'b1', state: 'skipped' },
      ],
      'partlyCancelled -/- -/- -/x x',
      ['loop 2.departure 10:11 forecast', 'loop 3.arrival x'],
    ],
    [
      'a skipped call only, under way: the next call',
      '10:08',
      [{ stop: 'b1', state: 'skipped' }],
      'partlyCancelled -/- -/- -/x x',
      ['loop 3.arrival x'],
    ],
    [
      'no data from a call on, beside one with a time',
      '10:04',
      [
        { stop: 'b1', times: ['10:06', '10:06'] },
        { stop: 'a', state: 'noData' },
      ],
      '-/- 10:06/10:06 ? -/-',
      ['loop 1.arrival 10:06 forecast', 'loop 1.departure 10:06 forecast'],
    ],
    [
      'all calls, later than the time between two visits',
      '09:50',
      [
        { stop: 'a', times: [null, '10:11'] },
        { stop: 'b1', times: ['10:16', '10:16'] },
        { stop: 'a', times: ['10:21', '10:21'] },
        { stop: 'b1', times: ['10:26', null] },
      ],
      '-/10:11 10:16/10:16 10:21/10:21 10:26/10:26',
      [
        'loop 0.departure 10:11 forecast',
        'loop 1.arrival 10:16 forecast',
        'loop 1.departure 10:16 forecast',
        'loop 2.arrival 10:21 forecast',
        'loop 2.departure 10:21 forecast',
        'loop 3.arrival 10:26 forecast',
      ],
    ],
  ])('%s', (_reason, at, calls, shown, observations) => {
    const applied = line.report(at, [reported(loop, calls)]);
    expect(applied.tally.matched).toEqual({ route_start: 1 });
    expect(line.show('loop', at)).toBe(shown);
    expect(applied.observations.map(describeObservation)).toEqual(observations);
  });

  it('appears on the board and in the journey at the matched call', async () => {
    line.report('10:08', [reported(loop, [{ stop: 'a', sequence: 7, times: ['10:11', '10:12'] }])]);
    const world = line.showAt(iso(clock('10:08')));
    const board = await queryDepartures(world, 'at:a', { time: iso(clock('10:08')), durationMinutes: 30 });
    expect(describeDepartures(board)).toEqual(['10:10 9 Berg']);
    const [{ journeyRef, departure }] = board.departures as [Board['departures'][number]];
    expect(clockOf(departure.realtime!)).toBe('10:12');
    const journey = await queryJourney(world, journeyRef!, { now: iso(clock('10:08')) });
    expect(journey.stops.map((call) => clockOf((call.departure ?? call.arrival)!.realtime ?? ''))).toEqual([
      '',
      '',
      '10:12',
      '10:17',
    ]);
  });

  it.each([
    ['10:01', 0],
    ['10:09', 2],
    ['10:12', 2],
  ])('a vehicle observed at %s at a stop without a number is at the call of that time', (at, position) => {
    const vehicle = vehicleReport(loop, {
      stop: stopName('a'),
      stopStatus: 'stoppedAt',
      recordedAt: clock(at),
    });
    const { observations } = line.report(at, { vehicles: [vehicle] });
    expect(Array.from(line.build(at).vehicles.position)).toEqual([position]);
    const event = position === 0 ? [] : [`loop ${position}.arrival ${at} observed from a position`];
    expect(observations.map(describeObservation)).toEqual(event);
  });
});
