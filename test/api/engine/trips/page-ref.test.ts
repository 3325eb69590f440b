import { describe, expect, test } from 'vitest';
import type { TripRequest } from '../../../../api/contract/definitions.ts';
import type { PlanCursor } from '../../../../api/engine/planner/itinerary.ts';
import { createReferences } from '../../../../api/engine/read/references.ts';
import { readPageRef, writePageRef } from '../../../../api/engine/trips/plan-trips.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { findRefusal, TEST_KEY } from '../../../support/worlds/board-world.ts';

const references = createReferences(TEST_KEY);

const body: TripRequest = {
  from: { stopId: 'at:a' },
  to: { coord: { lat: 48, lon: 16 }, name: 'Haus' },
  via: [{ stopId: 'at:k' }],
  timeMode: 'departure',
  limit: 4,
  products: ['train', 'subway'],
  walkSpeedKmh: 4.7,
  maxWalkMeters: 1500,
  wheelchair: false,
};

const cursor: PlanCursor = {
  direction: 'later',
  beyond: [1_700_000_000, 1_700_003_600],
  time: 1_700_000_000 as Instant,
  requestedTime: 1_699_999_000 as Instant,
  hasWalk: true,
};

test.each<[string, PlanCursor]>([
  ['after a trip', cursor],
  ['before it', { ...cursor, direction: 'earlier' }],
  ['without results', { ...cursor, beyond: null }],
  ['where a ride has dominated the walk', { ...cursor, hasWalk: false }],
])('continues %s', (_where, place) => {
  expect(readPageRef(references, body, writePageRef(references, body, place))).toEqual(place);
});

const pageRef = writePageRef(references, body, cursor);

describe('is accepted with the same body', () => {
  test.each<[string, Partial<TripRequest>]>([
    ['at another time', { time: '2026-03-03T08:00:00Z' }],
    ['with a page reference', { pageRef }],
    ['with the same products in another order', { products: ['subway', 'train', 'subway'] }],
    ['with what is meant anyway', { minTransferMinutes: 0 }],
    ['with its members in another order', Object.fromEntries(Object.entries(body).reverse()) as TripRequest],
  ])('%s', (_how, over) => {
    expect(readPageRef(references, { ...body, ...over }, pageRef)).toEqual(cursor);
  });

  test.each<[string, Partial<TripRequest>]>([
    ['another place', { from: { stopId: 'at:b' } }],
    ['another id of it', { to: { coord: { lat: 48, lon: 16 }, name: 'Hof' } }],
    ['no via', { via: [] }],
    ['arrivals instead of departures', { timeMode: 'arrival' }],
    ['another limit', { limit: 5 }],
    ['fewer transfers', { maxTransfers: 0 }],
    ['longer transfers', { minTransferMinutes: 5 }],
    ['other products', { products: [] }],
    ['a faster walk', { walkSpeedKmh: 5 }],
    ['a longer walk', { maxWalkMeters: 2000 }],
    ['a wheelchair', { wheelchair: true }],
    ['folded trips', { all: true }],
  ])('is rejected with %s', async (_what, over) => {
    expect(await findRefusal(() => readPageRef(references, { ...body, ...over }, pageRef))).toBe(
      'invalid_body /pageRef',
    );
  });
});

test.each([
  ['altered', `${pageRef.slice(0, -1)}${pageRef.endsWith('A') ? 'B' : 'A'}`],
  ['of a board', references.sealPage(JSON.stringify(['abc', 1, 2, 3, null]))],
  ['of a journey', references.sealJourney({ tripKey: 1n, day: 2 })],
  ['of another key', writePageRef(createReferences(Buffer.alloc(32, 8)), body, cursor)],
  ['that is invented', 'nothing'],
])('rejects one %s', async (_what, text) => {
  expect(await findRefusal(() => readPageRef(references, body, text))).toBe('invalid_body /pageRef');
});

test('has only characters that a request may send', () => {
  expect(pageRef.length).toBeLessThan(300);
});
