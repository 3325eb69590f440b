import { describe, expect, it } from 'vitest';
import type {
  StopTimeEvent,
  StopTimeUpdate,
  TripDescriptor,
  TripUpdate,
} from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { listProblems, NOW, normaliseEntities } from './normalise-entities.ts';

function normaliseTrip(trip: TripDescriptor, rest: Partial<TripUpdate> = {}) {
  const update = normaliseEntities([{ id: '1', tripUpdate: { stopTimeUpdate: [], trip, ...rest } }]);
  return { report: update.trips[0], problems: listProblems(update) };
}

function normaliseCalls(stopTimeUpdate: readonly StopTimeUpdate[], measuredStopEvents = false) {
  const tripUpdate = { trip: { tripId: 'a' }, stopTimeUpdate };
  const update = normaliseEntities([{ id: '1', tripUpdate }], {}, { measuredStopEvents });
  return { calls: update.trips[0]!.calls, problems: listProblems(update) };
}

describe('a trip update', () => {
  it('is converted to a report', () => {
    const { report, problems } = normaliseTrip(
      {
        tripId: '17.T2.4-S50-j26-1.2.H',
        routeId: '4-S50-j26-1',
        directionId: 0,
        startDate: '20260309',
        startTime: '25:07:00',
      },
      { vehicle: { id: '4020 215' }, timestamp: NOW - 20, delay: 180 },
    );
    expect(problems).toEqual([]);
    expect(report).toEqual({
      place: 'entity 1',
      trip: {
        tripId: '17.T2.4-S50-j26-1.2.H',
        routeId: '4-S50-j26-1',
        directionId: 0,
        startDate: '2026-03-09',
        startTime: 25 * 3600 + 7 * 60,
        lineLabel: null,
        product: null,
        operatorName: null,
        headsign: null,
      },
      relationship: 'scheduled',
      newTripId: null,
      recordedAt: NOW - 20,
      delaySeconds: 180,
      calls: [],
      vehicleId: '4020 215',
      originName: null,
      isSpecial: false,
    });
  });

  it.each([
    [undefined, 'scheduled'],
    ['SCHEDULED', 'scheduled'],
    ['ADDED', 'added'],
    ['NEW', 'added'],
    ['UNSCHEDULED', 'unscheduled'],
    ['CANCELED', 'cancelled'],
    ['REPLACEMENT', 'replacement'],
    ['DELETED', 'deleted'],
  ] as const)('that is %s is %s', (scheduleRelationship, relationship) => {
    const trip = { tripId: 'a', ...(scheduleRelationship && { scheduleRelationship }) };
    expect(normaliseTrip(trip).report).toMatchObject({ relationship, delaySeconds: null, recordedAt: null });
  });

  it('with DUPLICATED names the repeated trip and the start of the repetition', () => {
    const { report } = normaliseTrip(
      { tripId: 'a', startDate: '20260310', startTime: '08:00:00', scheduleRelationship: 'DUPLICATED' },
      { tripProperties: { tripId: 'a-2', startDate: '20260311', startTime: '8:15:00', tripHeadsign: 'Linz Hbf' } },
    );
    expect(report).toMatchObject({
      relationship: 'duplicated',
      newTripId: 'a-2',
      trip: { tripId: 'a', startDate: '2026-03-11', startTime: 8 * 3600 + 900, headsign: 'Linz Hbf' },
    });
  });

  it('with DUPLICATED and no trip id is kept with its start', () => {
    const { report, problems } = normaliseTrip(
      { tripId: 'a', scheduleRelationship: 'DUPLICATED' },
      { tripProperties: { startTime: '09:00:00' } },
    );
    expect(report).toMatchObject({ relationship: 'duplicated', newTripId: null, trip: { startTime: 9 * 3600 } });
    expect(problems).toEqual(['duplicated_without_trip_id @ entity 1']);
  });

  it.each<[string, TripDescriptor, Partial<TripUpdate>, string]>([
    ['names neither trip nor route', { tripId: ' ', startTime: '08:00:00' }, {}, 'trip_without_name'],
    ['has an unknown relationship', { tripId: 'a', scheduleRelationship: 9 }, {}, 'unknown_trip_relationship'],
    [
      'repeats an unnamed trip at no time',
      { tripId: 'a', scheduleRelationship: 'DUPLICATED' },
      { tripProperties: { startDate: '20260311' } },
      'duplicated_without_start',
    ],
  ])('is rejected if it %s', (_what, trip, rest, code) => {
    expect(normaliseTrip(trip, rest)).toEqual({ report: undefined, problems: [`${code} @ entity 1`] });
  });

  it.each<[string, TripDescriptor, Partial<TripUpdate>, string]>([
    ['start date', { tripId: 'a', startDate: '20260230' }, {}, 'bad_start_date'],
    ['start time', { tripId: 'a', startTime: '8 Uhr' }, {}, 'bad_start_time'],
    ['delay', { tripId: 'a' }, { delay: 1_768_494_853 }, 'implausible_delay'],
    ['timestamp in milliseconds', { tripId: 'a' }, { timestamp: NOW * 1000 }, 'implausible_time'],
    ['timestamp in the future', { tripId: 'a' }, { timestamp: NOW + 3600 }, 'timestamp_in_future'],
  ])('is kept without an invalid %s', (_what, trip, rest, code) => {
    const { report, problems } = normaliseTrip(trip, rest);
    expect(problems).toEqual([`${code} @ entity 1`]);
    const name = { tripId: 'a', startDate: null, startTime: null };
    expect(report).toMatchObject({ trip: name, delaySeconds: null, recordedAt: null });
  });

  it('may be identified by route, direction and start', () => {
    const { report } = normaliseTrip({ routeId: 'U1', directionId: 1, startTime: '08:00:00', startDate: '20260310' });
    expect(report!.trip).toMatchObject({ tripId: null, routeId: 'U1', directionId: 1, startTime: 28_800 });
  });

  it('has no direction if the number is invalid', () => {
    expect(normaliseTrip({ tripId: 'a', directionId: 2 }).report!.trip.directionId).toBeNull();
  });
});

describe('a stop time update', () => {
  it('is converted to a call', () => {
    const { calls, problems } = normaliseCalls([
      {
        stopSequence: 4,
        stopId: 'at:49:1001:0:2',
        arrival: { time: NOW + 60, delay: 120, uncertainty: 30, scheduledTime: NOW - 60 },
        departure: { delay: -15 },
        stopTimeProperties: { assignedStopId: 'at:49:1001:0:3' },
      },
    ]);
    expect(problems).toEqual([]);
    expect(calls).toEqual([
      {
        stopSequence: 4,
        stop: { id: 'at:49:1001:0:2', idSpace: 'gtfs', name: null, lat: null, lon: null },
        arrival: { scheduledTime: NOW - 60, time: NOW + 60, delaySeconds: null, isMeasured: false },
        departure: { scheduledTime: null, time: null, delaySeconds: -15, isMeasured: false },
        state: 'normal',
        scheduledPlatform: null,
        platform: null,
        assignedStopId: 'at:49:1001:0:3',
        cancelledEvent: null,
      },
    ]);
  });

  it.each<[StopTimeEvent, boolean, object | null]>([
    [{ time: NOW - 60, uncertainty: 0 }, false, { time: NOW - 60, isMeasured: true }],
    [{ time: NOW - 60, uncertainty: 10 }, false, { time: NOW - 60, isMeasured: false }],
    [{ time: NOW - 60 }, false, { time: NOW - 60, isMeasured: false }],
    [{ time: NOW - 60 }, true, { time: NOW - 60, isMeasured: true }],
    [{ delay: 0, uncertainty: 0 }, false, { time: null, delaySeconds: 0, isMeasured: true }],
    [{ delay: 60, time: NOW }, false, { time: NOW, delaySeconds: null }],
    [{ delay: 60, time: 0 }, false, { time: null, delaySeconds: 60 }],
    [{ scheduledTime: NOW }, false, { scheduledTime: NOW, time: null, delaySeconds: null }],
    [{ time: 0 }, false, null],
    [{ uncertainty: 0 }, true, null],
    [{}, false, null],
  ])('with the event %j, measured %s, gives %j', (arrival, measured, expected) => {
    const { calls, problems } = normaliseCalls([{ stopSequence: 1, arrival }], measured);
    expect(problems).toEqual([]);
    if (expected) expect(calls[0]!.arrival).toMatchObject(expected);
    else expect(calls[0]!.arrival).toBeNull();
  });

  it.each<[StopTimeUpdate, object]>([
    [{ scheduleRelationship: 'SKIPPED' }, { state: 'skipped', arrival: null }],
    [
      { scheduleRelationship: 'SKIPPED', arrival: { time: NOW } },
      { state: 'skipped', arrival: { time: NOW } },
    ],
    [
      { scheduleRelationship: 'NO_DATA', arrival: { delay: 0 } },
      { state: 'noData', arrival: null, departure: null },
    ],
    [
      { scheduleRelationship: 'UNSCHEDULED', departure: { time: NOW } },
      { state: 'normal', departure: { time: NOW } },
    ],
  ])('%j is %j', (update, expected) => {
    expect(normaliseCalls([{ stopSequence: 1, ...update }]).calls[0]).toMatchObject(expected);
  });

  it.each<[string, StopTimeUpdate, string]>([
    ['names no stop', { arrival: { delay: 0 } }, 'call_without_stop @ entity 1, call 2'],
  ])('is rejected separately if it %s', (_what, bad, problem) => {
    const { calls, problems } = normaliseCalls([{ stopSequence: 1 }, bad, { stopSequence: 3 }]);
    expect(calls.map(({ stopSequence }) => stopSequence)).toEqual([1, 3]);
    expect(problems).toEqual([problem]);
  });

  it('is kept without an invalid time', () => {
    const { calls, problems } = normaliseCalls([{ stopId: 'x', arrival: { time: -1, delay: 5 } }]);
    expect(calls[0]).toMatchObject({ stopSequence: null, arrival: { time: null, delaySeconds: 5 } });
    expect(problems).toEqual(['implausible_time @ entity 1, call 1']);
  });

  const bySequence = (...sequences: readonly (number | null)[]) =>
    sequences.map((sequence, i) => ({ stopId: `s${i}`, ...(sequence !== null && { stopSequence: sequence }) }));

  it.each<[string, StopTimeUpdate[], (string | null)[], string[]]>([
    ['in order', bySequence(0, 5, 7), ['s0', 's1', 's2'], []],
    ['out of order', bySequence(5, 9, 7, 1), ['s3', 's0', 's2', 's1'], ['calls_out_of_order @ entity 1']],
    ['reported twice', bySequence(1, 2, 2), ['s0', 's2'], ['duplicate_call @ entity 1']],
    ['without sequences, a loop', [{ stopId: 'x' }, { stopId: 'y' }, { stopId: 'x' }], ['x', 'y', 'x'], []],
    ['with and without', bySequence(3, null, 1), ['s0', 's1', 's2'], []],
  ])('of several %s', (_what, updates, stops, expectedProblems) => {
    const { calls, problems } = normaliseCalls(updates);
    expect(calls.map(({ stop }) => stop!.id)).toEqual(stops);
    expect(problems).toEqual(expectedProblems);
  });
});

describe('the occupancy of a call', () => {
  it.each<[StopTimeUpdate, string | undefined, string[]]>([
    [{ departureOccupancyStatus: 'FEW_SEATS_AVAILABLE' }, 'FEW_SEATS_AVAILABLE', []],
    [{ departureOccupancyStatus: 'FULL', scheduleRelationship: 'NO_DATA' }, 'FULL', []],
    [{ departureOccupancyStatus: 'NO_DATA_AVAILABLE' }, undefined, []],
    [{ departureOccupancyStatus: 9 }, undefined, ['unknown_occupancy @ entity 1, call 1']],
  ])('%j is %s', (update, expected, problems) => {
    const normalised = normaliseCalls([{ stopSequence: 1, ...update }]);
    expect(normalised.calls[0]!.departureOccupancy).toBe(expected);
    expect(normalised.problems).toEqual(problems);
  });
});
