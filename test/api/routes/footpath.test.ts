import { expect, test } from 'vitest';
import { ApiProblem } from '../../../api/contract/problems.ts';
import type { Planning } from '../../../api/planning/planning.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

const QUESTION = { from: { lat: 48.2, lon: 16.37 }, to: { lat: 48.21, lon: 16.38 } };

async function postFootpath(options: { planning?: Planning; body?: object; withData?: boolean } = {}) {
  const { planning, body = QUESTION, withData = true } = options;
  const app = await openService(await openWorld({ at: soundFeed }), {
    ...(planning ? { planning } : {}),
    ...(withData ? {} : { overrides: { snapshots: { current: () => null } } }),
  });
  return app.inject({ method: 'POST', url: '/v2/footpath', payload: body });
}

const planningOf = (answer: Planning['answer']): Planning => ({
  answer,
  follow: async () => {},
  prepare: () => {},
  isWorking: () => true,
  queueDepth: 0,
  close: async () => {},
});

test.each([true, false])('a footpath does not depend on the timetable: with data %s', async (withData) => {
  const answer = await postFootpath({ withData });
  expect(answer.statusCode).toBe(200);
  await expectValidAnswer('Footpath', answer.json());
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  expect(answer.headers['data-version']).toBeUndefined();
});

test('passes the validated body to planning', async () => {
  const tasks: unknown[] = [];
  await postFootpath({
    planning: planningOf(async (task, held) => {
      tasks.push(task, held);
      return new TextEncoder().encode('{}');
    }),
  });
  expect(tasks).toEqual([{ kind: 'footpath', body: { ...QUESTION, profile: 'foot', language: 'de' } }, null]);
});

test('refuses if there is no footpath', async () => {
  const planning = planningOf(() => Promise.reject(new ApiProblem('no_path', 'No street leads there.')));
  expectProblem(await postFootpath({ planning }), 'no_path');
  expectProblem(await postFootpath({ body: { from: QUESTION.from } }), 'invalid_body', '/to');
});
