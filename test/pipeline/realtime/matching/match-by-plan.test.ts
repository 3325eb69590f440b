import { beforeAll, describe, expect, test } from 'vitest';
import { answer, type Case, feed, MONDAY } from './line-one-feed.ts';
import { type MatchingWorld, openMatching, stopName } from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const check = (requested: Case) => expect(answer(world, requested)).toBe(requested.expected);

describe('by line, stop and planned time', () => {
  const at = '2026-03-02T08:11:00+01:00';
  const station = { ...stopName('x9', 'hafas'), name: 'Hauptbahnhof', lat: 48, lon: 16.02 };
  test.each<Case>([
    {
      reason: 'at a station that both directions leave at once: by destination',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'the other way',
      trip: { lineLabel: ' 1 ', headsign: 'ANGER' },
      calls: [{ stop: station, at }],
      expected: 't2 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'a destination that nobody knows: which way is not sure',
      trip: { lineLabel: 'Bus 1', headsign: 'Ort, Kirche' },
      calls: [{ stop: station, at }],
      expected: 'unknown_direction',
    },
    {
      reason: 'no destination: which way is not sure',
      trip: { lineLabel: '1' },
      calls: [{ stop: station, at }],
      expected: 'unknown_direction',
    },
    {
      reason: 'no destination, but a platform that all leave the same way',
      trip: { lineLabel: '1' },
      calls: [{ stop: 'h1', at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'another platform of the station: platforms change, destinations do not',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: 'h2', at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'several calls tell the way by themselves',
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
      reason: 'plans that differ by two minutes',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at: '2026-03-02T08:13:00+01:00' }],
      expected: 't1 2026-03-02 stop_line_near_time 1',
    },
    {
      reason: 'plans that differ by more',
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
      reason: 'after midnight: the day before',
      trip: { lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at: '2026-03-03T00:01:00+01:00' }],
      expected: 'night 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'two lines of one label: the product decides',
      trip: { lineLabel: '5', product: 'tram' },
      calls: [{ stop: 'a', at: '2026-03-02T14:00:00+01:00' }],
      expected: 'tram 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'two lines of one label: nothing decides',
      trip: { lineLabel: '5', product: 'subway' },
      calls: [{ stop: 'a', at: '2026-03-02T14:00:00+01:00' }],
      expected: 'ambiguous',
    },
    {
      reason: 'two lines of one label: the operator decides',
      trip: { lineLabel: '7', operatorName: 'Postbus GmbH' },
      calls: [{ stop: 'a', at: '2026-03-02T15:00:00+01:00' }],
      expected: 'theirs 2026-03-02 stop_line_time 0',
    },
    {
      reason: 'two trips alike: neither',
      trip: { lineLabel: '7' },
      calls: [{ stop: 'a', at: '2026-03-02T16:00:00+01:00' }],
      expected: 'ambiguous',
    },
    {
      reason: 'a train by its kind and number',
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
    { reason: 'no planned time', trip: { lineLabel: '1' }, calls: [{ stop: station }], expected: 'no_planned_time' },
    {
      reason: 'another publisher’s trip id that is by chance one of the timetable',
      trip: { tripId: 'night', lineLabel: '1', headsign: 'Kirche' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'another publisher’s trip id that is by chance one of the timetable, and does not run on the day',
      trip: { tripId: 'weekend', startDate: MONDAY, lineLabel: '1', headsign: 'Kirche' },
      reported: { relationship: 'cancelled' },
      calls: [{ stop: station, at }],
      expected: 't1 2026-03-02 stop_line_time 1',
    },
    {
      reason: 'another publisher’s trip id that is ours, as its times say',
      trip: { tripId: 'twin-1', lineLabel: '7' },
      calls: [
        { stop: { ...stopName('x7', 'hafas'), name: 'Anger', lat: 48, lon: 16 }, at: '2026-03-02T16:00:00+01:00' },
      ],
      expected: 'twin-1 2026-03-02 trip_id_no_date 0',
    },
  ])('$reason', check);
});
