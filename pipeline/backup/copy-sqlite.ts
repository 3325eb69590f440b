import { rm } from 'node:fs/promises';
import { ExternalError } from '../effects/external-error.ts';

/**
 * Copies a consistent state of an SQLite database, also while other processes write to it.
 * @param target is replaced
 * @throws ExternalError `database_not_copied`
 */
export async function copySqlite(file: string, target: string): Promise<void> {
  await rm(target, { force: true });
  try {
    // On demand: few commands copy a database.
    const { default: Database } = await import('libsql');
    const database = new Database(file);
    try {
      database.exec('pragma busy_timeout = 5000');
      database.prepare('vacuum into ?').run(target);
    } finally {
      database.close();
    }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ExternalError('database_not_copied', `${file} cannot be copied: ${message}`, {
      cause,
      isRetryable: true,
    });
  }
}
