import { beforeEach, describe, expect, it, test } from 'vitest';
import type { TripDescriptor, TripUpdate } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { normaliseEntities } from '../sources/gtfs-rt/normalise-entities.ts';
import { clock, clockText, describeAdded, type LiveLine, openLiveLine } from './live-line.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

const duplicated = { scheduleRelationship: 'DUPLICATED', startDate: '20260302' } as const;
/** The bus at eight, three minutes late from its first call on. */
const late: TripUpdate['stopTimeUpdate'] = [{ stopSequence: 1, departure: { delay: 180 } }];

function emit(at: string, trips: readonly TripUpdate[], vehicles: readonly TripDescriptor[], part = 'all') {
  const time = { timestamp: clock(at) };
  const position = { latitude: 48, longitude: 16 };
  const entities = [
    ...trips.map((tripUpdate, i) => ({ id: `t${i}`, tripUpdate })),
    ...vehicles.map((trip, i) => ({ id: `v${i}`, vehicle: { trip, position, ...time } })),
  ];
  return line.report(at, normaliseEntities(entities, time, { fetchedAt: clock(at) }), { part });
}

/** The trip of each vehicle: `bus`, `added 08:15`, `line 1`. */
function listVehicles(at: string): string[] {
  const { vehicles, addedTrips, addedCalls } = line.build(at);
  const { trips, routes } = line.timetable;
  return Array.from(vehicles.trip, (trip, i) => {
    const added = vehicles.addedTrip[i]!;
    if (trip >= 0) return trips.tripId.get(trip);
    if (added >= 0) return `added ${clockText(addedCalls.scheduledDeparture[addedTrips.firstCall[added]!]!)}`;
    return vehicles.route[i]! < 0 ? '-' : `line ${routes.label.get(vehicles.route[i]!)}`;
  });
}

describe('a trip that is DUPLICATED', () => {
  const repeated = '1 03-02 additional: Anger -/08:18, Berg 08:28/08:29, Kirche 08:38/08:40, Dorf 08:48/08:48';
  test.each<
    [reason: string, update: TripUpdate, added: readonly string[], planned: string, matched: object, problems: object]
  >([
    [
      'under a separate id',
      {
        trip: { ...duplicated, tripId: 'bus' },
        tripProperties: { tripId: 'bus-2', startTime: '08:15:00' },
        stopTimeUpdate: late,
      },
      [repeated],
      'silence',
      { duplicated: 1 },
      {},
    ],
    [
      'without one, at another time: named by route and start',
      { trip: { ...duplicated, tripId: 'bus' }, tripProperties: { startTime: '08:15:00' }, stopTimeUpdate: late },
      [repeated],
      'silence',
      { duplicated: 1 },
      { duplicated_without_trip_id: 1 },
    ],
    [
      'without one, by start, beside the trip that it repeats',
      { trip: { ...duplicated, tripId: 'bus', startTime: '08:15:00' }, stopTimeUpdate: late },
      [repeated],
      'silence',
      { duplicated: 1 },
      { duplicated_without_trip_id: 1 },
    ],
    [
      'without one, at the start of the trip itself: that trip',
      { trip: { ...duplicated, tripId: 'bus' }, tripProperties: { startTime: '08:00:00' }, stopTimeUpdate: late },
      [],
      '-/08:03 08:13/08:14 08:23/08:25 08:33/08:33',
      { trip_id: 1 },
      { duplicated_without_trip_id: 1 },
    ],
    [
      'by route and start only, if a trip starts then: that trip',
      {
        trip: { ...duplicated, routeId: 'r', directionId: 0, startTime: '08:00:00' },
        stopTimeUpdate: [{ stopId: 'a', departure: { delay: 180 } }],
      },
      [],
      '-/08:03 08:13/08:14 08:23/08:25 08:33/08:33',
      { route_start: 1 },
      { duplicated_without_trip_id: 1 },
    ],
    [
      'by route and start only, if none starts: by its own calls',
      {
        trip: { ...duplicated, routeId: 'r', startTime: '08:15:00' },
        stopTimeUpdate: [
          { stopId: 'a', departure: { time: clock('08:18') } },
          { stopId: 'd', arrival: { time: clock('08:48') } },
        ],
      },
      ['1 03-02 additional: Anger 08:18/08:18, Dorf 08:48/08:48'],
      'silence',
      { duplicated: 1 },
      { duplicated_without_trip_id: 1 },
    ],
    [
      'with neither id nor start: refused',
      { trip: { ...duplicated, tripId: 'bus' }, stopTimeUpdate: late },
      [],
      'silence',
      {},
      { duplicated_without_start: 1 },
    ],
  ])('%s', (_reason, update, added, planned, matched, problems) => {
    const { tally } = emit('07:55', [update], []);
    expect([tally.matched, tally.unmatched, tally.problems]).toEqual([matched, {}, problems]);
    expect(describeAdded(line.build('07:55'))).toEqual(added);
    expect(line.show('bus', '07:55')).toBe(planned);
  });

  const byStart: TripUpdate = {
    trip: { ...duplicated, tripId: 'bus' },
    tripProperties: { startTime: '08:15:00' },
    stopTimeUpdate: late,
  };
  const byId: TripUpdate = { ...byStart, tripProperties: { tripId: 'bus-2', startTime: '08:15:00' } };
  test.each<[reason: string, update: TripUpdate, vehicle: TripDescriptor, expected: string]>([
    ['under its id', byId, { ...duplicated, tripId: 'bus-2' }, 'added 08:15'],
    ['under the id of the trip that is repeated', byId, { ...duplicated, tripId: 'bus' }, 'added 08:15'],
    ['by start', byStart, { ...duplicated, tripId: 'bus', startTime: '08:15:00' }, 'added 08:15'],
    ['by route and start', byStart, { ...duplicated, routeId: 'r', startTime: '08:15:00' }, 'added 08:15'],
    ['of the only repetition', byStart, { ...duplicated, tripId: 'bus' }, 'added 08:15'],
    ['that starts with the scheduled trip', byStart, { ...duplicated, tripId: 'bus', startTime: '08:00:00' }, 'bus'],
    ['of another repetition', byStart, { ...duplicated, tripId: 'bus', startTime: '08:20:00' }, 'line 1'],
    ['of the trip that is repeated', byStart, { tripId: 'bus', startDate: '20260302' }, 'bus'],
  ])('has its vehicle, %s, in any order', (_reason, update, vehicle, expected) => {
    emit('07:55', [update], [], 'updates');
    const { tally } = emit('07:56', [], [vehicle], 'positions');
    expect(listVehicles('07:56')).toEqual([expected]);
    const isRoute = expected.startsWith('line');
    expect([tally.vehiclesMatched, tally.vehiclesOnRouteOnly]).toEqual(isRoute ? [0, 1] : [1, 0]);
  });

  it('has its vehicle even if that comes first', () => {
    const { tally } = emit('07:55', [], [{ ...duplicated, tripId: 'bus', startTime: '08:15:00' }], 'positions');
    expect([tally.vehiclesMatched, tally.vehiclesOnRouteOnly]).toEqual([0, 1]);
    expect(listVehicles('07:55')).toEqual(['line 1']);
    const { revisited } = emit('07:56', [byStart], [], 'updates');
    expect(revisited.map(({ part, tally }) => [part, tally.vehiclesMatched, tally.vehiclesOnRouteOnly])).toEqual([
      ['positions', 1, 0],
    ]);
    expect(listVehicles('07:56')).toEqual(['added 08:15']);
  });

  it('that is withdrawn by its start leaves the scheduled trip unchanged', () => {
    emit('07:55', [byStart], []);
    const trip = {
      tripId: 'bus',
      startDate: '20260302',
      startTime: '08:15:00',
      scheduleRelationship: 'CANCELED',
    } as const;
    expect(emit('07:56', [{ trip, stopTimeUpdate: [] }], []).tally.matched).toEqual({ cancelled_added: 1 });
    expect(line.show('bus', '07:56')).toBe('silence');
    expect(describeAdded(line.build('07:56'))).toEqual([
      '1 03-02 cancelled additional: Anger x, Berg x, Kirche x, Dorf x',
    ]);
  });
});
