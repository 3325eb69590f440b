import { describe, expect, it } from 'vitest';
import type {
  FeedEntity,
  TripDescriptor,
  TripModifications,
} from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { normaliseFeed } from '../../../../pipeline/sources/gtfs-rt/normalise-feed.ts';
import { listProblems, NOW, normaliseEntities } from './normalise-entities.ts';

const tripEntity = (id: string, trip: TripDescriptor, timestamp?: number): FeedEntity => ({
  id,
  tripUpdate: { trip, stopTimeUpdate: [], ...(timestamp && { timestamp }) },
});

const modifying = (over: Partial<TripModifications>): TripModifications => ({
  selectedTrips: [{ tripIds: ['a'] }],
  startTimes: [],
  serviceDates: ['20260310'],
  modifications: [{ startStopSelector: { stopSequence: 2 }, replacementStops: [] }],
  ...over,
});

describe('the header', () => {
  it.each([
    ['is fresh', NOW - 10, { publishedAt: NOW - 10, isFrozen: false }, []],
    ['is at its maximum age', NOW - 300, { publishedAt: NOW - 300, isFrozen: false }, []],
    ['is too old', NOW - 301, { publishedAt: NOW - 301, isFrozen: true }, []],
    ['is ahead within the tolerance of clocks', NOW + 60, { publishedAt: NOW + 60, isFrozen: false }, []],
    ['is far ahead', NOW + 7200, { publishedAt: NOW + 7200, isFrozen: false }, []],
    ['is in milliseconds', NOW * 1000, { publishedAt: null, isFrozen: false }, ['implausible_time @ header']],
    ['has no time', 0, { publishedAt: null, isFrozen: false }, ['no_header_timestamp @ header']],
  ])('%s', (_what, timestamp, expected, problems) => {
    const update = normaliseEntities([], { timestamp });
    expect(update).toMatchObject({ scope: 'all', isPropagating: true, recordCount: 0, ...expected });
    expect(listProblems(update)).toEqual(problems);
  });

  it('of a differential message limits the update to named records', () => {
    const entities = [tripEntity('1', { tripId: 'a' }), { id: '2', isDeleted: true }];
    const update = normaliseEntities(entities, { incrementality: 'DIFFERENTIAL' });
    expect(update).toMatchObject({ scope: 'mentioned', deletedIds: ['2'], recordCount: 2, problems: [] });
    expect(update.trips.map(({ place }) => place)).toEqual(['entity 1']);
  });
});

describe('entities', () => {
  it('of all kinds may be in one message, and in one entity', () => {
    const alert = { activePeriod: [], informedEntity: [], headerText: { translation: [{ text: 'x' }] } };
    const vehicle = { position: { latitude: 47, longitude: 15 } };
    const update = normaliseEntities([
      { ...tripEntity('1', { tripId: 'a' }), vehicle },
      { id: '2', alert },
    ]);
    expect([update.trips.length, update.vehicles.length, update.alerts.length]).toEqual([1, 1, 1]);
    expect(update).toMatchObject({ recordCount: 2, problems: [] });
  });

  it('count even if unreadable', () => {
    const problem = { code: 'unreadable_entity', source: 'test', place: 'entity number 2', detail: '' };
    const message = { header: { gtfsRealtimeVersion: '2.0', timestamp: NOW }, entity: [], problems: [problem] };
    const rules = { source: 'test', fetchedAt: NOW, maxAgeSeconds: 300, measuredStopEvents: false };
    expect(normaliseFeed(message, rules)).toMatchObject({ recordCount: 1, problems: [problem] });
  });

  it.each<[FeedEntity, string]>([
    [{ id: '1' }, 'empty_entity'],
    [{ id: '1', stop: {} }, 'stop_without_id'],
    [{ id: '1', stop: { stopId: 'x', stopLat: 480, stopLon: 16 } }, 'bad_coordinates'],
    [{ id: '1', shape: { shapeId: 's' } }, 'empty_shape'],
    [{ id: '1', tripModifications: modifying({ selectedTrips: [] }) }, 'modification_without_trips'],
    [{ id: '1', tripModifications: modifying({ serviceDates: [] }) }, 'modification_without_dates'],
    [{ id: '1', tripModifications: modifying({ modifications: [] }) }, 'bad_modification'],
    [{ id: '1', tripModifications: modifying({ modifications: [{ replacementStops: [] }] }) }, 'bad_modification'],
    [
      {
        id: '1',
        tripModifications: modifying({
          modifications: [{ startStopSelector: { stopSequence: 2 }, replacementStops: [{}] }],
        }),
      },
      'bad_modification',
    ],
  ])('%j are reported as %s', (entity, code) => {
    expect(listProblems(normaliseEntities([entity]))).toEqual([`${code} @ entity 1`]);
  });

  it.each<[string, FeedEntity[], string[], string[]]>([
    [
      'of one trip: the newer report is kept',
      [tripEntity('1', { tripId: 'a' }, NOW - 5), tripEntity('2', { tripId: 'a' }, NOW - 9)],
      ['entity 1'],
      ['duplicate_trip @ entity 2'],
    ],
    [
      'of one trip, equally old: the later report is kept',
      [tripEntity('1', { tripId: 'a' }), tripEntity('2', { tripId: 'b' }), tripEntity('3', { tripId: 'a' })],
      ['entity 3', 'entity 2'],
      ['duplicate_trip @ entity 1'],
    ],
    [
      'of one trip on two days',
      [
        tripEntity('1', { tripId: 'a', startDate: '20260310' }),
        tripEntity('2', { tripId: 'a', startDate: '20260311' }),
      ],
      ['entity 1', 'entity 2'],
      [],
    ],
    [
      'of two runs of a route',
      [
        tripEntity('1', { routeId: 'r', startTime: '8:00:00' }),
        tripEntity('2', { routeId: 'q', startTime: '8:00:00' }),
      ],
      ['entity 1', 'entity 2'],
      [],
    ],
    [
      'with a route only',
      [tripEntity('1', { routeId: 'r' }), tripEntity('2', { routeId: 'r' })],
      ['entity 1', 'entity 2'],
      [],
    ],
    [
      'of one id and two trips',
      [tripEntity('1', { tripId: 'a' }), tripEntity('1', { tripId: 'b' })],
      ['entity 1', 'entity 1'],
      ['duplicate_entity_id @ entity 1'],
    ],
  ])('%s', (_what, entities, places, problems) => {
    const update = normaliseEntities(entities);
    expect(update.trips.map(({ place }) => place)).toEqual(places);
    expect(listProblems(update)).toEqual(problems);
    expect(update.recordCount).toBe(entities.length);
  });

  it('of one vehicle: the newer position is kept', () => {
    const vehicle = (id: string, timestamp: number): FeedEntity => ({
      id,
      vehicle: { vehicle: { id: 'v' }, position: { latitude: 47, longitude: 15 }, timestamp },
    });
    const update = normaliseEntities([vehicle('1', NOW - 90), vehicle('2', NOW - 5), vehicle('3', NOW - 60)]);
    expect(update.vehicles).toMatchObject([{ place: 'entity 2' }]);
    expect(listProblems(update)).toEqual(['duplicate_vehicle @ entity 1', 'duplicate_vehicle @ entity 3']);
  });

  it('of two alerts with one id: the last is kept', () => {
    const alert = (text: string): FeedEntity => ({
      id: 'n',
      alert: { activePeriod: [], informedEntity: [], headerText: { translation: [{ text }] } },
    });
    const update = normaliseEntities([alert('alt'), alert('neu')]);
    expect(update.alerts).toMatchObject([{ id: 'n', title: 'neu' }]);
    expect(listProblems(update)).toEqual(['duplicate_entity_id @ entity n']);
  });
});
