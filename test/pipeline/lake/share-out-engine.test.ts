import { expect, it } from 'vitest';
import { shareOutEngine } from '../../../pipeline/lake/share-out-engine.ts';

it.each([
  ['1500MB', 4, 1, '1500MB', 4],
  ['1500MB', 4, 2, '750MB', 2],
  ['2GB', 2, 3, '0.666GB', 1],
])('gives %s and %i threads to %i engines', (memoryLimit, threads, engines, share, sharedThreads) => {
  expect(shareOutEngine({ memoryLimit, threads }, engines)).toEqual({ memoryLimit: share, threads: sharedThreads });
});
