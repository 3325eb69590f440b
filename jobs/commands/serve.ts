import type { Command } from 'commander';
import { exitCode } from '../job/exit-code.ts';

import { openMonitoring } from '../monitoring/open-monitoring.ts';
import {
  addCommonOptions,
  addExamples,
  addListenOptions,
  type CommandTools,
  type CommonOptions,
  loadServiceConfig,
} from './command-tools.ts';
import { followStore } from './follow-store.ts';
import { printJson, printLine, untilInterrupted } from './io.ts';

export function addServeCommand(program: Command, commandTools: CommandTools): void {
  const command = program
    .command('serve')
    .description('Serve the API from the published snapshots, switching to newer ones as they appear.')
    .option('--json', 'print the address as JSON')
    .action(async (options: CommonOptions & { json?: boolean }) => {
      const { config, tools } = await loadServiceConfig(commandTools, options);
      const monitoring = await openMonitoring(config, tools.effects, tools.io.interrupt);
      const following = await followStore(config, monitoring.effects);
      try {
        await following.untilServable(tools.io.interrupt);
        const api = await tools.services.startApi(config, monitoring.effects, config.realtime);
        monitoring.begin(api.findTrouble);
        if (options.json) printJson(tools.io, { url: api.url });
        else printLine(tools.io, `Serving on ${api.url}; Ctrl-C stops it.`);
        await untilInterrupted(tools.io.interrupt);
        await api.close();
      } catch (error) {
        // Interrupted before it served.
        if (!tools.io.interrupt.aborted || error !== tools.io.interrupt.reason) throw error;
      } finally {
        await following.close();
        await monitoring.close();
      }
      tools.finish(exitCode.done);
    });
  addExamples(addListenOptions(addCommonOptions(command)), [
    ['taktgeber serve --port 9000', 'on another port'],
    ['taktgeber serve --host 0.0.0.0', 'open to other machines'],
  ]);
}
