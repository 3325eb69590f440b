import type { Command } from 'commander';
import { exitCode } from '../exit-code.ts';
import { noOptions } from '../job.ts';
import { keepRealtimeFresh } from '../keep-polling.ts';
import { runSchedule } from '../schedule.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';

export function addScheduleCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('schedule')
    .description(
      'Run the jobs at their times and poll the realtime sources until stopped; missed runs are made up for.',
    )
    .action(async (options: CommonOptions) => {
      const config = await loadCommandConfig(tools, options);
      const { effects, jobs, parts, io } = tools;
      const signal = io.interrupt;
      effects.log.info('The schedule runs; Ctrl-C stops it within ten seconds, a second Ctrl-C at once.');
      await Promise.all([
        runSchedule({ jobs, config, effects, options: noOptions, signal }),
        keepRealtimeFresh({ config, parts, effects, signal }),
      ]);
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber schedule', 'next to "taktgeber serve", in a process of its own'],
    ['taktgeber jobs', 'shows the times'],
  ]);
}
