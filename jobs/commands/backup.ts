import path from 'node:path';
import type { Command } from 'commander';
import { listBackups, readBackup } from '../../pipeline/backup/backup-store.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { exitCode } from '../job/exit-code.ts';
import { renderTable } from '../job/text-table.ts';
import { writeBackupRecord } from '../last-backup.ts';
import { withLocks } from '../locks/job-lock.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
  parseCount,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

interface BackupOptions extends CommonOptions {
  readonly to: string;
  readonly keep?: number;
  readonly list?: boolean;
  readonly verify?: boolean;
  readonly json?: boolean;
}

/** Lock of a backup folder. */
const BACKUP_LOCK = 'backup';

export function addBackupCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('backup')
    .description('Back up the data folder, also while it is in use. Each distinct content is stored once.')
    .requiredOption('--to <folder>', 'folder of the backups; contains secrets, so only its owner can read it')
    .option('--keep <number>', 'afterwards remove all but the newest <number>', parseCount)
    .option('--list', 'list the backups instead')
    .option('--verify', 'verify every file of every backup by its hash instead')
    .option('--json', 'print JSON')
    .action(async (options: BackupOptions) => {
      if (options.list && options.verify) throw new UsageError('--list and --verify exclude each other');
      const store = path.resolve(tools.io.cwd, options.to);
      const config = await loadCommandConfig(tools, options);
      if (options.list) tools.finish(await list(store, options, tools));
      else if (options.verify) tools.finish(await verify(store, options, tools));
      else tools.finish(await backUp(store, config, options, tools));
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber backup --to /mnt/backups/taktgeber --keep 14', 'daily, for two weeks'],
    ['taktgeber backup --to /mnt/backups/taktgeber --list', 'list the backups'],
    ['taktgeber restore --from /mnt/backups/taktgeber', 'restore the newest'],
  ]);
}

async function backUp(store: string, config: Config, options: BackupOptions, tools: CommandTools): Promise<number> {
  const { effects, io } = tools;
  // Loaded on demand: it brings the engine of SQLite.
  const { makeBackup, toDataPath } = await import('../../pipeline/backup/make-backup.ts');
  const { dropOldBackups } = await import('../../pipeline/backup/backup-store.ts');
  const { dataDir, watches } = config;
  if (toDataPath(dataDir, store) !== null || store === dataDir) {
    throw new UsageError(
      `--to is ${store}, which is inside the data folder. Choose another disk, or at least another folder`,
    );
  }
  const started = effects.clock.nowMilliseconds();
  const file = path.resolve(dataDir, watches.file);
  const isHeld = watches.postgresUrl === null && toDataPath(dataDir, file) !== null;
  if (watches.postgresUrl !== null) {
    effects.log.warn('this backup does not contain the watches, which are in PostgreSQL. Back it up with pg_dump');
  } else if (!isHeld) effects.log.warn(`${file} is outside the data folder and not in this backup`);
  if (config.operations.postgresUrl !== null) {
    effects.log.warn('this backup does not contain the job runs, which are in PostgreSQL. Back it up with pg_dump');
  }
  await withLocks([BACKUP_LOCK], { job: BACKUP_LOCK, dataDir: store, clock: effects.clock }, async () => {
    const request = { dataDir, store, watchesFile: isHeld ? file : null, signal: io.interrupt };
    const outcome = await makeBackup(request, effects);
    await writeBackupRecord(dataDir, { id: outcome.id, store, takenAt: new Date(started).toISOString() });
    const dropped = options.keep === undefined ? null : await dropOldBackups(store, options.keep);
    const seconds = Math.round(effects.clock.nowMilliseconds() - started) / 1000;
    if (options.json) printJson(io, { ...outcome, dropped, seconds });
    else {
      const { id, files, bytes, newObjects, newBytes } = outcome;
      printLine(
        io,
        `backup ${id}: ${count(files)} files, ${megabytes(bytes)}; new are ${count(newObjects)} contents, ${megabytes(newBytes)} (${seconds} s)`,
      );
      if (dropped !== null && dropped.backups > 0) {
        printLine(io, `removed ${count(dropped.backups)} backups and ${count(dropped.objects)} contents`);
      }
    }
  });
  return exitCode.done;
}

async function list(store: string, { json }: BackupOptions, { io }: CommandTools): Promise<number> {
  const backups = await Promise.all((await listBackups(store)).map((id) => readBackup(store, id)));
  const listings = backups.map(({ id, takenAt, writtenBy, dataFormat, files }) => ({
    id,
    takenAt,
    writtenBy,
    dataFormat,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  }));
  if (json) printJson(io, { backups: listings });
  else if (listings.length === 0) printLine(io, `There is no backup in ${store}.`);
  else {
    const columns = [
      ...['BACKUP', 'PROGRAM'].map((title) => ({ title })),
      ...['FORMAT', 'FILES', 'SIZE'].map((title) => ({ title, align: 'end' as const })),
    ];
    const rows = listings.map((one) => [
      one.id,
      one.writtenBy,
      String(one.dataFormat),
      count(one.files),
      megabytes(one.bytes),
    ]);
    for (const line of renderTable(columns, rows)) printLine(io, line);
  }
  return exitCode.done;
}

async function verify(store: string, { json }: BackupOptions, { io, effects }: CommandTools): Promise<number> {
  const { verifyBackups } = await import('../../pipeline/backup/restore-backup.ts');
  const backups = await Promise.all((await listBackups(store)).map((id) => readBackup(store, id)));
  const problems = await verifyBackups(store, backups, effects, io.interrupt);
  if (json) printJson(io, { backups: backups.length, problems });
  else if (problems.length === 0) printLine(io, `${count(backups.length)} backups are complete and unchanged`);
  for (const problem of json ? [] : problems) io.stderr.write(`error: ${problem}\n`);
  return problems.length > 0 ? exitCode.failed : exitCode.done;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}
