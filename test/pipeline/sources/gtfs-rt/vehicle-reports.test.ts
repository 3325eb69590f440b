import { describe, expect, it } from 'vitest';
import type { VehiclePosition } from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { listProblems, NOW, normaliseEntities } from './normalise-entities.ts';

function normaliseVehicle(vehicle: VehiclePosition) {
  const update = normaliseEntities([{ id: '1', vehicle }]);
  return { report: update.vehicles[0], problems: listProblems(update) };
}

const position = { latitude: 47.07, longitude: 15.44 };

describe('a vehicle position', () => {
  it('is converted to a report', () => {
    const { report, problems } = normaliseVehicle({
      trip: { tripId: 'a', startDate: '20260310', scheduleRelationship: 'SCHEDULED' },
      vehicle: { id: 'v7', label: 'Wagen 7', licensePlate: 'G 123 AB' },
      position: { ...position, bearing: 359.6, speed: 8 },
      currentStopSequence: 3,
      stopId: 'x',
      currentStatus: 'STOPPED_AT',
      timestamp: NOW - 10,
    });
    expect(problems).toEqual([]);
    expect(report).toEqual({
      place: 'entity 1',
      id: 'v7',
      relationship: 'scheduled',
      label: 'Wagen 7',
      trip: expect.objectContaining({ tripId: 'a', startDate: '2026-03-10' }),
      lat: 47.07,
      lon: 15.44,
      headingDeg: 0,
      recordedAt: NOW - 10,
      stop: expect.objectContaining({ id: 'x', idSpace: 'gtfs' }),
      stopSequence: 3,
      stopStatus: 'stoppedAt',
    });
  });

  it.each<[VehiclePosition, object]>([
    [{ vehicle: { label: 'Wagen 7' } }, { id: 'Wagen 7', label: 'Wagen 7' }],
    [{ vehicle: { id: '' } }, { id: '1', label: null }],
    [{}, { id: '1', trip: null, stop: null, stopSequence: null, stopStatus: null, recordedAt: null, headingDeg: null }],
    [{ trip: {} }, { trip: null }],
    [{ currentStatus: 'STOPPED_AT' }, { stopStatus: null }],
    [{ stopId: 'x' }, { stopStatus: 'inTransitTo' }],
    [{ trip: { tripId: 'a', scheduleRelationship: 'DUPLICATED' } }, { relationship: 'duplicated' }],
    [{ trip: { tripId: 'a', scheduleRelationship: 9 } }, { relationship: 'scheduled' }],
    [{ currentStopSequence: 0 }, { stopSequence: 0, stopStatus: 'inTransitTo' }],
    [{ stopId: 'x', currentStatus: 'INCOMING_AT' }, { stopStatus: 'incomingAt' }],
    [{ stopId: 'x', currentStatus: 7 }, { stopStatus: null }],
    [
      { trip: { modifiedTrip: { affectedTripId: 'a' } }, currentStopSequence: 4, stopId: 'x' },
      { trip: { tripId: 'a' }, stopSequence: null, stopStatus: 'inTransitTo' },
    ],
    [{ position: { ...position, bearing: 0 } }, { headingDeg: 0 }],
    [{ position: { ...position, bearing: 360 } }, { headingDeg: 0 }],
    [{ position: { ...position, bearing: 89.5 } }, { headingDeg: 90 }],
  ])('%j gives %j', (vehicle, expected) => {
    const { report, problems } = normaliseVehicle({ position, ...vehicle });
    expect(problems).toEqual([]);
    expect(report).toMatchObject(expected);
  });

  it.each<[VehiclePosition, string]>([
    [{}, 'vehicle_without_position'],
    [{ position: { latitude: 0, longitude: 0 } }, 'bad_coordinates'],
    [{ position: { latitude: 91, longitude: 15 } }, 'bad_coordinates'],
    [{ position: { latitude: 47, longitude: 200 } }, 'bad_coordinates'],
    [{ position: { latitude: Number.NaN, longitude: 15 } }, 'bad_coordinates'],
  ])('%j is rejected as %s', (vehicle, code) => {
    expect(normaliseVehicle(vehicle)).toEqual({ report: undefined, problems: [`${code} @ entity 1`] });
  });

  it.each([-1, 400, Number.NaN])('is kept without the bearing %d', (bearing) => {
    const { report, problems } = normaliseVehicle({ position: { ...position, bearing } });
    expect(report!.headingDeg).toBeNull();
    expect(problems).toEqual(['bad_bearing @ entity 1']);
  });

  it.each<[Pick<VehiclePosition, 'occupancyStatus' | 'occupancyPercentage'>, string | undefined, string[]]>([
    [{}, undefined, []],
    [{ occupancyStatus: 'EMPTY' }, 'EMPTY', []],
    [{ occupancyStatus: 'NOT_BOARDABLE', occupancyPercentage: 10 }, 'NOT_BOARDABLE', []],
    [{ occupancyStatus: 'NO_DATA_AVAILABLE' }, undefined, []],
    [{ occupancyStatus: 'NO_DATA_AVAILABLE', occupancyPercentage: 10 }, 'MANY_SEATS_AVAILABLE', []],
    [{ occupancyPercentage: 0 }, 'EMPTY', []],
    [{ occupancyPercentage: 30 }, 'FEW_SEATS_AVAILABLE', []],
    [{ occupancyPercentage: 79 }, 'STANDING_ROOM_ONLY', []],
    [{ occupancyPercentage: 80 }, 'CRUSHED_STANDING_ROOM_ONLY', []],
    [{ occupancyPercentage: 130 }, 'FULL', []],
    [{ occupancyPercentage: 4_294_967_295 }, undefined, ['implausible_occupancy @ entity 1']],
    [{ occupancyStatus: 42 }, undefined, ['unknown_occupancy @ entity 1']],
    [{ occupancyStatus: 42, occupancyPercentage: 100 }, 'FULL', ['unknown_occupancy @ entity 1']],
  ])('of occupancy %j is %s', (occupancy, expected, problems) => {
    const normalised = normaliseVehicle({ position, ...occupancy });
    expect(normalised.report!.occupancy).toBe(expected);
    expect(normalised.problems).toEqual(problems);
  });
});
