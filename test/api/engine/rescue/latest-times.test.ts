import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { roundUp } from '../../../../api/engine/planner/pareto.ts';
import { findEnds } from '../../../../api/engine/planner/profile.ts';
import { SPAN_SECONDS } from '../../../../api/engine/planner/raptor-routes.ts';
import { openScope, openScopeBackTo } from '../../../../api/engine/planner/scope.ts';
import { findLatestTimes } from '../../../../api/engine/rescue/latest-times.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import { toQuery } from '../../../support/oracles/query-planner.ts';
import { openRandomWorld, toQuestion } from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_129;
const TOWNS = 8;
const QUESTIONS = 60;
const LONGEST_SECONDS = 24 * 3600;

test('bounds are those of searches at single minutes, as far as the search back has come', async () => {
  const random = await openRandomWorld(TOWNS, SEED);
  const planner = openPlanner(random.world.timetable);
  const seen = { bounded: 0, beyond: 0, tooLate: 0 };
  const compareBounds = (number: number, question: Parameters<typeof toQuestion>[1]) => {
    const planned = toQuestion(random.towns[number]!, { ...question, timeMode: 'departure', via: [] });
    const query = toQuery(planner.timetable, planned);
    const request = { planner, realtime: null, instant: planned.instant as Instant, query, isSpent: () => false };
    const span = Math.floor(query.time / SPAN_SECONDS);
    const scope = openScope(request, 1, span);
    const now = query.time - scope.task.raptorRoutes.base;
    const earliest = findEnds(scope, now, now + LONGEST_SECONDS).at(-1)!;
    if (earliest >= now + LONGEST_SECONDS) return;
    const limit = earliest + 5000;
    const labels: { place: number; time: number; rides: number }[] = [];
    for (let place = 0; place < planner.places.count; place += 2) {
      for (let time = now; time < limit; time += 900) {
        for (const rides of [0, 1, 2]) labels.push({ place, time, rides });
      }
    }
    const openBack = (last: number) => openScopeBackTo(request, span, scope.entries, last - now);
    // Each search back has one minute of arrival: the last one.
    const searchSingly = (instant: number) => {
      const single = findLatestTimes(openBack(instant), now, instant, instant);
      return labels.map(({ place, time, rides }) => single.boundAlighting(place, time, rides) <= instant);
    };
    const known = new Map<number, readonly boolean[]>();
    const isInTime = (instant: number, label: number) => {
      const inTime = known.get(instant) ?? searchSingly(instant);
      known.set(instant, inTime);
      return inTime[label]!;
    };
    const found: { readonly until: number; readonly bounds: readonly number[] }[] = [];
    const latest = findLatestTimes(openBack(limit), now, earliest, limit);
    for (;;) {
      const bounds = labels.map(({ place, time, rides }) => latest.boundAlighting(place, time, rides));
      found.push({ until: latest.searchedUntil(), bounds });
      if (latest.searchedUntil() === Number.POSITIVE_INFINITY) break;
      latest.extend();
    }
    expect(found.length).toBeGreaterThan(3);
    const last = found.at(-1)!;
    for (const { until, bounds } of found) {
      expect(bounds).toEqual(last.bounds.map((bound) => Math.min(bound, until + 1)));
    }
    last.bounds.forEach((bound, label) => {
      if (bound > earliest) expect(isInTime(Math.min(bound - 1, limit), label)).toBe(false);
      if (bound < Number.POSITIVE_INFINITY) expect(isInTime(Math.min(roundUp(bound), limit), label)).toBe(true);
      seen[bound === Number.POSITIVE_INFINITY ? 'tooLate' : bound > found[0]!.until ? 'beyond' : 'bounded'] += 1;
    });
  };
  fc.assert(fc.property(fc.nat(TOWNS - 1), randomQuestion, compareBounds), { numRuns: QUESTIONS, seed: SEED });
  expect(seen.bounded).toBeGreaterThan(300);
  expect(seen.beyond).toBeGreaterThan(200);
  expect(seen.tooLate).toBeGreaterThan(1000);
});
