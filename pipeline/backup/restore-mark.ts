import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError } from '../effects/external-error.ts';
import { findJson, listNames, syncFolder, writeJsonAtomically } from '../effects/files.ts';

/** Name of a file in the data folder while a restore exchanges its content. */
export const RESTORE_MARK = 'restore.json';

/** Prefix of the folders to which `--force` moves the former content. */
export const REPLACED_PREFIX = 'replaced-';

interface RestoreMark {
  /** The backup that is restored. */
  readonly backup: string;
  /** Folder in the data folder that receives the former content. */
  readonly replaced: string;
  /** Names of the former content; whatever else is found after an interruption is a part of the interrupted restore. */
  readonly former: readonly string[];
}

export async function findRestoreMark(dataDir: string): Promise<RestoreMark | null> {
  if (!(await listNames(dataDir)).includes(RESTORE_MARK)) return null;
  const mark = await findJson<Partial<RestoreMark>>(path.join(dataDir, RESTORE_MARK));
  return {
    backup: mark?.backup ?? '',
    replaced: mark?.replaced ?? `${REPLACED_PREFIX}unknown`,
    former: mark?.former ?? [],
  };
}

export async function writeRestoreMark(dataDir: string, mark: RestoreMark): Promise<void> {
  await writeJsonAtomically(path.join(dataDir, RESTORE_MARK), mark);
}

export async function removeRestoreMark(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, RESTORE_MARK), { force: true });
  await syncFolder(dataDir);
}

/** @throws ExternalError `restore_under_way` for a folder whose restore was interrupted: it holds parts of two states */
export async function assertNoRestoreUnderWay(dataDir: string): Promise<void> {
  const mark = await findRestoreMark(dataDir);
  if (mark === null) return;
  throw new ExternalError(
    'restore_under_way',
    `${dataDir} is being restored from backup ${mark.backup}, or that was interrupted: run "taktgeber restore --from …" to its end`,
  );
}
