import process from 'node:process';
import { noOptions } from '../../../jobs/job/job.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import { loadConfig } from '../../../pipeline/config/load-config.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { notingJob } from './noting-job.ts';

/* The program that `killed-run.slow.test.ts` kills: a run that never ends, or a backfill. */
const [dataDir, notes, from, to] = process.argv.slice(2) as [string, string, ServiceDate?, ServiceDate?];
const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
const options = { ...noOptions, from: from ?? null, to: to ?? null, concurrency: from ? 2 : 1 };
const alive = setInterval(() => {}, 1000);
await runJob(notingJob(notes), { config, effects: realEffects({ clock: systemClock, log: silentLog }), options });
clearInterval(alive);
