import { describe, expect, it } from 'vitest';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { SharingReport } from '../../../../pipeline/model/sharing.ts';
import { createSharingState } from '../../../../pipeline/realtime/sharing/sharing-state.ts';
import { ANY_DOCKS, noSharing, type PublishedSharingSystem } from '../../../../pipeline/snapshots/sharing-contract.ts';

const NOW = 1_800_000_000 as Instant;
const MAX_AGE_SECONDS = 600;

const station = (id: string, capacity: number | null = null) =>
  ({ id, name: `Station ${id}`, lat: 48, lon: 16, capacity, rentalUrl: null }) as const;
const status = (stationId: string, bikes: number, docks: number | null, closed = {}) => ({
  stationId,
  vehicles: [{ typeIds: null, count: bikes }],
  docks: docks === null ? null : [{ typeIds: null, count: docks }],
  isRenting: true,
  isReturning: true,
  ...closed,
});
const bike = (id: string, typeId: string | null = null) => ({ id, lat: 48, lon: 16, typeId, rentalUrl: null });

function build(reports: readonly SharingReport[], publishedAt: Instant | null = NOW) {
  const state = createSharingState([{ id: 'bikes', maxAgeSeconds: MAX_AGE_SECONDS }]);
  for (const sharing of reports) {
    state.apply('bikes', { part: sharing.kind, fetchedAt: NOW, update: { sharing, publishedAt, isFrozen: false } });
  }
  return { state, ...describeTables(state) };
}

function describeTables(state: ReturnType<typeof createSharingState>) {
  const { sharingSystems, sharingStations, sharedBikes } = state.build();
  return {
    systems: Array.from(
      { length: sharingSystems.json.length },
      (_, row) => JSON.parse(sharingSystems.json.get(row)) as PublishedSharingSystem,
    ),
    stations: Array.from(sharingStations.bikes, (bikes, row) => [
      sharingStations.id.get(row),
      bikes,
      sharingStations.docks[row],
    ]),
    bikes: Array.from(sharedBikes.flags, (flags, row) => [sharedBikes.id.get(row), sharedBikes.type[row], flags]),
    counted: state.countContradictions('bikes'),
  };
}

describe('the tables of sharing systems', () => {
  it('are empty without any', () => {
    expect(createSharingState([{ id: 'rt', maxAgeSeconds: 1 }]).build()).toBe(noSharing);
  });

  it('join stations with their stock, in the order of their ids', () => {
    const { stations, systems, counted } = build([
      { kind: 'stations', stations: [station('b'), station('a')] },
      { kind: 'stationStatus', statuses: [status('a', 3, 7), status('b', 0, null)] },
      { kind: 'system', name: 'Radl', url: null },
    ]);
    expect(stations).toEqual([
      ['a', 3, 7],
      ['b', 0, ANY_DOCKS],
    ]);
    expect(systems).toMatchObject([{ id: 'bikes', name: 'Radl', stationsExpireAt: NOW + MAX_AGE_SECONDS }]);
    expect(counted).toEqual({});
  });

  it('leave out stations that only one of the two files has', () => {
    const { stations, counted } = build([
      { kind: 'stations', stations: [station('a'), station('new')] },
      { kind: 'stationStatus', statuses: [status('a', 1, 1), status('gone', 5, 5), status('gone too', 5, 5)] },
    ]);
    expect(stations).toEqual([['a', 1, 1]]);
    expect(counted).toEqual({ station_without_status: 1, unknown_station: 2 });
  });

  it('offer nothing at a closed station, and no more docks than it has', () => {
    const { stations, counted } = build([
      { kind: 'stations', stations: [station('a'), station('b'), station('c', 10)] },
      {
        kind: 'stationStatus',
        statuses: [
          status('a', 4, 4, { isRenting: false }),
          status('b', 4, 4, { isReturning: false }),
          status('c', 4, 12),
        ],
      },
    ]);
    expect(stations).toEqual([
      ['a', 0, 4],
      ['b', 4, 0],
      ['c', 4, 6],
    ]);
    expect(counted).toEqual({ docks_above_capacity: 1 });
  });

  it('count only bicycles that may be left elsewhere', () => {
    const types: SharingReport = {
      kind: 'vehicleTypes',
      types: [
        { id: 'moped', isBike: false, returns: 'anywhere' },
        { id: 'city', isBike: true, returns: 'stations' },
        { id: 'free', isBike: true, returns: null },
        { id: 'round', isBike: true, returns: 'sameStation' },
      ],
    };
    const stock = (typeIds: string[], count: number) => ({ typeIds, count });
    const { stations, bikes, counted } = build([
      types,
      { kind: 'stations', stations: [station('a'), station('b')] },
      {
        kind: 'stationStatus',
        statuses: [
          {
            ...status('a', 0, 0),
            vehicles: [stock(['moped'], 1), stock(['city'], 2), stock(['round'], 4)],
            docks: [stock(['moped'], 8), stock(['moped', 'city'], 16)],
          },
          status('b', 9, 9),
        ],
      },
      { kind: 'vehicles', vehicles: ['moped', 'city', 'free', 'round', 'other'].map((id) => bike(id, id)) },
    ]);
    expect(stations).toEqual([
      ['a', 2, 16],
      ['b', 0, 0],
    ]);
    expect(bikes).toEqual([
      ['city', 0, 0],
      ['free', 1, 1],
    ]);
    expect(counted).toEqual({ unknown_vehicle_type: 1 });
  });

  it('do not depend on the order of the answers', () => {
    const reports: SharingReport[] = [
      { kind: 'stations', stations: [station('a')] },
      { kind: 'vehicles', vehicles: [bike('v')] },
      { kind: 'stationStatus', statuses: [status('a', 1, 1)] },
    ];
    expect(build(reports).state.build()).toEqual(build(reports.toReversed()).state.build());
  });
});

it('drops files that are no longer listed', () => {
  const { state } = build([
    { kind: 'stations', stations: [station('a')] },
    { kind: 'stationStatus', statuses: [status('a', 1, 1)] },
    { kind: 'zones', zones: [], rules: [{ typeIds: null, mayStart: false, mayEnd: false }] },
  ]);
  const listedFiles = ['stations', 'stationStatus'].map((part) => ({ part, url: 'https://a.example' }));
  const update = { publishedAt: NOW, isFrozen: false, listedFiles };
  state.apply('bikes', { part: 'discovery', fetchedAt: NOW, update });
  expect(describeTables(state)).toMatchObject({
    stations: [['a', 1, 1]],
    systems: [{ zones: { zones: [], rules: [] } }],
  });
});

describe('the age of stock', () => {
  const stock: SharingReport = { kind: 'stationStatus', statuses: [status('a', 1, 1)] };
  const later = (NOW + 60) as Instant;

  it('is not renewed by a confirmation if the file has a time of publication', () => {
    const { state } = build([stock]);
    state.confirm('bikes', 'stationStatus', later);
    expect(describeTables(state).systems[0]!.stationsExpireAt).toBe(NOW + MAX_AGE_SECONDS);
  });

  it('is renewed by a confirmation if the file has no time of publication', () => {
    const { state } = build([stock], null);
    state.confirm('bikes', 'stationStatus', later);
    expect(describeTables(state).systems[0]!.stationsExpireAt).toBe(later + MAX_AGE_SECONDS);
  });

  it('is not renewed by a frozen answer', () => {
    const { state } = build([stock]);
    const frozen: SharingReport = { kind: 'stationStatus', statuses: [status('a', 9, 9)] };
    const update = { sharing: frozen, publishedAt: later, isFrozen: true };
    state.apply('bikes', { part: 'stationStatus', fetchedAt: later, update });
    expect(describeTables(state)).toMatchObject({ systems: [{ stationsExpireAt: NOW + MAX_AGE_SECONDS }] });
  });
});
