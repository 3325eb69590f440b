import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';

/**
 * A PostgreSQL for the tests of the file, or of the `describe`, that calls this. If it cannot run, they are skipped
 * with a visible warning.
 * @returns a function that returns the server, within a test
 */
export function usePostgres(): () => TestPostgres {
  let postgres: TestPostgres | string;
  beforeAll(async () => {
    postgres = await startPostgres();
    if (typeof postgres === 'string') {
      process.stderr.write(`\n*** PostgreSQL cannot run here, its tests are SKIPPED: ${postgres} ***\n\n`);
    }
  });
  afterAll(async () => {
    if (typeof postgres === 'object') await postgres.stop();
  });
  beforeEach(({ skip }) => skip(typeof postgres === 'string', `PostgreSQL cannot run here: ${postgres}`));
  return () => postgres as TestPostgres;
}
