import path from 'node:path';
import { findJson, writeJsonAtomically } from '../pipeline/effects/files.ts';

/** The last complete backup of a data folder, as recorded in it. */
interface BackupRecord {
  readonly id: string;
  /** The folder of the backups. */
  readonly store: string;
  /** ISO 8601 UTC. */
  readonly takenAt: string;
}

/** @returns null when none was made, or the record is damaged */
export async function findBackupRecord(dataDir: string): Promise<BackupRecord | null> {
  const record = await findJson<BackupRecord>(recordFile(dataDir));
  return Number.isNaN(Date.parse(record?.takenAt ?? '')) ? null : record;
}

export async function writeBackupRecord(dataDir: string, record: BackupRecord): Promise<void> {
  await writeJsonAtomically(recordFile(dataDir), record);
}

function recordFile(dataDir: string): string {
  return path.join(dataDir, 'state', 'backup.json');
}
