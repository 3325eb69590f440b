import { beforeAll, describe, expect, test } from 'vitest';
import { answer, type Case, feed, MONDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching, stopName } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('by line, stop and scheduled time', () => {
  const at = '2026-03-02T08:11:00+01:00';
  const station = { ...stopName('x9', 'hafas'), name: 'Hauptbahnhof', lat: 48, lon: 16.02 };
  test.each<Case>([
    {
      reason: 'at a station that both directions leave at the same time: by destination',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'in the other direction',
      trip: { lineLabel: ' 1 ', headsign: 'ANGER' },
      calls: [{ stop: station, at }],
      expected: 't2 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'with an unknown destination: ambiguous direction',
      trip: { lineLabel: 'Bus 1', headsign: 'Ort, Kirche' },
      calls: [{ stop: station, at }],
      expected: 'unknown_direction',
    },
    {
      reason: 'without destination: ambiguous direction',
      trip: { lineLabel: '1' },
      calls: [{ stop: station, at }],
      expected: 'unknown_direction',
    },
    {
      reason: 'without destination, but at a platform used in one direction',
      trip: { lineLabel: '1' },
      calls: [{ stop: 'h1', at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'at another platform of the station: platforms change, destinations do not',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: 'h2', at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'several calls determine the direction',
      trip: { lineLabel: '1' },
      calls: [
        { stop: station, at },
        { stop: 'c', arrivalAt: '2026-03-02T08:20:00+01:00' },
      ],
      expected: 't1 2026-03-02 stop_line_time 1 2',
    },
    {
      reason: 'several calls of which one contradicts',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [
        { stop: station, at },
        { stop: 'c', arrivalAt: '2026-03-02T08:29:00+01:00' },
      ],
      expected: 'no_candidate',
    },
    {
      reason: 'a time rounded to the minute',
      trip: { lineLabel: '1', headsign: 'Anger' },
      calls: [{ stop: 'c', at: '2026-03-02T08:00:00+01:00' }],
      expected: 't2 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'schedules that differ by two minutes',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at: '2026-03-02T08:13:00+01:00' }],
      expected: 't1 2026-03-02 stop_line_near_time 1',
    },
    {
      reason: 'schedules that differ by more',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at: '2026-03-02T08:13:01+01:00' }],
      expected: 'no_candidate',
    },
    {
      reason: 'a departure where the trip ends',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: 'c', at: '2026-03-02T08:20:00+01:00' }],
      expected: 'no_candidate',
    },
    {
      reason: 'after midnight: the previous day',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at: '2026-03-03T00:01:00+01:00' }],
      expected: 'night 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'two lines with one label: by product',
      trip: { lineLabel: '5', product: 'tram' },
      calls: [{ stop: 'a', at: '2026-03-02T14:00:00+01:00' }],
      expected: 'tram 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'two lines with one label: ambiguous',
      trip: { lineLabel: '5', product: 'subway' },
      calls: [{ stop: 'a', at: '2026-03-02T14:00:00+01:00' }],
      expected: 'ambiguous',
    },
    {
      reason: 'two lines with one label: by operator',
      trip: { lineLabel: '7', operatorName: 'Postbus GmbH' },
      calls: [{ stop: 'a', at: '2026-03-02T15:00:00+01:00' }],
      expected: 'theirs 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'two equal trips: ambiguous',
      trip: { lineLabel: '7' },
      calls: [{ stop: 'a', at: '2026-03-02T16:00:00+01:00' }],
      expected: 'ambiguous',
    },
    {
      reason: 'a train by its category and number',
      trip: { lineLabel: 'RJX 164', headsign: 'Dorf' },
      calls: [{ stop: 'a', at: '2026-03-02T18:00:00+01:00' }],
      expected: 'train-2 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'a line that is not in the timetable',
      trip: { lineLabel: 'U7' },
      calls: [{ stop: 'a', at }],
      expected: 'unknown_line',
    },
    {
      reason: 'a stop that is not in the timetable',
      trip: { lineLabel: '1' },
      calls: [{ stop: stopName('x8', 'hafas'), at }],
      expected: 'unknown_stop',
    },
    { reason: 'no scheduled time', trip: { lineLabel: '1' }, calls: [{ stop: station }], expected: 'no_planned_time' },
    {
      reason: "another publisher's trip id that happens to exist in the timetable",
      trip: { tripId: 'night', lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: "another publisher's trip id that happens to exist in the timetable, without service on the day",
      trip: { tripId: 'weekend', startDate: MONDAY, lineLabel: '1', headsign: 'Kirche' },
      reported: { relationship: 'cancelled' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: "another publisher's trip id that is ours, as its times show",
      trip: { tripId: 'twin-1', lineLabel: '7' },
      calls: [
        { stop: { ...stopName('x7', 'hafas'), name: 'Anger', lat: 48, lon: 16 }, at: '2026-03-02T16:00:00+01:00' },
      ],
      expected: 'twin-1 2026-03-02 trip_id_no_date 0',
    },
  ])('$reason', check);
});
