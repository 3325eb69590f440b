import path from 'node:path';
import type { Command } from 'commander';
import { listBackups, readBackup, type StoredBackup } from '../../pipeline/backup/backup-store.ts';
import { restoreBackup } from '../../pipeline/backup/restore-backup.ts';
import { readCodeVersion } from '../../pipeline/effects/project-files.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { assertNoService } from '../locks/service-lock.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  readCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface RestoreOptions extends CommonOptions {
  readonly from: string;
  readonly backup?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function addRestoreCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('restore')
    .description('Restore a backup into an empty data folder; every file is verified before anything is replaced.')
    .requiredOption('--from <folder>', 'folder of the backups')
    .option('--backup <id>', 'id of the backup; default: the newest')
    .option('--force', 'restore into a folder that has data, which is moved to replaced-<time> inside it')
    .option('--json', 'print JSON')
    .action(async (options: RestoreOptions) => {
      tools.finish(await restore(options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber restore --from /mnt/backups/taktgeber', 'the newest backup'],
    ['taktgeber restore --from /mnt/backups/taktgeber --data /tmp/drill', 'a drill, next to the running service'],
  ]);
}

async function restore(options: RestoreOptions, tools: CommandTools): Promise<number> {
  const { effects, io } = tools;
  const store = path.resolve(io.cwd, options.from);
  const { dataDir } = await readCommandConfig(tools, options);
  const backup = await chooseBackup(store, options.backup);
  await assertNoService(dataDir, effects);
  const started = effects.clock.nowMilliseconds();
  const request = {
    store,
    backup,
    dataDir,
    isForced: options.force === true,
    program: await readCodeVersion(),
    signal: io.interrupt,
  };
  const outcome = await restoreBackup(request, effects);
  const seconds = Math.round(effects.clock.nowMilliseconds() - started) / 1000;
  if (options.json) printJson(io, { id: backup.id, dataDir, ...outcome, seconds });
  else {
    const files = outcome.files.toLocaleString('en');
    printLine(io, `restored ${files} files of backup ${backup.id} to ${dataDir}, all verified (${seconds} s)`);
    if (outcome.replaced !== null) {
      printLine(io, `the previous content is in ${outcome.replaced}; delete it when you no longer need it`);
    }
  }
  return exitCode.done;
}

/** @throws UsageError that lists the backups */
async function chooseBackup(store: string, id: string | undefined): Promise<StoredBackup> {
  const ids = await listBackups(store);
  if (ids.length === 0) throw new UsageError(`there is no backup in ${store}`);
  if (id !== undefined && !ids.includes(id)) {
    throw new UsageError(`there is no backup "${id}" in ${store}; there are ${ids.join(', ')}`);
  }
  return readBackup(store, id ?? ids.at(-1)!);
}
