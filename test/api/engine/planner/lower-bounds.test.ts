import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { NEVER } from '../../../../api/engine/planner/int-list.ts';
import {
  type BoundsTask,
  createBounds,
  createBoundsFinder,
  findBounds,
} from '../../../../api/engine/planner/lower-bounds.ts';
import { openPlanner, type Planner } from '../../../../api/engine/planner/open-planner.ts';
import { SPAN_SECONDS } from '../../../../api/engine/planner/raptor-routes.ts';
import { openScope } from '../../../../api/engine/planner/scope.ts';
import type { Sign } from '../../../../api/engine/planner/search-direction.ts';
import { NO_TRANSFER } from '../../../../api/engine/planner/transfer-seconds.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { randomQuestion } from '../../../support/oracles/naive-plan-random.ts';
import { type PlannerQuestion, toQuery } from '../../../support/oracles/query-planner.ts';
import { openRandomWorld, type RandomWorld, toQuestion } from '../../../support/worlds/random-plan-world.ts';

const SEED = 20_261_128;
const TOWNS = 8;
const QUESTIONS = 24;
const UNREACHED = 0xff;
/** Negative, so that towns are larger than the limit of a search. */
const HEAD_START = -500;

let random: RandomWorld;
let planner: Planner;
const questions: PlannerQuestion[] = [];
beforeAll(async () => {
  random = await openRandomWorld(TOWNS, SEED);
  planner = openPlanner(random.world.timetable);
  const collect = fc.property(fc.nat(TOWNS - 1), randomQuestion, (number, question) => {
    questions.push(toQuestion(random.towns[number]!, question));
  });
  fc.assert(collect, { numRuns: QUESTIONS, seed: SEED });
});

function toTask(question: PlannerQuestion, sign: Sign, maxRounds: number): BoundsTask {
  const query = toQuery(planner.timetable, question);
  const request = { planner, realtime: null, instant: question.instant as Instant, query, isSpent: () => false };
  const { task } = openScope(request, sign, Math.floor(question.time / SPAN_SECONDS));
  const { ahead, back } = planner.directions;
  return {
    tables: planner.timetable.tables,
    direction: sign > 0 ? ahead : back,
    opposite: sign > 0 ? back : ahead,
    least: planner.getMinTimes(null),
    live: null,
    transferSeconds: task.transferSeconds,
    egress: task.egress,
    maxRounds,
    begins: null,
    maxSeconds: NEVER,
  };
}

function openBounds() {
  const { timetable, places } = planner;
  return {
    bounds: createBounds(timetable.tables, places.count),
    finder: createBoundsFinder(timetable.tables, places.count),
  };
}

/** Scans every pattern and every transfer in each round. Seconds by round, because more rides may be faster. */
function findSlowly({ tables, direction, least, transferSeconds, egress, maxRounds }: BoundsTask) {
  const { patterns, trips } = tables;
  const { sign, enterAt, leaveAt, transferFrom, transferTo, continuesFrom, continuesTo } = direction;
  const left = Array.from(egress, (seconds) => (seconds < 0 ? NEVER : seconds));
  const ready = left.map(() => NEVER as number);
  const call = Array.from(enterAt, () => NEVER as number);
  const rides = {
    left: left.map((seconds) => (seconds < NEVER ? 0 : UNREACHED)),
    ready: left.map(() => UNREACHED),
    call: call.map(() => UNREACHED),
  };
  const lower = (seconds: number[], round: number, counts: number[], at: number, value: number) => {
    if (value >= seconds[at]!) return;
    seconds[at] = value;
    if (counts[at] === UNREACHED) counts[at] = round;
  };
  const start = Array.from(patterns.route, () => NEVER as number);
  const scan = (pattern: number, round: number, leftBefore: readonly number[]) => {
    const [first, count] = [patterns.firstCall[pattern]!, patterns.callCount[pattern]!];
    let ahead: number = NEVER;
    continuesFrom.forEach((trip, row) => {
      if (trips.pattern[trip] === pattern) ahead = Math.min(ahead, start[trips.pattern[continuesTo[row]!]!]!);
    });
    for (let step = 0; step < count; step++) {
      const at = first + (sign > 0 ? count - 1 - step : step);
      if (step > 0) ahead = Math.min(NEVER, ahead + least.ride[sign > 0 ? at : at - 1]!);
      if (enterAt[at]! >= 0) {
        lower(call, round, rides.call, at, ahead);
        lower(ready, round, rides.ready, enterAt[at]!, ahead);
      }
      ahead = Math.min(NEVER, ahead + least.dwell[at]!);
      if (leaveAt[at]! >= 0) ahead = Math.min(ahead, leftBefore[leaveAt[at]!]!);
    }
    const isBetter = ahead < start[pattern]!;
    start[pattern] = Math.min(start[pattern]!, ahead);
    return isBetter;
  };
  for (let round = 1; round <= maxRounds; round++) {
    const leftBefore = [...left];
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      for (let pattern = 0; pattern < start.length; pattern++) if (scan(pattern, round, leftBefore)) isBetter = true;
    }
    transferSeconds.forEach((seconds, row) => {
      const [from, to] = [transferFrom[row]!, transferTo[row]!];
      if (seconds !== NO_TRANSFER) lower(left, round, rides.left, from, Math.min(NEVER, ready[to]! + seconds));
    });
  }
  return { left, ready, call, rides };
}

test.each([1, -1] as const)('bounds are those of scanning everything, in direction %i', (sign) => {
  const { bounds, finder } = openBounds();
  let reached = 0;
  for (const question of questions) {
    const task = toTask(question, sign, 12);
    const expected = findSlowly(task);
    findBounds(finder, bounds, task);
    expect([...bounds.leftRides]).toEqual(expected.rides.left);
    expect([...bounds.readyRides]).toEqual(expected.rides.ready);
    expect([...bounds.callRides]).toEqual(expected.rides.call);
    expect([...bounds.leftSeconds]).toEqual(expected.left);
    expect([...bounds.readySeconds]).toEqual(expected.ready);
    expect([...bounds.callSeconds]).toEqual(expected.call);
    reached += expected.ready.filter((seconds) => seconds < NEVER).length;
  }
  expect(reached).toBeGreaterThan(3 * QUESTIONS);
});

test.each([1, 2])('bounds with at most %i rides are those of as many rounds', (most) => {
  const { bounds, finder } = openBounds();
  for (const question of questions) {
    const task = toTask(question, 1, most);
    const expected = findSlowly(task);
    findBounds(finder, bounds, task);
    expect([...bounds.leftRides]).toEqual(expected.rides.left);
    expect([...bounds.callRides]).toEqual(expected.rides.call);
    expect([...bounds.readySeconds]).toEqual(expected.ready);
  }
});

test.each([1, -1] as const)('bounds are exact from where a search begins to a limit, in direction %i', (sign) => {
  const { bounds, finder } = openBounds();
  let cut = 0;
  for (const question of questions) {
    const task = toTask(question, sign, 12);
    const { left, ready, call, rides } = findSlowly(task);
    for (let place = 0; place < ready.length; place += 3) {
      const { maxSeconds } = findBounds(finder, bounds, { ...task, begins: [{ place, seconds: HEAD_START }] });
      expect(maxSeconds).toBe(ready[place] === NEVER ? NEVER : Math.ceil(1.25 * (ready[place]! + HEAD_START)) + 600);
      const cutOff = (seconds: readonly number[]) => seconds.map((one) => Math.min(one, maxSeconds));
      expect([...bounds.leftSeconds]).toEqual(cutOff(left));
      expect([...bounds.readySeconds]).toEqual(cutOff(ready));
      expect([...bounds.callSeconds]).toEqual(cutOff(call));
      // Places that need still more rides all have one more than the begin.
      const most = maxSeconds === NEVER ? UNREACHED : rides.ready[place]! + 1;
      const alike = (counts: readonly number[]) => counts.map((count) => Math.min(count, most));
      expect([...bounds.leftRides]).toEqual(alike(rides.left));
      expect([...bounds.readyRides]).toEqual(alike(rides.ready));
      expect([...bounds.callRides]).toEqual(alike(rides.call));
      cut += ready.filter((seconds) => seconds > maxSeconds && seconds < NEVER).length;
    }
  }
  expect(cut).toBeGreaterThan(QUESTIONS);
});

test.each([1, -1] as const)('bounds of any place are exact up to a limit, in direction %i', (sign) => {
  const { bounds, finder } = openBounds();
  const maxSeconds = 900;
  const seen = { within: 0, beyond: 0 };
  for (const question of questions) {
    const task = toTask(question, sign, 12);
    const { left, ready, call, rides } = findSlowly(task);
    expect(findBounds(finder, bounds, { ...task, maxSeconds }).maxSeconds).toBe(maxSeconds);
    const cutOff = (seconds: readonly number[]) => seconds.map((one) => Math.min(one, maxSeconds));
    expect([...bounds.leftSeconds]).toEqual(cutOff(left));
    expect([...bounds.readySeconds]).toEqual(cutOff(ready));
    expect([...bounds.callSeconds]).toEqual(cutOff(call));
    // With fewer rides, some places are reached only beyond the limit.
    bounds.readyRides.forEach((count, place) => {
      const isWithin = ready[place]! < maxSeconds;
      if (isWithin) expect(count).toBeLessThan(UNREACHED);
      else expect(count).toBe(UNREACHED);
      expect(count).toBeGreaterThanOrEqual(rides.ready[place]!);
      if (ready[place]! < NEVER) seen[isWithin ? 'within' : 'beyond'] += 1;
    });
  }
  expect(seen.within).toBeGreaterThan(2 * QUESTIONS);
  expect(seen.beyond).toBeGreaterThan(QUESTIONS);
});
