import type { Command } from 'commander';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { openConfiguredStore } from '../store/open-store.ts';
import { addCommonOptions, addExamples, type CommandTools, loadCommandConfig } from './command-tools.ts';
import type { StoreOptions } from './store-actions.ts';

const actions = ['status', 'publish', 'fetch'] as const;

export function addStoreCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('store')
    .description('Compare the data folder with the object store, upload to it, or download from it.')
    .argument('<action>', actions.join(', '))
    .option('--raw', 'with fetch: also raw feeds and responses')
    .option('--json', 'print JSON')
    .action(async (action: string, options: StoreOptions) => {
      if (!actions.some((one) => one === action))
        throw new UsageError(`store has ${actions.join(', ')}, not "${action}"`);
      const config = await loadCommandConfig(tools, options, { isWriter: action !== 'status' });
      // Imported on demand: most machines have no object store.
      const { fetchAll, printStatus, publish } = await import('./store-actions.ts');
      const context = await openConfiguredStore(config, tools.effects, tools.io.interrupt);
      try {
        if (action === 'status') await printStatus(context, options, tools);
        else if (action === 'publish') await publish(context, options, tools);
        else await fetchAll(context, options, tools);
      } finally {
        context.store.close();
      }
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber store status', 'what differs between folder and store'],
    ['taktgeber store publish', 'upload, e.g. to a new store or one that lost data'],
    ['taktgeber store fetch --raw', 'download everything'],
  ]);
}
