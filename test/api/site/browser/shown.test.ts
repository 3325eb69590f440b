import { describe, expect, test } from 'vitest';
import type { TimeInfo } from '../../../../api/contract/v2-basics.ts';
import type { JourneyStop } from '../../../../api/contract/v2-board.ts';
import { findVehiclePosition, isPassed } from '../../../../api/site/browser/journey/vehicle-position.ts';
import { formatAge } from '../../../../api/site/browser/times/format-age.ts';
import {
  type BoardRow,
  filterRows,
  groupRows,
  listAnnouncedRows,
  listPlaces,
} from '../../../../api/site/view-model/board-rows.ts';
import { toLocalTime, toTimestamp } from '../../../../api/site/view-model/local-time.ts';
import { showBoardTime, showTime } from '../../../../api/site/view-model/shown-time.ts';
import { chooseBadge, findTripNumber } from '../../../../api/site/view-model/trip-number.ts';

const at = (clock: string) => `2026-03-03T${clock.padEnd(8, ':00')}+01:00`;

describe('a time on a board', () => {
  const live = (scheduled: string, realtime: string): TimeInfo => ({
    scheduled: at(scheduled),
    realtime: at(realtime),
    isRealtime: true,
  });

  test.each<[string, TimeInfo, object | null]>([
    ['nobody knows', { isRealtime: false }, null],
    [
      'is planned',
      { scheduled: at('08:00'), isRealtime: false },
      { clock: '08:00', planned: null, delayMinutes: null },
    ],
    ['is on time by the minute', live('08:00', '08:00:59'), { clock: '08:00', planned: null, delayMinutes: 0 }],
    ['is late', live('08:59:30', '09:01:00'), { clock: '09:01', planned: '08:59', delayMinutes: 2 }],
    ['is early', live('08:00', '07:59:30'), { clock: '07:59', planned: '08:00', delayMinutes: -1 }],
    [
      'was reported long ago',
      { scheduled: at('08:00'), realtime: at('08:04'), isRealtime: false },
      { clock: '08:00', planned: null, delayMinutes: null },
    ],
    ['was added', { realtime: at('08:04'), isRealtime: true }, { clock: '08:04', planned: null, delayMinutes: null }],
  ])('that %s', (_name, time, shown) => {
    if (shown === null) expect(showTime(time)).toBeNull();
    else expect(showTime(time)).toMatchObject(shown);
  });

  test.each([
    ['subway', '08:01', { clock: '08:01', planned: null, delayMinutes: 0 }],
    ['subway', '07:59', { clock: '07:59', planned: null, delayMinutes: 0 }],
    ['subway', '08:02', { clock: '08:02', planned: '08:00', delayMinutes: 2 }],
    ['train', '08:01', { clock: '08:01', planned: '08:00', delayMinutes: 1 }],
  ] as const)('is struck through only where riders notice it: %s at %s', (product, realtime, shown) => {
    expect(showBoardTime(live('08:00', realtime), product)).toMatchObject(shown);
  });
});

test.each([
  ['RJX', ['wheelchair:yes', 'tripNumber:RJX 162'], 'RJX 162', null],
  ['S1', ['tripNumber:20413'], 'S1', '20413'],
  ['R', ['tripNumber:REX 2017'], 'R', 'REX 2017'],
  ['NJ 466', ['tripNumber:NJ 466'], 'NJ 466', null],
  ['U6', ['tripNumber: '], 'U6', null],
  ['U6', [], 'U6', null],
])('a trip of the line %s with %o is called %s, and %s beside', (label, attributes, badge, rest) => {
  expect(chooseBadge(label, findTripNumber(attributes))).toEqual({ badge, rest });
});

test('a board is limited to a line and a direction', () => {
  const rows = [
    ['U6', 'Floridsdorf'],
    ['U6', 'Siebenhirten'],
    ['RJ', 'Graz'],
    ['U6', 'Floridsdorf'],
  ].map(([label, place]) => ({ line: { label }, place }) as BoardRow);
  expect(filterRows(rows, { line: null, place: null })).toEqual(rows);
  expect(filterRows(rows, { line: 'U6', place: null })).toEqual([rows[0], rows[1], rows[3]]);
  expect(filterRows(rows, { line: 'U6', place: 'Floridsdorf' })).toEqual([rows[0], rows[3]]);
  expect(filterRows(rows, { line: 'RJ', place: 'Floridsdorf' })).toEqual([]);
  expect(listPlaces(rows, null)).toEqual(['Floridsdorf', 'Graz', 'Siebenhirten']);
  expect(listPlaces(rows, 'U6')).toEqual(['Floridsdorf', 'Siebenhirten']);
  const groups = [...groupRows(rows)];
  expect(groups.map(([place]) => place)).toEqual([...new Set(rows.map(({ place }) => place))]);
  expect(groups.find(([place]) => place === 'Floridsdorf')![1]).toEqual(
    filterRows(rows, { line: null, place: 'Floridsdorf' }),
  );
});

test.each([
  ['2026-03-03T08:00', '2026-03-03T08:00:00+01:00'],
  ['2026-07-03T08:00', '2026-07-03T08:00:00+02:00'],
  ['2026-03-29T03:30', '2026-03-29T03:30:00+02:00'],
  ['2026-10-25T03:30', '2026-10-25T03:30:00+01:00'],
  ['2026-03-03 08:00', null],
  ['2026-13-03T08:00', null],
])('the local time %s is %s', (text, timestamp) => {
  expect(toTimestamp(text)).toBe(timestamp);
  if (timestamp !== null) expect(toLocalTime(Date.parse(timestamp))).toBe(text);
});

test.each([
  [0.4, 'vor 0 Sek.', '0 sec. ago'],
  [59, 'vor 59 Sek.', '59 sec. ago'],
  [60, 'vor 1 Min.', '1 min. ago'],
  [7300, 'vor 2 Std.', '2 hr. ago'],
  [200_000, 'vor 2 Tagen', '2 days ago'],
])('%s seconds ago', (seconds, german, english) => {
  expect([formatAge(seconds, 'de'), formatAge(seconds, 'en')]).toEqual([german, english]);
});

test('a board announces cancellations and platform changes, but no new rows', () => {
  const row = (id: string, over: Partial<BoardRow> = {}) =>
    ({ id, cancelled: false, platform: { text: '1', changed: false }, ...over }) as BoardRow;
  const moved = { text: '2', scheduledText: '1', changed: true };
  const before = [row('a'), row('b'), row('c', { cancelled: true }), row('d', { platform: moved }), row('e')];
  const after = [
    row('a', { cancelled: true }),
    row('b', { platform: moved }),
    row('c', { cancelled: true }),
    row('d', { platform: moved }),
    row('e'),
    row('new', { cancelled: true }),
  ];
  expect(listAnnouncedRows(before, after).map(({ id }) => id)).toEqual(['a', 'b']);
});

describe('a vehicle', () => {
  const time = (clock: string) => ({ scheduled: at(clock), isRealtime: false });
  const stop = (arrival: string | null, departure: string | null, isCurrent = false) =>
    ({
      ...(arrival && { arrival: time(arrival) }),
      ...(departure && { departure: time(departure) }),
      isCurrent,
    }) as JourneyStop;
  const stops = (current: number) =>
    [stop(null, '08:00'), stop('08:10', '08:12'), stop('08:20', null)].map((one, i) => ({
      ...one,
      isCurrent: i === current,
    }));

  test.each([
    [-1, '07:59', { kind: 'notStarted' }],
    [-1, '08:21', { kind: 'ended' }],
    [-1, '08:10', { kind: 'unknown' }],
    [0, '08:00', { kind: 'at', position: 0 }],
    [1, '08:05', { kind: 'towards', position: 1, share: 0.5 }],
    [1, '07:50', { kind: 'towards', position: 1, share: 0 }],
    [1, '08:11', { kind: 'at', position: 1 }],
  ])('with the current call %s at %s', (current, clock, whereabouts) => {
    expect(findVehiclePosition(stops(current), Date.parse(at(clock)))).toEqual(whereabouts);
  });

  test('has passed the earlier calls', () => {
    expect([0, 1, 2].map((position) => isPassed({ kind: 'towards', position: 1, share: 0 }, position))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isPassed({ kind: 'ended' }, 2)).toBe(true);
    expect(isPassed({ kind: 'notStarted' }, 0)).toBe(false);
  });
});
