import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Job } from '../../../jobs/job/job.ts';
import { divideIntoDays } from '../../../jobs/runner/backfill-units.ts';

/** A job by date that logs each completed day; without a range it never ends. */
export function notingJob(notes: string): Job {
  return {
    name: 'noting',
    summary: 'Notes its days.',
    accepts: ['from', 'to'],
    schedule: () => '15 2 * * *',
    listWritten: async () => ['stop-events/a', 'marts'],
    division: { noun: 'days', plan: async ({ options }) => ({ units: divideIntoDays(options) }) },
    run: async ({ options, stopping }) => {
      if (options.from === null) appendFileSync(notes, 'started\n');
      await setTimeout(options.from === null ? 3_600_000 : 30, undefined, stopping && { signal: stopping });
      appendFileSync(notes, `${options.from}\n`);
      return { status: 'done', summary: `noted ${options.from}` };
    },
  };
}
