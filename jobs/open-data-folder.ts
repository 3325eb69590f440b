import { assertNoRestoreUnderWay } from '../pipeline/backup/restore-mark.ts';
import type { Effects } from '../pipeline/effects/effects.ts';
import { ExternalError } from '../pipeline/effects/external-error.ts';
import { makeFolder } from '../pipeline/effects/files.ts';
import { readCodeVersion } from '../pipeline/effects/project-files.ts';
import { retry } from '../pipeline/effects/retry.ts';
import {
  assertReadable,
  blockFormerPrograms,
  findDataFormat,
  type Migration,
  migrations,
  newestFormat,
  writeDataFormat,
} from '../pipeline/lake/data-format.ts';
import type { RetryPolicy } from '../pipeline/model/retry-policy.ts';
import { assertNoFormerLock, withLocks } from './locks/job-lock.ts';
import { assertNoService } from './locks/service-lock.ts';

interface OpenRequest {
  readonly dataDir: string;
  /** Whether the command writes: then a new folder gets its format. */
  readonly isWritten: boolean;
  readonly steps?: readonly Migration[];
}

/** One process at a time migrates. */
const UPGRADE_LOCK = 'upgrade';

/** Workers of one folder start together: the others wait about a minute for the one that migrates. */
const upgradeWaits: RetryPolicy = {
  firstWaitMilliseconds: 100,
  factor: 1.5,
  maxWaitMilliseconds: 1000,
  maxAttempts: 65,
};

/**
 * Checks the format of the data folder, which every command does before it uses the folder: one that a newer program
 * has written is refused, an older one is migrated, a new one is marked.
 * @throws ExternalError `data_too_new`, `data_format_damaged`, `restore_under_way`; `service_running` or `job_running` where
 *   the program before the upgrade still runs; `job_running` also if another process migrates for more than a minute
 */
export async function openDataFolder(
  { dataDir, isWritten, steps = migrations }: OpenRequest,
  effects: Pick<Effects, 'clock' | 'log' | 'sleep'>,
): Promise<void> {
  await assertNoRestoreUnderWay(dataDir);
  const program = await readCodeVersion();
  const newest = newestFormat(steps);
  const format = await findDataFormat(dataDir);
  if (format === null) {
    if (!isWritten) return;
    await makeFolder(dataDir);
    await writeDataFormat(dataDir, newest, program);
    return blockFormerPrograms(dataDir);
  }
  assertReadable(dataDir, format, program, newest);
  if (format === newest) return;
  await assertNoService(dataDir, effects);
  await assertNoFormerLock(dataDir, effects);
  const holder = { job: UPGRADE_LOCK, dataDir, clock: effects.clock };
  await retry(
    upgradeWaits,
    () => withLocks([UPGRADE_LOCK], holder, () => migrate({ dataDir, program, steps }, effects)),
    {
      sleep: effects.sleep,
      isRetryable: (error) => error instanceof ExternalError && error.code === 'job_running',
    },
  );
}

/** The format is written after each step, so that an interrupted upgrade continues at the step it was in. */
async function migrate(
  { dataDir, program, steps }: { dataDir: string; program: string; steps: readonly Migration[] },
  { log }: Pick<Effects, 'log'>,
): Promise<void> {
  // Another process may have migrated while this one waited for the lock.
  const format = (await findDataFormat(dataDir)) ?? 1;
  for (const { to, about, run } of steps.filter((step) => step.to > format)) {
    log.info(`${dataDir}: upgrading the data from format ${to - 1} to ${to}: ${about}`);
    await run(dataDir, (step) => log.progress(`upgrading to format ${to}: ${step}`));
    await writeDataFormat(dataDir, to, program);
  }
  log.info(`${dataDir}: upgraded to format ${newestFormat(steps)}`);
}
