import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/setup/longest-first.ts';

/** Setup of every suite. Property tests use the same cases in each run; files are in memory if there is enough. */
const shared = {
  globalSetup: ['test/support/setup/memory-folder.ts', 'test/support/setup/compiled-folder.ts'],
  setupFiles: ['test/support/setup/seed-properties.ts', 'test/support/setup/lend-engines.ts'],
};

/** Many times the duration of any of these tests: a busy machine must not fail them. */
const PATIENCE_MILLISECONDS = 180_000;
const REAL_PATIENCE_MILLISECONDS = 900_000;

/** Limits of both slow projects. */
const slow = {
  // More than there are cores: a quarter of the time of these files is spent waiting for leases, retries and processes.
  // Its own group, because other projects have a different number.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  sequence: { groupOrder: 1 },
  testTimeout: PATIENCE_MILLISECONDS,
  hookTimeout: PATIENCE_MILLISECONDS,
};

// The fast suite is `unit` and `isolated` (tests that change global state): `npm test`. The slow suite
// (`*.slow.test.ts`, likewise `slow` and `slow-isolated`) has processes, threads, whole nights, archives and marts,
// faults, oracles, the simulator and fuzzing; `real` reads recordings outside of the repository; `browser` opens the
// pages in Chromium, if it is installed. `.ci/run` runs all of them.
export default defineConfig({
  test: {
    // All cores: by default one is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
    // The suites of one checkout load nearly the same modules: each is compiled once, until it changes.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/**/*.{slow,isolated,browser}.test.ts'],
          // Modules are loaded once for all files of a worker, which saves a third of the time: the product has no
          // module state.
          isolate: false,
          testTimeout: PATIENCE_MILLISECONDS,
          hookTimeout: PATIENCE_MILLISECONDS,
        },
      },
      {
        test: {
          ...shared,
          name: 'isolated',
          include: ['test/**/*.isolated.test.ts'],
          testTimeout: PATIENCE_MILLISECONDS,
          hookTimeout: PATIENCE_MILLISECONDS,
        },
      },
      {
        test: {
          ...shared,
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          exclude: ['test/**/*.isolated.slow.test.ts'],
          // As in `unit`: loading the modules takes two seconds of processor time for each of these files.
          isolate: false,
          ...slow,
        },
      },
      {
        test: {
          ...shared,
          name: 'slow-isolated',
          include: ['test/**/*.isolated.slow.test.ts'],
          ...slow,
        },
      },
      {
        test: {
          name: 'browser',
          globalSetup: [...shared.globalSetup, 'test/browser/running-site.ts'],
          setupFiles: shared.setupFiles,
          include: ['test/browser/**/*.browser.test.ts'],
          // One browser at a time: two on two cores are not faster.
          fileParallelism: false,
          isolate: false,
          testTimeout: PATIENCE_MILLISECONDS,
          hookTimeout: PATIENCE_MILLISECONDS,
        },
      },
      {
        test: {
          name: 'real',
          globalSetup: ['test/support/setup/disk-folder.ts', 'test/support/setup/compiled-folder.ts'],
          setupFiles: shared.setupFiles,
          include: ['test/real/**/*.test.ts'],
          isolate: false,
          // Two files at once: the long ones train models for minutes, and slow one another down.
          testTimeout: REAL_PATIENCE_MILLISECONDS,
          hookTimeout: REAL_PATIENCE_MILLISECONDS,
        },
      },
    ],
  },
});
