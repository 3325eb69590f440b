import { beforeAll, describe, expect, test } from 'vitest';
import { answer, type Case, clock, feed, MONDAY, SUNDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('by route and start, if the id does not match', () => {
  const start = { routeId: 'r', startDate: MONDAY, startTime: clock('08:00') };
  test.each<Case>([
    {
      reason: 'with a direction',
      trip: { ...start, tripId: 'gone', directionId: 0 },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'with stops in order, some of them past and omitted',
      trip: { ...start, tripId: 'gone' },
      calls: [{ stop: 'h1' }, { stop: 'c' }],
      expected: 't1 2026-03-02 route_start 1 2',
    },
    {
      reason: 'with call numbers of the former trip',
      trip: { ...start, tripId: 'gone' },
      calls: [
        { stop: 'a', sequence: 2 },
        { stop: 'c', sequence: 9 },
      ],
      expected: 't1 2026-03-02 route_start 0 2',
    },
    { reason: 'with no id at all', trip: { ...start, directionId: 0 }, expected: 't1 2026-03-02 route_start' },
    {
      reason: 'without a date: the nearest day',
      trip: { ...start, startDate: null, directionId: 0 },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'with stops in another order: another trip',
      trip: { ...start, tripId: 'gone' },
      calls: [{ stop: 'c' }, { stop: 'h1' }],
      expected: 'unknown_trip',
    },
    { reason: 'neither direction nor stops: ambiguous', trip: { ...start, tripId: 'gone' }, expected: 'unknown_trip' },
    {
      reason: 'another start: another trip',
      trip: { ...start, tripId: 'gone', directionId: 0, startTime: clock('08:01') },
      expected: 'unknown_trip',
    },
    {
      reason: 'two equal trips: ambiguous',
      trip: { tripId: 'gone', routeId: 'o', startDate: MONDAY, startTime: clock('16:00'), directionId: 0 },
      expected: 'ambiguous',
    },
    {
      reason: 'a weekday id on a Sunday: the trip that runs instead',
      trip: { tripId: 'weekday', startDate: SUNDAY },
      calls: [{ sequence: 2, stop: 'h1' }],
      expected: 'weekend 2026-03-08 route_start 1',
    },
    {
      reason: 'withdrawn, one trip that starts then on the line: that one, in either direction',
      trip: { ...start, tripId: 'gone' },
      reported: { relationship: 'cancelled' },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'withdrawn, two trips that start then: neither',
      trip: { tripId: 'gone', routeId: 'o', startDate: MONDAY, startTime: clock('16:00') },
      reported: { relationship: 'cancelled' },
      expected: 'ambiguous',
    },
    {
      reason: 'withdrawn, another start: none',
      trip: { ...start, tripId: 'gone', startTime: clock('08:01') },
      reported: { relationship: 'deleted' },
      expected: 'unknown_trip',
    },
    {
      reason: 'a weekday id withdrawn on a Sunday: the trip that runs instead still runs',
      trip: { tripId: 'weekday', startDate: SUNDAY },
      reported: { relationship: 'cancelled' },
      expected: 'not_running',
    },
  ])('$reason', check);
});
