import { expect, it } from 'vitest';
import { createThreadMemory } from '../../../pipeline/effects/thread-memory.ts';

it('adds up the memory of living threads by kind, including threads that they start', () => {
  const memory = createThreadMemory();
  memory.report('1', 'planner-thread', { heapUsed: 10, external: 1 });
  memory.report('2', 'planner-thread', { heapUsed: 20, external: 2 });
  memory.report('2', 'planner-thread', { heapUsed: 30, external: 3 });
  memory.report('3', 'poll-here', { heapUsed: 5, external: 5 });
  memory.report('3/4', 'serve-predictions', { heapUsed: 7, external: 7 });
  memory.report('33', 'learn-source', { heapUsed: 9, external: 9 });
  expect(memory.list()).toEqual([
    { thread: 'planner-thread', count: 2, memory: { heapUsed: 40, external: 4 } },
    { thread: 'poll-here', count: 1, memory: { heapUsed: 5, external: 5 } },
    { thread: 'serve-predictions', count: 1, memory: { heapUsed: 7, external: 7 } },
    { thread: 'learn-source', count: 1, memory: { heapUsed: 9, external: 9 } },
  ]);
  memory.report('3', 'poll-here', null);
  memory.report('1', 'planner-thread', null);
  expect(memory.list().map(({ thread, count }) => `${count} ${thread}`)).toEqual([
    '1 planner-thread',
    '1 learn-source',
  ]);
});
