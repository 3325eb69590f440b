import { beforeAll, describe, expect, it, test } from 'vitest';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { answer, type Case, clock, feed, MONDAY, MONDAY_MORNING } from './line-one-feed.ts';
import { context, type MatchingWorld, openMatching, tripReport } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('by id', () => {
  test.each<Case>([
    {
      reason: 'on the given date',
      trip: { tripId: 't1', startDate: MONDAY },
      expected: 't1 2026-03-02 trip_id',
    },
    {
      reason: 'after midnight, on the given service date',
      trip: { tripId: 'late', startDate: MONDAY },
      now: '2026-03-03T02:35:00+01:00',
      expected: 'late 2026-03-02 trip_id',
    },
    {
      reason: 'on a date without service',
      trip: { tripId: 't1', startDate: '2027-01-01' as ServiceDate },
      expected: 'not_running',
    },
    { reason: 'that is not in the timetable', trip: { tripId: 'gone', startDate: MONDAY }, expected: 'unknown_trip' },
    { reason: 'that is unknown', trip: {}, expected: 'unknown_line' },
  ])('$reason', check);

  describe('without a date, on the day nearest to now', () => {
    test.each<Case>([
      { reason: 'while it runs', trip: { tripId: 't1' }, expected: 't1 2026-03-02 trip_id_no_date' },
      {
        reason: 'before midnight',
        trip: { tripId: 'night' },
        now: '2026-03-02T23:55:00+01:00',
        expected: 'night 2026-03-02 trip_id_no_date',
      },
      {
        reason: 'after midnight: on the previous day',
        trip: { tripId: 'night' },
        now: '2026-03-03T00:05:00+01:00',
        expected: 'night 2026-03-02 trip_id_no_date',
      },
      {
        reason: 'started after midnight: on the previous day too',
        trip: { tripId: 'late' },
        now: '2026-03-03T02:35:00+01:00',
        expected: 'late 2026-03-02 trip_id_no_date',
      },
      {
        reason: 'in the evening, the one after midnight tomorrow',
        trip: { tripId: 'late' },
        now: '2026-03-02T20:00:00+01:00',
        expected: 'late 2026-03-02 trip_id_no_date',
      },
      {
        reason: "the last one, an hour ago, rather than tomorrow's",
        trip: { tripId: 't1' },
        now: '2026-03-02T09:20:00+01:00',
        expected: 't1 2026-03-02 trip_id_no_date',
      },
      {
        reason: "as its calls indicate, though now is nearer to today's",
        trip: { tripId: 't1' },
        calls: [{ sequence: 1, estimated: '2026-03-03T08:02:00+01:00' }],
        expected: 't1 2026-03-03 trip_id_no_date 0',
      },
      {
        reason: 'on no day nearby',
        trip: { tripId: 'weekday' },
        now: '2026-03-08T08:00:00+01:00',
        expected: 'not_running',
      },
      {
        reason: 'under way for days, so that several are running',
        trip: { tripId: 'long' },
        now: '2026-03-04T12:00:00+01:00',
        expected: 'ambiguous',
      },
      {
        reason: 'under way for days, as its calls indicate',
        trip: { tripId: 'long' },
        calls: [{ stop: 'b', estimated: '2026-03-04T10:20:00+01:00' }],
        now: '2026-03-04T10:00:00+01:00',
        expected: 'long 2026-03-02 trip_id_no_date 2',
      },
      {
        reason: "as far from yesterday's as from today's",
        trip: { tripId: 't1' },
        // Between 08:20 and 08:00 lie 23 h 40 min.
        now: '2026-03-02T20:10:00+01:00',
        expected: 'ambiguous',
      },
    ])('$reason', check);
  });

  describe('in the nights of a clock change', () => {
    // Noon minus 12 h is 23:00 on the eve in March, and 01:00 in October.
    test.each<Case>([
      {
        reason: 'spring: 26:30 of the Saturday is half past three in summer time',
        trip: { tripId: 'late' },
        now: '2026-03-29T03:35:00+02:00',
        expected: 'late 2026-03-28 trip_id_no_date',
      },
      {
        reason: 'spring: found by its time on boards',
        trip: { lineLabel: '1', headsign: 'Kirche' },
        calls: [{ stop: 'h1', at: '2026-03-29T03:41:00+02:00' }],
        expected: 'late 2026-03-28 stop_line_time 1',
      },
      {
        reason: 'autumn: 26:30 of the Saturday is half past two, the first time',
        trip: { lineLabel: '1', headsign: 'Kirche' },
        calls: [{ stop: 'h1', at: '2026-10-25T02:41:00+02:00' }],
        expected: 'late 2026-10-24 stop_line_time 1',
      },
      {
        reason: 'autumn: nothing runs at half past two the second time',
        trip: { lineLabel: '1', headsign: 'Kirche' },
        calls: [{ stop: 'h1', at: '2026-10-25T02:41:00+01:00' }],
        expected: 'no_candidate',
      },
    ])('$reason', check);
  });

  describe('of a trip with frequencies', () => {
    test.each<Case>([
      {
        reason: 'its start picks the run',
        trip: { tripId: 'exact', startDate: MONDAY, startTime: clock('06:20') },
        calls: [{ sequence: 2 }],
        expected: 'exact@06:20 2026-03-02 trip_id 1',
      },
      {
        reason: 'without a start it may be any run',
        trip: { tripId: 'exact', startDate: MONDAY },
        expected: 'no_start_time',
      },
      {
        reason: 'exact times are exact',
        trip: { tripId: 'exact', startDate: MONDAY, startTime: clock('06:21') },
        expected: 'unknown_trip',
      },
      {
        reason: "a headway's run starts at any time: the nearest",
        trip: { tripId: 'headway', startDate: MONDAY, startTime: clock('09:17') },
        reported: { relationship: 'unscheduled' },
        expected: 'headway@09:20 2026-03-02 headway_run',
      },
      {
        reason: "a headway's run far from all others",
        trip: { tripId: 'headway', startDate: MONDAY, startTime: clock('12:00') },
        reported: { relationship: 'unscheduled' },
        expected: 'unknown_trip',
      },
    ])('$reason', check);
  });

  test.each<Case>([
    ...(['cancelled', 'deleted', 'replacement', 'duplicated', 'unscheduled'] as const).map((relationship) => ({
      reason: `${relationship}: what it is about is in the timetable`,
      trip: { tripId: 't1', startDate: MONDAY },
      reported: { relationship },
      expected: 't1 2026-03-02 trip_id',
    })),
    {
      reason: 'added: not matched, whatever its id',
      trip: { tripId: 't1', startDate: MONDAY },
      reported: { relationship: 'added' },
      expected: 'added',
    },
  ])('$reason', check);
});

describe('of several timetables', () => {
  const requested = tripReport({ tripId: 't1', startDate: MONDAY });
  it('uses the one that the publisher names', async () => {
    const two = await openMatching({ at: feed, wien: feed });
    const { routes, patterns, trips } = two.tables;
    for (const [source, id] of [
      [0, 'at'],
      [1, 'wien'],
    ] as const) {
      const match = two.matcher.matchTrip(requested, context(MONDAY_MORNING, id));
      expect(match.kind === 'dated' && routes.source[patterns.route[trips.pattern[match.trip]!]!]).toBe(source);
    }
    expect(two.describe(two.matcher.matchTrip(requested, context(MONDAY_MORNING)))).toBe('ambiguous');
    expect(two.describe(two.matcher.matchTrip(requested, context(MONDAY_MORNING, 'elsewhere')))).toBe('unknown_trip');
  });
});
