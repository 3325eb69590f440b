import { defineConfig } from 'vitest/config';

// Two suites: the project's own, and the one on real recordings, which lie outside of the repository.
export default defineConfig({
  test: {
    // Every core: what is on its own by default leaves one idle, which on two cores doubles the time.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup: ['test/support/memory-folder.ts'],
          setupFiles: ['test/support/seed-properties.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'real',
          setupFiles: ['test/support/seed-properties.ts'],
          include: ['test/real/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
