import { appendFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Job, JobContext, JobOutcome } from '../../../jobs/job/job.ts';
import { divideIntoDays } from '../../../jobs/runner/backfill-units.ts';
import { writeJsonAtomically } from '../../../pipeline/effects/files.ts';

/**
 * A job by date that logs the start of a day, works for a while, publishes the day's file and logs that.
 * @param fail called with each day before it is published; its result ends the day
 */
export function sharedJob(
  folder: string,
  { milliseconds = 50, fail = (_day: string): JobOutcome | null => null, noteEnd = () => {} } = {},
): Job {
  const note = (line: string) => appendFileSync(path.join(folder, 'notes'), `${line} ${process.pid}\n`);
  const run = async ({ options, stopping }: JobContext): Promise<JobOutcome> => {
    const day = options.from!;
    note(`began ${day}`);
    await setTimeout(milliseconds, undefined, stopping && { signal: stopping });
    const failed = fail(day);
    if (failed) return failed;
    await writeJsonAtomically(path.join(folder, 'days', `${day}.json`), { day });
    note(`made ${day}`);
    return { status: 'done', summary: `made ${day}`, counts: { rowsOut: 1 } };
  };
  const plan = async ({ options }: JobContext) => ({
    units: divideIntoDays(options),
    end: async () => {
      noteEnd();
      return { status: 'done' as const, summary: 'all published' };
    },
  });
  return {
    name: 'sharing',
    summary: 'Makes days.',
    accepts: ['from', 'to'],
    listWritten: async () => ['stop-events/a'],
    division: { noun: 'days', plan, shards: { noun: 'days', plan } },
    run,
  };
}
