import { beforeAll, describe, expect, test } from 'vitest';
import { answer, type Case, clock, feed, MONDAY, SUNDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('by route and start, where the id does not match', () => {
  const start = { routeId: 'r', startDate: MONDAY, startTime: clock('08:00') };
  test.each<Case>([
    {
      reason: 'with a direction',
      trip: { ...start, tripId: 'gone', directionId: 0 },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'with stops in order, some of them past and left out',
      trip: { ...start, tripId: 'gone' },
      calls: [{ stop: 'h1' }, { stop: 'c' }],
      expected: 't1 2026-03-02 route_start 1 2',
    },
    {
      reason: 'numbers of calls are those of the trip that is gone',
      trip: { ...start, tripId: 'gone' },
      calls: [
        { stop: 'a', sequence: 2 },
        { stop: 'c', sequence: 9 },
      ],
      expected: 't1 2026-03-02 route_start 0 2',
    },
    { reason: 'with no id at all', trip: { ...start, directionId: 0 }, expected: 't1 2026-03-02 route_start' },
    {
      reason: 'no date: the day that is nearest',
      trip: { ...start, startDate: null, directionId: 0 },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'with stops in the other order: another trip',
      trip: { ...start, tripId: 'gone' },
      calls: [{ stop: 'c' }, { stop: 'h1' }],
      expected: 'unknown_trip',
    },
    { reason: 'neither direction nor stops: not sure', trip: { ...start, tripId: 'gone' }, expected: 'unknown_trip' },
    {
      reason: 'another start: another trip',
      trip: { ...start, tripId: 'gone', directionId: 0, startTime: clock('08:01') },
      expected: 'unknown_trip',
    },
    {
      reason: 'two trips alike: neither',
      trip: { tripId: 'gone', routeId: 'o', startDate: MONDAY, startTime: clock('16:00'), directionId: 0 },
      expected: 'ambiguous',
    },
    {
      reason: 'an id of the weekdays on a Sunday: the trip that runs in its place',
      trip: { tripId: 'weekday', startDate: SUNDAY },
      calls: [{ sequence: 2, stop: 'h1' }],
      expected: 'weekend 2026-03-08 route_start 1',
    },
    {
      reason: 'taken away, one trip that begins then on the line: that one, whichever way it goes',
      trip: { ...start, tripId: 'gone' },
      reported: { relationship: 'cancelled' },
      expected: 't1 2026-03-02 route_start',
    },
    {
      reason: 'taken away, two trips that begin then: neither',
      trip: { tripId: 'gone', routeId: 'o', startDate: MONDAY, startTime: clock('16:00') },
      reported: { relationship: 'cancelled' },
      expected: 'ambiguous',
    },
    {
      reason: 'taken away, another start: none',
      trip: { ...start, tripId: 'gone', startTime: clock('08:01') },
      reported: { relationship: 'deleted' },
      expected: 'unknown_trip',
    },
    {
      reason: 'an id of the weekdays taken away on a Sunday: the trip that runs in its place still runs',
      trip: { tripId: 'weekday', startDate: SUNDAY },
      reported: { relationship: 'cancelled' },
      expected: 'not_running',
    },
  ])('$reason', check);
});
