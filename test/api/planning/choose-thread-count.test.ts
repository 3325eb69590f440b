import { expect, test } from 'vitest';
import { choosePlannerThreadCount } from '../../../api/planning/choose-thread-count.ts';

const GIGABYTE = 1e9;

test.each([
  { cores: 1, memory: 8 * GIGABYTE, threads: 1 },
  { cores: 2, memory: GIGABYTE, threads: 1 },
  { cores: 2, memory: 2 * GIGABYTE, threads: 2 },
  { cores: 3, memory: 2 * GIGABYTE, threads: 2 },
  { cores: 8, memory: GIGABYTE, threads: 7 },
])('starts $threads threads on $cores cores with $memory bytes', ({ cores, memory, threads }) => {
  expect(choosePlannerThreadCount(cores, memory)).toBe(threads);
});
