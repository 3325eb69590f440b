import { expect, test } from 'vitest';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { PlayedScene, ReportedOption } from './play-scene.ts';
import type { RideFailure } from './ride-trip.ts';
import { findError, scoreScenes } from './score-scenes.ts';

const REPORTED = 1_000_000;

/** @param outcome minutes later than predicted, or the reason of the failure */
function option(probability: number | null, outcome: number | RideFailure): ReportedOption {
  const ridden =
    typeof outcome === 'number'
      ? { arrival: (REPORTED + outcome * 60) as Instant, failure: null, rides: [] }
      : { arrival: null, failure: outcome, rides: [] };
  return { kind: 'next', probability, arrival: REPORTED as Instant, ridden };
}

const scene = (...options: ReportedOption[]): PlayedScene => ({
  seed: 1,
  events: [],
  offeredAt: REPORTED as Instant,
  options,
  onceMissed: options.slice(1),
  afterwards: options,
});

test('counts options that worked against their predicted probability', () => {
  const score = scoreScenes([
    scene(option(0.8, 2), option(1, -1)),
    scene(option(0.6, 'missed'), option(null, 'cancelled')),
    { ...scene(), offeredAt: null },
  ]);
  expect(score).toMatchObject({ scenes: 3, withoutOption: 1 });
  expect(score.best).toMatchObject({
    count: 2,
    worked: 0.5,
    predicted: 0.7,
    unknown: { count: 0 },
    arrivalErrorMinutes: 2,
  });
  expect(score.bestAfterwards).toEqual(score.best);
  expect(score.bestOnceMissed).toMatchObject({ count: 1, worked: 1, predicted: 1, unknown: { count: 1, worked: 0 } });
  expect(score.best.brier).toBeCloseTo((0.04 + 0.36) / 2);
  expect(score.all).toMatchObject({
    count: 3,
    worked: 2 / 3,
    unknown: { count: 1, worked: 0 },
    failures: { missed: 1, cancelled: 1, skipped: 0 },
    arrivalErrorMinutes: 1.5,
    arrivalBiasMinutes: 0.5,
  });
  expect(score.all.bins.map(({ from, to, count }) => [from, to, count])).toEqual([
    [0, 0.5, 0],
    [0.5, 0.7, 1],
    [0.7, 0.9, 1],
    [0.9, 1, 1],
  ]);
});

test('scores the best option of each kind in each scene', () => {
  const scenes = Array.from({ length: 100 }, (_, i) => scene(option(0.9, i < 84 ? 0 : 'missed'), option(0.1, 0)));
  const [wait, next] = scoreScenes(scenes).kinds;
  expect([wait!.kind, wait!.count]).toEqual(['wait', 0]);
  expect(next).toMatchObject({ kind: 'next', count: 100, worked: 0.84 });
  expect(next!.interval.low).toBeCloseTo(0.756, 3);
  expect(next!.interval.high).toBeCloseTo(0.899, 3);
  // 0.9 is outside the interval, 0.89 is inside.
  expect(findError(next!)).toBeCloseTo(6);
  expect(findError({ ...next!, predicted: 0.89 })).toBe(0);
});
