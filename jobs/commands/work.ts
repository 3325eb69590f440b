import type { Command } from 'commander';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { measureJobs } from '../monitoring/measure-service.ts';
import { openMonitoring } from '../monitoring/open-monitoring.ts';
import {
  addCommonOptions,
  addConcurrencyOption,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
  readConcurrency,
} from './command-tools.ts';

interface WorkOptions extends CommonOptions {
  readonly concurrency?: number;
  /** Former name of `concurrency`. */
  readonly lanes?: number;
}

export function addWorkCommand(program: Command, commandTools: CommandTools): void {
  const command = program
    .command('work')
    .description('Process shards of distributed runs from the queue in operations.postgresUrl, until stopped.')
    .action(async (options: WorkOptions) => {
      const { config, tools } = await loadServiceConfig(commandTools, options);
      const concurrency = readConcurrency(options, tools) ?? 1;
      if (config.operations.postgresUrl === null) {
        throw new UsageError('a worker needs operations.postgresUrl, the database with its queue');
      }
      // A shard would publish the unfinished output of another in the same folder.
      if (config.store.url !== null && concurrency > 1) {
        throw new UsageError(
          'with store.url, start several workers with separate data folders instead of --concurrency',
        );
      }
      // Imported on demand: the queue is loaded by workers alone.
      const { workShards } = await import('../runner/work-shards.ts');
      const signal = tools.io.interrupt;
      // Before it waits for the database: an orchestrator probes /live from the start.
      const monitoring = await openMonitoring(config, tools.effects, signal);
      try {
        const { effects } = monitoring;
        const jobs = measureJobs(tools.jobs, effects.metrics);
        monitoring.begin();
        await workShards({ config, effects, jobs, concurrency, signal });
      } finally {
        await monitoring.close();
      }
      tools.finish(exitCode.done);
    });
  addConcurrencyOption(command, 'shards at a time, within one memory limit (default: 1)', '--lanes');
  addExamples(addCommonOptions(command), [
    ['taktgeber work', 'on each machine that shares the database, and the data folder or the object store'],
    ['taktgeber work --concurrency 4', 'four shards at a time'],
    [
      'taktgeber run finalise-stop-events --from 2026-01-01 --to 2026-03-31 --distribute',
      'queues shards for the workers',
    ],
  ]);
}
