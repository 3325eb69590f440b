import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TripRequest } from '../../../api/contract/definitions.ts';
import { ApiProblem, type ProblemCode } from '../../../api/contract/problems.ts';
import type { Planning, PlanningTask } from '../../../api/planning/planning.ts';
import { openPool } from '../../../api/planning/pool.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { silentLog, soundFeed } from '../../support/worlds/ingest.ts';
import { fakeWorkers, flush } from '../planning/fake-workers.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

const NOW = '2026-03-03T06:30:07Z';
const QUESTION = { from: { stopId: 'at:a' }, to: { stopId: 'at:b' } };

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

/** Planning with results set by the test; records its tasks. */
function planningOf(answer: Planning['answer']): Planning {
  return {
    answer,
    follow: async () => {},
    prepare: () => {},
    isWorking: () => true,
    queueDepth: 0,
    close: async () => {},
  };
}

const openWith = (planning: Planning, overrides = {}) =>
  openService(world, { clock: fixedClock(NOW), planning, overrides });

const requestTrips = (app: FastifyInstance, body: object = QUESTION) =>
  app.inject({ method: 'POST', url: '/v2/trips', payload: body });

describe('a trip request', () => {
  test('passes body, snapshots and instant to planning, and returns its bytes unchanged', async () => {
    const tasks: Parameters<Planning['answer']>[] = [];
    const planning = planningOf(async (...question) => {
      tasks.push(question);
      return new TextEncoder().encode('{"trips":[]}');
    });
    const app = await openWith(planning);
    const answer = await requestTrips(app, { ...QUESTION, maxTransfers: 2 });
    expect([answer.statusCode, answer.body]).toEqual([200, '{"trips":[]}']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'data-version': world.timetable.manifest.id,
    });
    expect(answer.headers.etag).toBeUndefined();
    const [[task, held, at]] = tasks as [Parameters<Planning['answer']>];
    const body: TripRequest = {
      ...QUESTION,
      maxTransfers: 2,
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    };
    expect(task).toEqual({ kind: 'trips', body } satisfies PlanningTask);
    expect([held!.value.timetable, held!.value.realtime, at]).toEqual([world.timetable, null, instant(NOW)]);
  });

  test('has a response that matches the contract', async () => {
    const app = await openService(world, { clock: fixedClock(NOW) });
    const answer = await requestTrips(app);
    await expectValidAnswer('TripResult', answer.json());
    expect(answer.statusCode).toBe(200);
  });

  test('requires a timetable', async () => {
    const planning = planningOf(() => Promise.reject(new Error('must not be called')));
    const app = await openWith(planning, { snapshots: { current: () => null } });
    expectProblem(await requestTrips(app), 'timetable_unavailable');
  });

  test.each<[ProblemCode, string?]>([
    ['unknown_stop', '/from/stopId'],
    ['invalid_body', '/pageRef'],
    ['timetable_out_of_range', '/time'],
    ['overloaded'],
  ])('is refused as %s if planning refuses it', async (code, parameter) => {
    const planning = planningOf(() => Promise.reject(new ApiProblem(code, 'It is as it is.', parameter)));
    expectProblem(await requestTrips(await openWith(planning)), code, parameter);
  });

  test('is a 5xx without internal details if the worker dies', async () => {
    const planning = planningOf(() => Promise.reject(new Error('out of memory in a secret place')));
    const answer = await requestTrips(await openWith(planning));
    expectProblem(answer, 'internal_error');
    expect(answer.body).not.toContain('secret');
  });
});

test('refuses requests beyond the queue limit, and answers queued ones', async () => {
  const { open, opened } = fakeWorkers();
  const pool = openPool(open, { threads: 1, maxQueued: 1, timeLimitSeconds: 60, startLimitSeconds: 60 }, silentLog);
  await flush();
  const app = await openWith(planningOf((task, _held, at) => pool.request({ task, realtime: null, instant: at })));
  let over = 0;
  const answers = Array.from({ length: 3 }, async () => {
    const answer = await requestTrips(app);
    over += 1;
    return answer;
  });
  // The refusal arrives as soon as all requests are sent.
  await expect.poll(() => over).toBe(1);
  await opened[0]!.answer();
  await opened[0]!.answer();
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  expect(statuses.sort()).toEqual([200, 200, 503]);
  expectProblem((await Promise.all(answers)).find(({ statusCode }) => statusCode === 503)!, 'overloaded');
  await pool.close();
});

test.each<[isWorking: boolean, status: string]>([
  [true, 'operational'],
  [false, 'outage'],
])('if planning works is %s, route planning is %s', async (isWorking, status) => {
  const planning = { ...planningOf(() => Promise.reject(new Error('must not be called'))), isWorking: () => isWorking };
  const sourceChecks = { at: '2026-03-03T06:00:00.000Z' };
  const app = await openService(world, { clock: fixedClock(NOW), planning, sourceChecks });
  const { components, overall } = (await app.inject({ url: '/v1/status' })).json();
  const routePlanning = components.find(({ id }: { id: string }) => id === 'routePlanning');
  expect([routePlanning.status, overall]).toEqual([status, status]);
});
