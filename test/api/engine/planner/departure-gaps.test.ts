import { expect, test } from 'vitest';
import { cacheDepartureGaps, GAP_AFTER, GAP_CALL, GAP_NEXT } from '../../../../api/engine/planner/departure-gaps.ts';
import type { RaptorRoutes } from '../../../../api/engine/planner/raptor-routes.ts';
import type { SearchDirection } from '../../../../api/engine/planner/search-direction.ts';

const CALLS = 3;

/** Routes of one span: one pattern with one route. */
function openSpan(): { raptorRoutes: RaptorRoutes; live: null } {
  const routes: Partial<RaptorRoutes> = { firstRoute: Int32Array.of(0), nextRoute: Int32Array.of(-1) };
  return { raptorRoutes: routes as RaptorRoutes, live: null };
}

/** A direction in which trips are entered at the given calls, all at one place. */
function openDirection(...calls: number[]): SearchDirection {
  const entering = {
    starts: Int32Array.of(0, calls.length),
    calls: Int32Array.from(calls),
    patterns: new Int32Array(calls.length),
  };
  return { entering } as Partial<SearchDirection> as SearchDirection;
}

const [ahead, back] = [openDirection(0, 1), openDirection(2, 1)];
const [today, later] = [openSpan(), openSpan()];

test('gaps are remembered for the same routes and direction, also by a later request', () => {
  const getGaps = cacheDepartureGaps(CALLS);
  const gaps = getGaps({}, today, ahead);
  gaps.calls[GAP_AFTER] = 1;
  gaps.calls[GAP_NEXT] = 2;
  expect(getGaps({}, today, ahead)).toBe(gaps);
  expect(getGaps({}, { ...today }, ahead)).toBe(gaps);
  expect(getGaps({}, today, back)).not.toBe(gaps);
  expect(getGaps({}, openSpan(), ahead)).not.toBe(gaps);
});

test('a request at the end of a span does not overwrite gaps that it uses', () => {
  const getGaps = cacheDepartureGaps(CALLS);
  const request = {};
  const first = getGaps(request, today, ahead);
  getGaps(request, today, back);
  getGaps(request, later, ahead);
  getGaps(request, later, back);
  getGaps(request, today, back);
  expect(first.calls[GAP_CALL]).toBe(0);
  expect(getGaps(request, today, ahead)).toBe(first);
});

test('a later request reuses the memory of the least recently used gaps', () => {
  const getGaps = cacheDepartureGaps(CALLS);
  const first = getGaps({}, today, ahead);
  getGaps({}, today, back);
  getGaps({}, later, ahead);
  const fourth = getGaps({}, later, back);
  expect(fourth.calls).toBe(first.calls);
  expect(fourth.calls[GAP_CALL]).toBe(2);
});
