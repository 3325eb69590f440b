import { randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomically } from '../pipeline/effects/files.ts';
import { isOfTheSystem, isSystemError, WorldError } from '../pipeline/effects/world-error.ts';
import { REFERENCE_KEY_BYTES } from './engine/read/references.ts';

/**
 * Returns the key of journey references: from the configuration, which replicas share, else from the data folder, where
 * the first start creates one that only this user may read.
 * @param configured 64 hexadecimal characters, or null
 * @throws WorldError `bad_reference_key` that names which of the two is invalid
 */
export async function getReferenceKey(configured: string | null, dataDir: string): Promise<Uint8Array> {
  if (configured !== null) return parseKey(configured, 'the configured reference key');
  const file = path.join(dataDir, 'secrets', 'reference-key');
  const known = await findKey(file);
  if (known) return known;
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFileAtomically(aside, `${randomBytes(REFERENCE_KEY_BYTES).toString('hex')}\n`, 0o600);
  try {
    // Unlike a rename, a link fails where another process was faster: then its key is used.
    await link(aside, file);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return (await findKey(file))!;
}

async function findKey(file: string): Promise<Uint8Array | null> {
  try {
    return parseKey((await readFile(file, 'utf8')).trim(), file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    if (!isOfTheSystem(error)) throw error;
    throw new WorldError('bad_reference_key', `${file} cannot be read: ${error.message}`, { cause: error });
  }
}

function parseKey(text: string, where: string): Uint8Array {
  const key = Buffer.from(text, 'hex');
  // Buffer stops reading at the first character that is not hexadecimal.
  if (key.length !== REFERENCE_KEY_BYTES || text.length !== 2 * REFERENCE_KEY_BYTES) {
    throw new WorldError('bad_reference_key', `${where} is not ${2 * REFERENCE_KEY_BYTES} hexadecimal characters`);
  }
  return key;
}
