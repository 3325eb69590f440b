import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { processIo } from '../../../jobs/commands/io.ts';
import { main } from '../../../jobs/commands/main.ts';
import { allJobs } from '../../../jobs/definitions/all-jobs.ts';
import type { Job } from '../../../jobs/job/job.ts';
import { fixedClock, systemClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { terminalLog } from '../../../pipeline/effects/log.ts';
import { sharedJob } from './shared-job.ts';

/*
 * The program with its own clock (TEST_NOW), the job of the tests beside the real ones (TEST_FOLDER), and shards that
 * take at least TEST_MILLISECONDS: `workers.slow.test.ts` stops and kills it.
 */
const { TEST_NOW, TEST_FOLDER, TEST_MILLISECONDS = '0' } = process.env;
const milliseconds = Number(TEST_MILLISECONDS);
const io = processIo();
const clock = TEST_NOW ? fixedClock(TEST_NOW) : systemClock;
const effects = realEffects({ clock, log: terminalLog(io.stderr) });

function slowly(job: Job): Job {
  return {
    ...job,
    run: async (context) => {
      await setTimeout(milliseconds, undefined, context.stopping && { signal: context.stopping });
      return job.run(context);
    },
  };
}

const jobs = TEST_FOLDER
  ? [sharedJob(TEST_FOLDER, { milliseconds })]
  : allJobs().map((job) => (milliseconds > 0 ? slowly(job) : job));
process.exitCode = await main(process.argv.slice(2), io, { effects, jobs });
