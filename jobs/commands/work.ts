import type { Command } from 'commander';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { measureJobs } from '../monitoring/measure-service.ts';
import { openMonitoring } from '../monitoring/open-monitoring.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
  parseCount,
} from './command-tools.ts';

interface WorkOptions extends CommonOptions {
  readonly lanes?: number;
}

export function addWorkCommand(program: Command, commandTools: CommandTools): void {
  const command = program
    .command('work')
    .description('Take units of distributed runs from the database of operations.postgresUrl, until stopped.')
    .option('--lanes <n>', 'units at a time, within one memory limit (1)', parseCount)
    .action(async (options: WorkOptions) => {
      const { config, tools } = await loadServiceConfig(commandTools, options);
      if (config.operations.postgresUrl === null) {
        throw new UsageError('a worker needs operations.postgresUrl, the database that it takes its units from');
      }
      // What one lane writes would be published by another in the middle of it.
      if (config.store.url !== null && (options.lanes ?? 1) > 1) {
        throw new UsageError('with store.url, start several workers with data folders of their own instead of --lanes');
      }
      // Imported on demand: the queue is loaded by workers alone.
      const { workShards } = await import('../runner/work-shards.ts');
      const signal = tools.io.interrupt;
      // Before it waits for the database: an orchestrator asks for life from the start.
      const monitoring = await openMonitoring(config, tools.effects, signal);
      try {
        const { effects } = monitoring;
        const jobs = measureJobs(tools.jobs, effects.metrics);
        monitoring.begin();
        await workShards({ config, effects, jobs, lanes: options.lanes ?? 1, signal });
      } finally {
        await monitoring.close();
      }
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber work', 'on each machine that shares the database, and the data folder or the object store'],
    ['taktgeber work --lanes 4', 'four units at a time'],
    ['taktgeber run finalise-stop-events --from 2026-01-01 --to 2026-03-31 --distribute', 'gives them something to do'],
  ]);
}
