import type { Command } from 'commander';
import { exitCode } from '../job/exit-code.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';
import { printLine } from './io.ts';

export function addPushKeyCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('push-key')
    .description('Print the public web push key of this service, creating the key pair if there is none.')
    .action(async (options: CommonOptions) => {
      const config = await loadCommandConfig(tools, options, { isWriter: true });
      // Imported on demand, as it loads the whole service.
      const { readPushKey } = await import('../../api/start-api.ts');
      printLine(tools.io, await readPushKey(config));
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [['taktgeber push-key', 'the `applicationServerKey` for apps']]);
}
