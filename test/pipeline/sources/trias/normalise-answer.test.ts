import { expect, test } from 'vitest';
import { answeredAt, callAt, departure, normaliseParts, stopEvent } from './stop-events.ts';

const eventAt = (time: string) =>
  stopEvent(callAt('ThisCall', 'at:49:1', departure(`<TimetabledTime>${time}</TimetabledTime>`)));

test('is empty without departures', () => {
  expect(normaliseParts({})).toMatchObject({
    publishedAt: answeredAt,
    isFrozen: false,
    scope: 'all',
    isPropagating: false,
    trips: [],
    alerts: [],
    vehicles: [],
    stationBoards: [],
    recordCount: 0,
    problems: [],
  });
});

test.each([
  ['of now', '2026-03-16T07:30:00Z', ['2026-03-16T07:35:00Z'], false],
  ['of five minutes ago', '2026-03-16T07:25:00Z', ['2026-03-16T07:35:00Z'], false],
  ['older', '2026-03-16T07:24:59Z', ['2026-03-16T07:35:00Z'], true],
  ['of five minutes ahead', '2026-03-16T07:35:00Z', ['2026-03-16T07:35:00Z'], false],
  ['further ahead', '2026-03-16T07:35:01Z', ['2026-03-16T07:35:00Z'], true],
  ['without a time', null, ['2026-03-16T07:35:00Z'], false],
  ['of now with an event of yesterday', '2026-03-16T07:30:00Z', ['2026-03-15T07:35:00Z', '2026-03-15T08:35:00Z'], true],
  ['with a vehicle that is an hour late', '2026-03-16T07:30:00Z', ['2026-03-16T06:30:00Z'], false],
  [
    'with one that is late and one that comes',
    '2026-03-16T07:30:00Z',
    ['2026-03-16T05:30:00Z', '2026-03-16T07:40:00Z'],
    false,
  ],
  ['of a stop where the next departure is tomorrow', null, ['2026-03-17T07:35:00Z'], false],
  ['without any event', '2026-03-16T07:30:00Z', [], false],
])('a response %s', (_, responseTime, times, isFrozen) => {
  const update = normaliseParts({ responseTime, stopEvents: times.map(eventAt) });
  expect(update.isFrozen).toBe(isFrozen);
  expect(update.problems.map(({ code }) => code)).toEqual(isFrozen ? ['frozen_answer'] : []);
});

test('reports an invalid time of the response', () => {
  const update = normaliseParts({ responseTime: 'yesterday' });
  expect([update.publishedAt, update.problems.map(({ code, place }) => [code, place])]).toEqual([
    null,
    [['bad_time', 'answer']],
  ]);
});
