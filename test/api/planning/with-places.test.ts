import { expect, test } from 'vitest';
import type { Planning, PlanningTask } from '../../../api/planning/planning.ts';
import { withPlaces } from '../../../api/planning/with-places.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';

test('passes on how to learn that the client has disconnected', async () => {
  const passed: unknown[] = [];
  const answer: Planning['answer'] = async (...given) => {
    passed.push(...given);
    return new Uint8Array();
  };
  const planning = withPlaces({ answer } as Planning, { current: () => null });
  const task: PlanningTask = { kind: 'rescue', body: { legs: [], limit: 4 } };
  const whenGone = () => {};
  await planning.answer(task, null, 0 as Instant, whenGone);
  expect(passed).toEqual([task, null, 0, whenGone]);
});
