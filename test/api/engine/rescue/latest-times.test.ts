import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
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
const QUESTIONS = 150;
const HORIZON_SECONDS = 24 * 3600;
const REFINED_SECONDS = 300;

test('refined bounds are those of searches at single instants, to five minutes', async () => {
  const random = await openRandomWorld(TOWNS, SEED);
  const planner = openPlanner(random.world.timetable);
  const seen = { tighter: 0, bounded: 0, tooLate: 0 };
  const compareBounds = (number: number, question: Parameters<typeof toQuestion>[1]) => {
    const planned = toQuestion(random.towns[number]!, { ...question, timeMode: 'departure', via: [] });
    const query = toQuery(planner.timetable, planned);
    const request = { planner, realtime: null, instant: planned.instant as Instant, query, isSpent: () => false };
    const span = Math.floor(query.time / SPAN_SECONDS);
    const scope = openScope(request, 1, span);
    const now = query.time - scope.task.raptorRoutes.base;
    const earliest = findEnds(scope, now, now + HORIZON_SECONDS).at(-1)!;
    if (earliest >= now + HORIZON_SECONDS) return;
    const back = openScopeBackTo(request, span, scope.entries);
    const latest = findLatestTimes(back, now, earliest, earliest + 7200);
    const last = earliest + 5000;
    const labels: { place: number; time: number; rides: number; coarse: number }[] = [];
    for (let place = 0; place < planner.places.count; place += 2) {
      for (let time = now; time < last; time += 900) {
        for (const rides of [0, 1, 2]) {
          labels.push({ place, time, rides, coarse: latest.boundAlighting(place, time, rides) });
        }
      }
    }
    latest.refine(last);
    const known = new Map<number, ReturnType<typeof findLatestTimes>>();
    const isInTime = (instant: number, { place, time, rides }: (typeof labels)[number]) => {
      const single = known.get(instant) ?? findLatestTimes(back, now, instant, instant);
      known.set(instant, single);
      return single.boundAlighting(place, time, rides) < Number.POSITIVE_INFINITY;
    };
    for (const label of labels) {
      const refined = latest.boundAlighting(label.place, label.time, label.rides);
      if (refined === Number.POSITIVE_INFINITY) {
        expect(isInTime(last, label)).toBe(false);
        seen.tooLate += 1;
        continue;
      }
      if (refined > earliest) expect(isInTime(refined - 1, label)).toBe(false);
      expect(isInTime(Math.min(refined + REFINED_SECONDS, last), label)).toBe(true);
      if (refined > label.coarse) seen.tighter += 1;
      seen.bounded += 1;
    }
  };
  fc.assert(fc.property(fc.nat(TOWNS - 1), randomQuestion, compareBounds), { numRuns: QUESTIONS, seed: SEED });
  expect(seen.tighter).toBeGreaterThan(200);
  expect(seen.bounded).toBeGreaterThan(2000);
  expect(seen.tooLate).toBeGreaterThan(2000);
});
