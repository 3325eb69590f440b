import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { keepAlerting } from '../alerts/keep-alerting.ts';
import { exitCode } from '../job/exit-code.ts';
import { noOptions } from '../job/job.ts';
import { asOnlyService, type WhenOwned } from '../locks/service-lock.ts';
import { findUnsharedLocks } from '../locks/unshared-locks.ts';
import { monitorJobs } from '../monitoring/monitor-jobs.ts';
import { openMonitoring } from '../monitoring/open-monitoring.ts';
import { keepRealtimeFresh } from '../polling/keep-polling.ts';
import { rebuildOutdated } from '../schedule/rebuild-outdated.ts';
import { runSchedule } from '../schedule/schedule.ts';
import { sweepLeftovers } from '../schedule/sweep-leftovers.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
} from './command-tools.ts';

export function addScheduleCommand(program: Command, commandTools: CommandTools): void {
  const command = program
    .command('schedule')
    .description('Run the jobs on schedule and poll the realtime sources until stopped; missed runs are caught up.')
    .action(async (options: CommonOptions) => {
      const { config, tools } = await loadServiceConfig(commandTools, options);
      await asOnlyService(config.dataDir, tools.effects, (whenOwned) => keepRunning(config, tools, whenOwned));
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber schedule', 'next to "taktgeber serve", in a separate process'],
    ['taktgeber jobs', 'show the schedule'],
  ]);
}

async function keepRunning(config: Config, tools: CommandTools, whenOwned: WhenOwned): Promise<void> {
  const { services, io } = tools;
  const signal = io.interrupt;
  const monitoring = await openMonitoring(config, tools.effects, signal);
  const watched = { jobs: tools.jobs, config, isScheduling: true };
  const { effects, jobs } = monitorJobs(watched, monitoring);
  try {
    effects.log.info('The schedule is running. Ctrl-C stops it within ten seconds, a second Ctrl-C immediately.');
    const unshared = findUnsharedLocks(config);
    if (unshared !== null) effects.log.warn(`${unshared.sentence}: ${unshared.remedy}`);
    monitoring.begin();
    const work = async () => {
      if (!(await whenOwned(signal))) return;
      await sweepLeftovers(config, effects);
      await rebuildOutdated({ jobs, config, effects, options: noOptions, signal });
      await Promise.all([
        runSchedule({ jobs, config, effects, options: noOptions, signal }),
        keepRealtimeFresh({ config, functions: services, effects, signal }),
      ]);
    };
    await Promise.all([work(), keepAlerting({ ...watched, effects, signal })]);
  } finally {
    await monitoring.close();
  }
}
