import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { type Job, noOptions } from '../../../jobs/job/job.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { writeJsonAtomically } from '../../../pipeline/effects/files.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';

/*
 * The program that `locks.slow.test.ts` stops and kills: a job that publishes a file repeatedly under locks of the
 * database.
 */
const [dataDir, postgresUrl, leaseSeconds] = process.argv.slice(2) as [string, string, string];
const job: Job = {
  name: 'publishing',
  summary: 'Publishes without end.',
  accepts: [],
  listWritten: async () => ['marts'],
  run: async ({ stopping }) => {
    for (let n = 0; ; n++) {
      // A step that checks no signal until it has published.
      for (let i = 0; i < 5; i++) await setTimeout(2);
      await writeJsonAtomically(path.join(dataDir, 'published.json'), { n });
      if (n % 50 === 0) stopping?.throwIfAborted();
    }
  },
};
const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
const operations = { ...config.operations, postgresUrl, leaseSeconds: Number(leaseSeconds) };
const alive = setInterval(() => {}, 1000);
const effects = realEffects({ clock: systemClock, log: silentLog });
try {
  await runJob(job, { config: { ...config, operations }, effects, options: noOptions });
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}: ${(error as Error).message}\n`);
}
clearInterval(alive);
