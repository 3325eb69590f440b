import { describe, expect, it } from 'vitest';
import { parsePart, version2, version3 } from './gbfs-answers.ts';

describe('stations', () => {
  it('have name, place, capacity and the address for renting', async () => {
    const station = { station_id: 'pga', lat: 12.345678, lon: 45.678901, capacity: 16 };
    const links = { rental_uris: { android: 'https://example.com/app', ios: 'app://x', web: 'https://example.com/w' } };
    const expected = { id: 'pga', name: 'Parking', lat: 12.345678, lon: 45.678901, capacity: 16 };
    const second = await parsePart(
      'station-information',
      version2({ stations: [{ ...station, ...links, name: 'Parking' }] }),
    );
    expect(second.sharing).toEqual({
      kind: 'stations',
      stations: [{ ...expected, rentalUrl: 'https://example.com/w' }],
    });
    const name = [{ text: 'Parking', language: 'en' }];
    const third = await parsePart('station-information', version3({ stations: [{ ...station, name }] }));
    expect(third.sharing).toEqual({ kind: 'stations', stations: [{ ...expected, rentalUrl: null }] });
  });

  it.each([
    [{ station_id: 'a', name: 'A', lat: 0, lon: 0 }, 'station-information a: no_coordinates'],
    [{ station_id: 'a', name: 'A', lat: 95, lon: 16 }, 'station-information a: no_coordinates'],
    [{ station_id: 'a', name: 'A' }, 'station-information a: no_coordinates'],
    [{ name: 'A', lat: 48, lon: 16 }, 'station-information 0: bad_station'],
    ['A', 'station-information 0: bad_station'],
  ])('are refused: %j as %s', async (station, code) => {
    const { sharing, codes, recordCount } = await parsePart('station-information', version2({ stations: [station] }));
    expect([sharing, codes, recordCount]).toEqual([{ kind: 'stations', stations: [] }, [code], 1]);
  });

  it('are read once each', async () => {
    const station = { station_id: 7, name: 'A', lat: 48, lon: 16 };
    const { codes } = await parsePart('station-information', version2({ stations: [station, station] }));
    expect(codes).toEqual(['station-information 7: duplicate_station']);
  });
});

const status = { station_id: 's', is_installed: true, is_renting: true, is_returning: true };

describe('the stock of stations', () => {
  it.each([
    [
      'of version 2, without types',
      version2({ stations: [{ ...status, num_bikes_available: 1, num_docks_available: 3 }] }),
      [{ typeIds: null, count: 1 }],
      [{ typeIds: null, count: 3 }],
    ],
    [
      'of version 3, by type',
      version3({
        stations: [
          {
            ...status,
            num_vehicles_available: 1,
            num_docks_available: 3,
            vehicle_types_available: [
              { vehicle_type_id: 'abc123', count: 1 },
              { vehicle_type_id: 'def456', count: 0 },
            ],
            vehicle_docks_available: [
              { vehicle_type_ids: ['abc123', 'def456'], count: 2 },
              { vehicle_type_ids: ['def456'], count: 1 },
            ],
          },
        ],
      }),
      [
        { typeIds: ['abc123'], count: 1 },
        { typeIds: ['def456'], count: 0 },
      ],
      [
        { typeIds: ['abc123', 'def456'], count: 2 },
        { typeIds: ['def456'], count: 1 },
      ],
    ],
    [
      'of a virtual station, with any number of docks',
      version3({ stations: [{ ...status, num_vehicles_available: 2 }] }),
      [{ typeIds: null, count: 2 }],
      null,
    ],
  ])('is that %s', async (_, answer, vehicles, docks) => {
    const { sharing, codes } = await parsePart('station-status', answer);
    const expected = { stationId: 's', vehicles, docks, isRenting: true, isReturning: true };
    expect(sharing).toEqual({ kind: 'stationStatus', statuses: [expected] });
    expect(codes).toEqual([]);
  });

  it.each([
    [{ is_installed: false }, false, false],
    [{ is_renting: false }, false, true],
    [{ is_returning: 0 }, true, false],
  ])('cannot be used: %j', async (closed, isRenting, isReturning) => {
    const stations = [{ ...status, num_bikes_available: 1, num_docks_available: 1, ...closed }];
    const { sharing } = await parsePart('station-status', version2({ stations }));
    expect(sharing).toMatchObject({ statuses: [{ isRenting, isReturning }] });
  });

  it.each([
    [{ num_bikes_available: -1 }, 'negative_stock'],
    [{ num_bikes_available: 1, num_docks_available: -2 }, 'negative_stock'],
    [{ num_bikes_available: 1, vehicle_types_available: [{ vehicle_type_id: 'a', count: -1 }] }, 'negative_stock'],
    [{ num_bikes_available: 1, vehicle_types_available: [{ vehicle_type_id: 'a', count: 2 }] }, 'stock_contradiction'],
    [{}, 'station_without_stock'],
  ])('is refused: %j as %s', async (stock, code) => {
    const { sharing, codes } = await parsePart('station-status', version2({ stations: [{ ...status, ...stock }] }));
    expect(sharing).toEqual({ kind: 'stationStatus', statuses: [] });
    expect(codes).toEqual([`station-status s: ${code}`]);
  });
});

describe('vehicles outside of stations', () => {
  const vehicle = { lat: 12.34, lon: 56.78, is_reserved: false, is_disabled: false, vehicle_type_id: 'abc123' };

  it.each([
    ['2', version2({ bikes: [{ ...vehicle, bike_id: 'v', rental_uris: { ios: 'https://example.com/v' } }] })],
    ['3', version3({ vehicles: [{ ...vehicle, vehicle_id: 'v', rental_uris: { ios: 'https://example.com/v' } }] })],
  ])('are those of version %s', async (_, answer) => {
    const { sharing, codes } = await parsePart('vehicle-status', answer);
    const expected = { id: 'v', lat: 12.34, lon: 56.78, typeId: 'abc123', rentalUrl: 'https://example.com/v' };
    expect([sharing, codes]).toEqual([{ kind: 'vehicles', vehicles: [expected] }, []]);
  });

  it.each([
    [{ is_disabled: true }, 'vehicle_disabled'],
    [{ is_reserved: true }, 'vehicle_reserved'],
    [{ station_id: '86' }, 'vehicle_at_station'],
    [{ home_station_id: '146' }, 'vehicle_with_home_station'],
    [{ lat: 0, lon: 0 }, 'no_coordinates'],
  ])('are not offered: %j as %s', async (more, code) => {
    const vehicles = [{ ...vehicle, vehicle_id: 'v', ...more }];
    const { sharing, codes } = await parsePart('vehicle-status', version3({ vehicles }));
    expect([sharing, codes]).toEqual([{ kind: 'vehicles', vehicles: [] }, [`vehicle-status v: ${code}`]]);
  });

  it('are read up to a limit, and the rest is counted', async () => {
    const vehicles = Array.from({ length: 100_000 }, (_, i) => ({ ...vehicle, vehicle_id: `v${i}` }));
    const { sharing, problems, recordCount } = await parsePart('vehicle-status', version3({ vehicles }));
    const kept = sharing?.kind === 'vehicles' ? sharing.vehicles.length : 0;
    expect([kept, problems.length, recordCount]).toEqual([50_000, 50_000, 100_000]);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['too_many_vehicles']));
  });
});

describe('zones', () => {
  const clockwise = [
    [16, 48],
    [16, 49],
    [17, 49],
    [17, 48],
    [16, 48],
  ];
  const zonesOf = (ring: unknown, properties: object, more: object = {}) => ({
    geofencing_zones: {
      type: 'FeatureCollection',
      features: [{ type: 'Feature', geometry: { type: 'MultiPolygon', coordinates: [[ring]] }, properties }],
    },
    ...more,
  });
  const flat = [16, 48, 16, 49, 17, 49, 17, 48, 16, 48];

  it('of version 2 have one rule for start and end', async () => {
    const rules = [{ vehicle_type_id: ['moped1'], ride_allowed: false, ride_through_allowed: true }];
    const { sharing, codes } = await parsePart(
      'geofencing-zones',
      version2(zonesOf(clockwise, { name: 'NE', start: 1593878400, end: 1593907260, rules })),
    );
    expect(sharing).toEqual({
      kind: 'zones',
      zones: [
        {
          polygons: [[flat]],
          isEverywhere: false,
          from: 1593878400,
          until: 1593907260,
          rules: [{ typeIds: ['moped1'], mayStart: false, mayEnd: false }],
        },
      ],
      rules: [],
    });
    expect(codes).toEqual([]);
  });

  it('of version 3 have separate rules, and parking at stations only forbids the end', async () => {
    const rule = { ride_start_allowed: true, ride_end_allowed: true, ride_through_allowed: true };
    const global_rules = [{ ...rule, ride_end_allowed: false }];
    const answer = version3(zonesOf(clockwise, { rules: [{ ...rule, station_parking: true }] }, { global_rules }));
    const { sharing } = await parsePart('geofencing-zones', answer);
    expect(sharing).toMatchObject({
      zones: [{ isEverywhere: false, from: null, rules: [{ typeIds: null, mayStart: true, mayEnd: false }] }],
      rules: [{ typeIds: null, mayStart: true, mayEnd: false }],
    });
  });

  it.each([
    ['a counterclockwise one of version 2', clockwise.toReversed(), 'unclear_zone'],
    ['one without a polygon', 'here', 'bad_zone'],
    ['one with more points than a snapshot holds', Array(20_001).fill([16, 48]), 'zones_too_large'],
  ])('forbid everywhere what %s forbids', async (_, ring, code) => {
    const answer = version2(zonesOf(ring, { rules: [{ ride_allowed: false, ride_through_allowed: true }] }));
    const { sharing, codes } = await parsePart('geofencing-zones', answer);
    expect(sharing).toMatchObject({ zones: [{ isEverywhere: true }] });
    expect(codes).toEqual([`geofencing-zones 0: ${code}`]);
  });

  it('of version 3 are inside their border in either order of points', async () => {
    const rules = [{ ride_start_allowed: false, ride_end_allowed: false, ride_through_allowed: true }];
    const { sharing, codes } = await parsePart(
      'geofencing-zones',
      version3(zonesOf(clockwise.toReversed(), { rules })),
    );
    expect(sharing).toMatchObject({ zones: [{ isEverywhere: false }] });
    expect(codes).toEqual([]);
  });
});
