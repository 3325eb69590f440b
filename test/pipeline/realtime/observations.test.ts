import { beforeEach, describe, expect, it } from 'vitest';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import {
  clock,
  DATE,
  describeObservation,
  type LiveLine,
  openLiveLine,
  type ReportedCall,
  reported,
} from './live-line.ts';
import { vehicleReport } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

/** The observations emitted for a response with only this trip. */
function report(at: string, ...trips: readonly TripReport[]): string[] {
  return line.report(at, trips).observations.map(describeObservation);
}

const bus = (...calls: readonly ReportedCall[]) => reported('bus', calls);
const cancelled = reported('bus', [], { relationship: 'cancelled' });

describe('an observation is', () => {
  it('an event as the source reports it, without derived ones', () => {
    expect(report('08:00', bus({ sequence: 2, times: [60, 120] }))).toEqual([
      'bus 1.arrival 08:11 forecast',
      'bus 1.departure 08:13 forecast',
    ]);
    expect(report('08:01', reported('late', [], { delaySeconds: 300 }))).toEqual([]);
  });

  it('named as in the timetable', () => {
    const { observations } = line.report('08:00', [
      reported('bus', [{ sequence: 2, times: [60, null], assignedStop: 'b2' }], { recordedAt: clock('07:59') }),
    ]);
    expect(observations).toEqual([
      {
        tripKey: line.timetable.trips.key[line.build('08:00').trips.trip[0]!],
        day: line.build('08:00').trips.day[0],
        tripId: 'bus',
        routeId: 'r',
        lineLabel: '1',
        position: 1,
        stopId: 'b1',
        event: 'arrival',
        channel: 'stop_events',
        scheduledTime: clock('08:10'),
        time: clock('08:11'),
        evidence: 'forecast',
        isCancelled: false,
        platform: '2',
        uncertaintySeconds: null,
        occupancy: null,
        recordedAt: clock('07:59'),
      },
    ]);
  });

  it('not emitted for a deleted trip', () => {
    expect(report('08:00', reported('bus', [], { relationship: 'deleted' }))).toEqual([]);
  });
});

interface Case {
  readonly reason: string;
  readonly first: TripReport;
  readonly next: TripReport | null;
  readonly expected: readonly string[];
}

const forecast = { sequence: 2, times: [null, 120] } as const;

describe('an observation is emitted when it is new', () => {
  it.each<Case>([
    { reason: 'the same again', first: bus(forecast), next: bus(forecast), expected: [] },
    {
      reason: 'another time',
      first: bus(forecast),
      next: bus({ sequence: 2, times: [null, 180] }),
      expected: ['bus 1.departure 08:14 forecast'],
    },
    {
      reason: 'another event',
      first: bus(forecast),
      next: bus({ sequence: 2, times: [60, 120] }),
      expected: ['bus 1.arrival 08:11 forecast'],
    },
    {
      reason: 'the same time, now measured',
      first: bus({ sequence: 1, times: [null, '07:58'] }),
      next: bus({ sequence: 1, times: [null, '07:58!'] }),
      expected: ['bus 0.departure 07:58 observed'],
    },
    {
      reason: 'a forecast after an observation',
      first: bus({ sequence: 1, times: [null, '07:58!'] }),
      next: bus({ sequence: 1, times: [null, '08:02'] }),
      expected: [],
    },
    {
      reason: 'another platform',
      first: bus(forecast),
      next: bus({ ...forecast, assignedStop: 'b2' }),
      expected: ['bus 1.departure 08:13 forecast @2'],
    },
    {
      reason: 'the same platform again',
      first: bus({ ...forecast, assignedStop: 'b2' }),
      next: bus({ ...forecast, assignedStop: 'b2' }),
      expected: [],
    },
    {
      reason: 'the platform is withdrawn',
      first: bus({ ...forecast, assignedStop: 'b2' }),
      next: bus(forecast),
      expected: ['bus 1.departure 08:13 forecast'],
    },
    {
      reason: 'a cancellation is emitted for every call',
      first: bus(forecast),
      next: cancelled,
      expected: [
        'bus 0.departure x',
        'bus 1.arrival x',
        'bus 1.departure x',
        'bus 2.arrival x',
        'bus 2.departure x',
        'bus 3.arrival x',
      ],
    },
    { reason: 'and once', first: cancelled, next: cancelled, expected: [] },
    {
      reason: 'a call that is skipped',
      first: bus(forecast),
      next: bus({ sequence: 2, state: 'skipped' }),
      expected: ['bus 1.arrival x', 'bus 1.departure x'],
    },
    {
      reason: 'a call that is served after all: also for the unreported event',
      first: bus({ sequence: 2, state: 'skipped' }),
      next: bus(forecast),
      expected: ['bus 1.arrival unknown', 'bus 1.departure 08:13 forecast'],
    },
    {
      reason: 'a cancellation withdrawn by omission',
      first: bus({ sequence: 2, state: 'skipped' }),
      next: null,
      expected: ['bus 1.arrival unknown', 'bus 1.departure unknown'],
    },
    {
      reason: 'no data any more, as the publisher reports',
      first: bus(forecast),
      next: bus({ sequence: 2, state: 'noData' }),
      expected: ['bus 1.departure unknown'],
    },
    { reason: 'no data ever', first: bus(), next: bus({ sequence: 2, state: 'noData' }), expected: [] },
    { reason: 'nothing for a forecast that is only omitted', first: bus(forecast), next: bus(), expected: [] },
  ])('$reason', ({ first, next, expected }) => {
    report('07:59', first);
    expect(report('08:00', ...(next ? [next] : []))).toEqual(expected);
  });

  it('a forecast that returns unchanged is not emitted while its trip is reported; a trip that ended is emitted again', () => {
    report('07:59', bus(forecast));
    report('08:00', bus());
    expect(report('08:01', bus(forecast))).toEqual([]);
    report('08:02');
    expect(report('08:03', bus(forecast))).toEqual(['bus 1.departure 08:13 forecast']);
  });

  it('each source is emitted separately', async () => {
    line = await openLiveLine(['one', 'two']);
    line.report('08:00', [bus(forecast)], { source: 'one' });
    expect(line.report('08:00', [bus(forecast)], { source: 'two' }).observations).toHaveLength(1);
  });

  it('observations of a vehicle are emitted beside publisher times', () => {
    report('08:10', bus(forecast));
    const standing = vehicleReport({ tripId: 'bus', startDate: DATE }, { stopSequence: 2, stopStatus: 'stoppedAt' });
    const see = (at: string, id: string) =>
      line.report(at, { vehicles: [{ ...standing, id }] }, { part: id }).observations.map(describeObservation);
    expect(see('08:11', 'v1')).toEqual(['bus 1.arrival 08:11 observed from a position']);
    // The second unit of the train.
    expect(see('08:12', 'v2')).toEqual([]);
    expect(report('08:12', bus({ sequence: 2, times: ['08:10:30!', 180] }))).toEqual([
      'bus 1.arrival 08:10:30 observed',
      'bus 1.departure 08:14 forecast',
    ]);
    expect(report('08:13', cancelled).filter((text) => text.startsWith('bus 1'))).toEqual([]);
  });
});
