import { randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isOfTheSystem, isSystemError } from './external-error.ts';
import { makeClosedFolder, writeFileAtomically } from './files.ts';

/**
 * Returns the text of a secret; the first caller makes its file and folder, which only this user may read.
 * @param make text of a new secret, in one line
 * @param code of the error
 * @returns the same text for all that call at the same time, in this and other processes
 * @throws ExternalError of this code for a file that cannot be read; the system error where it cannot be written
 */
export async function getSecret(file: string, make: () => string, code: string): Promise<string> {
  const known = await findSecret(file, code);
  if (known !== null) return known;
  await makeClosedFolder(path.dirname(file));
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFileAtomically(aside, `${make()}\n`, 0o600);
  try {
    // Unlike a rename, a link fails where another process was faster: then its secret is used.
    await link(aside, file);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return (await findSecret(file, code))!;
}

async function findSecret(file: string, code: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    if (!isOfTheSystem(error)) throw error;
    throw new ExternalError(code, `${file} cannot be read: ${error.message}`, { cause: error });
  }
}
