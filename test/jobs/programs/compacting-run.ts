import process from 'node:process';
import { allJobs, getJob } from '../../../jobs/definitions/all-jobs.ts';
import { noOptions } from '../../../jobs/job/job.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';

/* The program that `compaction-kill.slow.test.ts` kills: a compaction, from its first to its last step. */
const [job, dataDir, now] = process.argv.slice(2) as [string, string, string];
const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
const effects = realEffects({ clock: fixedClock(now), log: silentLog });
process.stdout.write('begun\n');
const run = await runJob(getJob(allJobs(), job), { config, effects, options: noOptions });
process.stdout.write(`${run.summary}\n`);
process.exit(run.status === 'failed' ? 1 : 0);
