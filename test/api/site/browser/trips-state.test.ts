import { describe, expect, test } from 'vitest';
import { readQuery } from '../../../../api/contract/read-query.ts';
import { changeQuery } from '../../../../api/site/browser/page/use-query.ts';
import {
  followQuery,
  readFollowQuery,
  readRescueQuery,
  readTripsQuery,
  rescueQuery,
  tripsQuery,
} from '../../../../api/site/data/trip-queries.ts';
import { listTripModes } from '../../../../api/site/view-model/trip-modes.ts';
import { followedTripPath, rescuePath, tripsPath } from '../../../../api/site/view-model/trip-paths.ts';
import { emptyState, readState, type TripsState, writeState } from '../../../../api/site/view-model/trips-state.ts';

const chosen = [
  { journeyRef: 'r1', originId: 'at:a,b', destinationId: 'at:100 %' },
  { journeyRef: 'r2', originId: 'at:s & t', destinationId: 'at:ü+"<b>' },
];
const full: TripsState = {
  from: { place: 'at:a,b', name: 'Anger & Au' },
  to: { place: '48.2,16.3', name: 'Wien, "<b>Stephansplatz</b>" + 100 %' },
  via: [
    { place: 'at:v,1', name: 'Vorort & Co' },
    { place: 'at:w', name: 'at:w' },
  ],
  when: { kind: 'arrival', localTime: '2026-03-03T08:15' },
  wheelchair: true,
  mode: 'parkAndRide',
  all: true,
  pageToken: 'a-page',
  chosen,
};

describe('the state of the page', () => {
  test.each<[string, TripsState]>([
    ['nothing', emptyState],
    ['everything', full],
    [
      'a departure from a place without a name',
      { ...full, from: { place: 'at:a', name: 'at:a' }, when: { kind: 'departure', localTime: '2026-03-03T08:15' } },
    ],
    ['now', { ...full, when: { kind: 'now' }, pageToken: null, wheelchair: false, mode: 'walk' }],
  ])('round-trips through the URL: %s', (_what, state) => {
    const address = changeQuery(
      'http://x.test/trips?from=before&via=b&via2=c&lang=en&arrival=2020-01-01T00:00',
      writeState(state),
    );
    const { searchParams } = new URL(address);
    expect(readState(searchParams)).toEqual(state);
    expect(searchParams.get('lang')).toBe('en');
  });

  test.each([
    'departure=tomorrow',
    'legs=a,b',
    'legs=a,,c',
    'legs=%25E0%25A4%25A',
    'wheelchair=perhaps',
    'mode=rocket',
    'from=&to=&via=&via2=',
    'page=',
  ])('is empty if the URL is invalid: %s', (query) => {
    expect(readState(new URLSearchParams(query))).toEqual(emptyState);
  });
});

describe('the request of the page', () => {
  const read = (path: string | null) => path!.slice(path!.indexOf('?') + 1);

  test('matches the state when the service parses it', () => {
    const { pageToken: _, ...rest } = full;
    expect(readTripsQuery(readQuery(tripsQuery, read(tripsPath({ ...rest, pageToken: null }))))).toMatchObject({
      from: { stopId: 'at:a,b' },
      to: { coord: { lat: 48.2, lon: 16.3 }, name: 'Wien, "<b>Stephansplatz</b>" + 100 %' },
      via: [{ stopId: 'at:v,1' }, { stopId: 'at:w' }],
      time: '2026-03-03T08:15:00+01:00',
      timeMode: 'arrival',
      wheelchair: true,
      access: { modes: ['walk', 'car'], parking: 'parkAndRide' },
      direct: { modes: ['walk', 'car'] },
      all: true,
    });
    const paged = readTripsQuery(readQuery(tripsQuery, read(tripsPath(full))));
    expect([paged.pageRef, paged.time, paged.timeMode]).toEqual(['a-page', undefined, 'arrival']);
  });

  test('contains the rides of the chosen trip', () => {
    expect(readFollowQuery(readQuery(followQuery, read(followedTripPath(full))))).toMatchObject({
      legs: chosen,
      modes: { access: { modes: ['walk', 'car'], parking: 'parkAndRide' } },
    });
    const { legs, to } = readRescueQuery(readQuery(rescueQuery, read(rescuePath(full))));
    expect([legs, to]).toEqual([chosen, { coord: { lat: 48.2, lon: 16.3 }, name: full.to!.name }]);
  });

  test('is null while input is missing', () => {
    expect(tripsPath({ ...full, from: null })).toBeNull();
    expect(tripsPath({ ...full, pageToken: null, when: { kind: 'departure', localTime: '' } })).toBeNull();
    expect(followedTripPath({ ...full, chosen: [] })).toBeNull();
    expect(rescuePath({ ...full, chosen: [] })).toBeNull();
  });
});

test.each<[string, Parameters<typeof listTripModes>[0]['streets'], string]>([
  ['without streets', null, 'walk'],
  ['with bicycles', { modes: ['bike'], parkAndRide: [] }, 'walk bike bikeOnBoard'],
  ['with cars, but no car parks', { modes: ['bike', 'car'], parkAndRide: [] }, 'walk bike bikeOnBoard kissAndRide'],
  ['with car parks', { modes: ['bike', 'car'], parkAndRide: [{}] }, 'walk bike bikeOnBoard parkAndRide kissAndRide'],
])('a service offers the modes of its streets: %s', (_what, streets, modes) => {
  expect(listTripModes({ streets, hasStreets: streets !== null, hasSharing: false }).join(' ')).toBe(modes);
});

test.each([
  ['without streets, estimated', null, false, 'walk sharedBike'],
  ['with bicycles', { modes: ['bike'] as const, parkAndRide: [] }, true, 'walk bike bikeOnBoard sharedBike'],
  ['with streets for walking only', null, true, 'walk'],
])('a service with a sharing system offers it: %s', (_what, streets, hasStreets, modes) => {
  expect(listTripModes({ streets, hasStreets, hasSharing: true }).join(' ')).toBe(modes);
});
