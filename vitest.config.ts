import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/setup/longest-first.ts';

/** What every suite needs. Properties ask the same questions in each run, files lie in memory where there is room. */
const shared = {
  globalSetup: ['test/support/setup/memory-folder.ts', 'test/support/setup/compiled-folder.ts'],
  setupFiles: ['test/support/setup/seed-properties.ts', 'test/support/setup/lend-engines.ts'],
};

/** Many times what any of these tests takes: a busy machine must not fail them. */
const PATIENCE_MILLISECONDS = 180_000;
const REAL_PATIENCE_MILLISECONDS = 900_000;

// The fast suite is `unit` and `isolated` (tests that change what is global): `npm test`. The slow one (`*.slow.test.ts`)
// has processes, threads, whole nights, archives and marts, faults, oracles, the simulator and fuzz; the last one the
// real recordings, which lie outside of the repository; `browser` opens the pages in Chromium, where there is one.
// `.ci/run` runs all of them.
export default defineConfig({
  test: {
    // Every core: what is on its own by default leaves one idle, which on two cores doubles the time.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', 'test/**/*.{slow,isolated,browser}.test.ts'],
          // Modules are loaded once for all files of a worker, which saves a third of the time: nothing of the product
          // keeps state in a module.
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
          testTimeout: PATIENCE_MILLISECONDS,
          hookTimeout: PATIENCE_MILLISECONDS,
        },
      },
      {
        test: {
          name: 'browser',
          globalSetup: [...shared.globalSetup, 'test/browser/running-site.ts'],
          setupFiles: shared.setupFiles,
          include: ['test/browser/**/*.browser.test.ts'],
          // One browser at a time: two on two cores draw no sooner.
          fileParallelism: false,
          testTimeout: PATIENCE_MILLISECONDS,
          hookTimeout: PATIENCE_MILLISECONDS,
        },
      },
      {
        test: {
          name: 'real',
          globalSetup: ['test/support/setup/compiled-folder.ts'],
          setupFiles: shared.setupFiles,
          include: ['test/real/**/*.test.ts'],
          // Two files at once: the long ones train models for minutes, and take longer beside one another.
          testTimeout: REAL_PATIENCE_MILLISECONDS,
          hookTimeout: REAL_PATIENCE_MILLISECONDS,
        },
      },
    ],
  },
});
