import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiProblem } from '../../../api/contract/problems.ts';
import type { PlanningTask } from '../../../api/planning/planning.ts';
import {
  openPlanningService,
  type PlanningQuestion,
  type PlanningService,
  warmUpPlanning,
} from '../../../api/planning/planning-service.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

function question(isSpent: () => boolean): PlanningQuestion {
  const task: PlanningTask = {
    kind: 'trips',
    body: {
      from: { stopId: 'at:a' },
      to: { stopId: 'at:b' },
      timeMode: 'departure',
      limit: 3,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    },
  };
  return { task, realtime: null, instant: instant('2026-03-03T06:30:00Z'), isSpent };
}

describe('a planning service', () => {
  test('answers in a buffer without other references', async () => {
    const service = openPlanningService(world.timetable, { references: world.references, walks: null });
    const [first, second] = [await service.answer(question(() => false)), await service.answer(question(() => false))];
    expect(first).toEqual(second);
    expect([first.buffer === second.buffer, first.byteLength]).toEqual([false, first.buffer.byteLength]);
    expect(JSON.parse(new TextDecoder().decode(first)).trips).toHaveLength(2);
  });

  test('refuses a query whose time is up, and answers the next one normally', async () => {
    const tools = { references: world.references, walks: null };
    const service = openPlanningService(world.timetable, tools);
    let code: string | null = null;
    // The search checks the clock periodically, and these queries are short.
    for (let requested = 0; requested < 1000 && code === null; requested++) {
      code = await service.answer(question(() => true)).then(
        () => null,
        (error: ApiProblem) => error.code,
      );
    }
    expect(code).toBe('overloaded');
    const after = await service.answer(question(() => false));
    expect(after).toEqual(await openPlanningService(world.timetable, tools).answer(question(() => false)));
  });

  test('without a timetable is only asked for trips by mistake', async () => {
    const service = openPlanningService(null, { references: world.references, walks: null });
    await expect(service.answer(question(() => false))).rejects.toThrow('without a timetable');
  });
});

test('warms up with queries between stops on a morning of the timetable, and tolerates refusals', async () => {
  const requested: string[] = [];
  const service: PlanningService = {
    answer: ({ task }) => {
      const { from, to, time } = task.body as { from: { stopId: string }; to: { stopId: string }; time: string };
      requested.push(`${from.stopId} ${to.stopId} ${time}`);
      return Promise.reject(new Error('no trips there'));
    },
  };
  await warmUpPlanning(service, world.timetable, 0 as Instant);
  const pairs = ['a b', 'a c', 'b a', 'b c', 'c a', 'c b'];
  expect(requested.sort()).toEqual(pairs.map((pair) => `at:${pair.replace(' ', ' at:')} 2026-03-05T08:00:00+01:00`));
});
