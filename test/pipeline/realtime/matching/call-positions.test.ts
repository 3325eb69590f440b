import { beforeAll, describe, expect, test } from 'vitest';
import { answer, type Case, feed, MONDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('matches calls', () => {
  const loop = { tripId: 'loop', startDate: MONDAY };
  const t1 = { tripId: 't1', startDate: MONDAY };
  test.each<Case>([
    {
      reason: "by the publisher's numbers",
      trip: loop,
      calls: [{ sequence: 5 }, { sequence: 20 }],
      expected: 'loop 2026-03-02 trip_id 1 4',
    },
    {
      reason: 'by stops in travel order: the second visit after the first',
      trip: loop,
      calls: [{ stop: 'b' }, { stop: 'a' }, { stop: 'b' }],
      expected: 'loop 2026-03-02 trip_id 1 3 4',
    },
    {
      reason: 'by stops, with a scheduled time that identifies the visit',
      trip: loop,
      calls: [{ stop: 'b', at: '2026-03-02T10:20:00+01:00' }],
      expected: 'loop 2026-03-02 trip_id 4',
    },
    {
      reason: 'by number, if the stop is another platform of the station',
      trip: t1,
      calls: [{ sequence: 2, stop: 'h2' }],
      expected: 't1 2026-03-02 trip_id 1',
    },
    { reason: 'by the station', trip: t1, calls: [{ stop: 'h' }], expected: 't1 2026-03-02 trip_id 1' },
    {
      reason: 'by the stop, if the number belongs to another one',
      trip: t1,
      calls: [{ sequence: 1, stop: 'c' }],
      expected: 't1 2026-03-02 trip_id 2',
    },
    {
      reason: 'by number, if the stop is not in the timetable',
      trip: t1,
      calls: [{ sequence: 2, stop: 'new' }],
      expected: 't1 2026-03-02 trip_id 1',
    },
    {
      reason: 'not at a stop that the trip does not serve',
      trip: t1,
      calls: [{ stop: 'a' }, { sequence: 2, stop: 'd' }, { stop: 'c' }],
      expected: 't1 2026-03-02 trip_id 0 -1 2 (1 lost)',
    },
    {
      reason: 'not with an unknown number',
      trip: t1,
      calls: [{ sequence: 7 }],
      expected: 't1 2026-03-02 trip_id -1 (1 lost)',
    },
    {
      reason: 'in the wrong order: positions rise',
      trip: t1,
      calls: [{ sequence: 3 }, { sequence: 1 }],
      expected: 't1 2026-03-02 trip_id 2 -1 (1 lost)',
    },
    {
      reason: 'reported as unscheduled: not counted as unmatched',
      trip: t1,
      calls: [{ stop: 'd', state: 'unplanned' }, { stop: 'c' }],
      expected: 't1 2026-03-02 trip_id -1 2',
    },
    { reason: 'not without number and stop', trip: t1, calls: [{}], expected: 't1 2026-03-02 trip_id -1 (1 lost)' },
  ])('$reason', check);
});
