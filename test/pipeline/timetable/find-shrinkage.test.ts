import { expect, test } from 'vitest';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { findShrinkage, type TripsByDate } from '../../../pipeline/timetable/source-versions.ts';

const TODAY = '2026-03-10' as ServiceDate;

/** A number of trips on each of a number of days, the first of them counted from today. */
function run(firstDay: number, days: number, trips: number): TripsByDate {
  return new Map(Array.from({ length: days }, (_, i) => [addDays(TODAY, firstDay + i), trips]));
}

test.each<[title: string, published: TripsByDate, offered: TripsByDate, expected: RegExp | null]>([
  ['the same again', run(-30, 60, 100), run(-30, 60, 100), null],
  ['half of the trips', run(-30, 60, 100), run(-30, 60, 50), null],
  ['fewer', run(-30, 60, 100), run(-30, 60, 49), /^it has 1470 trips from 2026-03-10 to 2026-04-08, the .* 3000$/],
  ['half of the days ahead', run(-30, 60, 100), run(-30, 45, 100), null],
  ['fewer days ahead', run(-30, 60, 100), run(-30, 44, 100), /^it has trips on 14 days from 2026-03-10 on, .* on 30$/],
  ['the rest of the period, published once more', run(-300, 305, 100), run(0, 5, 100), null],
  ['no future day where there were some', run(-30, 60, 100), run(-60, 60, 100), /^it has trips on 0 days/],
  ['the published one has ended', run(-60, 60, 100), run(0, 1, 100), null],
  [
    'the published one has ended, and the new one has fewer trips a day',
    run(-60, 60, 100),
    run(0, 90, 9),
    /^it has 9 trips a day, .* 100$/,
  ],
  ['both have ended', run(-60, 60, 100), run(-60, 59, 100), null],
  [
    'a longer one with few trips on its first days',
    run(-30, 40, 100),
    run(-30, 400, 49),
    /^it has 490 trips from 2026-03-10 to 2026-03-19/,
  ],
  ['a shorter window of the same trips', run(0, 14, 100), run(0, 7, 100), null],
  ['a waiting version is not judged by the days before it', run(-30, 60, 100), run(28, 2, 100), null],
  [
    'a waiting version with fewer days than it replaces',
    run(-30, 60, 100),
    run(10, 9, 100),
    /^it has trips on 9 days from 2026-03-20 on, .* on 20$/,
  ],
  ['a waiting version beyond the end of the published one', run(-30, 35, 100), run(20, 90, 60), null],
  ['a waiting version beyond the end with few trips', run(-30, 35, 100), run(20, 90, 40), /^it has 40 trips a day/],
])('%s', (_title, published, offered, expected) => {
  const found = findShrinkage(published, offered, TODAY, 0.5);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatch(expected);
});

test('uses the configured limit, and accepts everything with 0', () => {
  expect(findShrinkage(run(0, 10, 100), run(0, 10, 74), TODAY, 0.75)).not.toBeNull();
  expect(findShrinkage(run(0, 10, 100), run(0, 10, 75), TODAY, 0.75)).toBeNull();
  expect(findShrinkage(run(0, 10, 100), run(0, 1, 1), TODAY, 0)).toBeNull();
});
