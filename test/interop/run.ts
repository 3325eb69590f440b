import process from 'node:process';
import { checkWithPromtool } from './promtool.ts';

/** What other programs read, checked by them. Each check throws an Error that says what is wrong or missing. */
const checks: Readonly<Record<string, () => Promise<string>>> = {
  'metrics and alert rules, by promtool of Prometheus': checkWithPromtool,
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    process.stdout.write(`ok      ${name}: ${await check()}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
