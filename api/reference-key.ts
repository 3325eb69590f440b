import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { ExternalError } from '../pipeline/effects/external-error.ts';
import { getSecret } from '../pipeline/effects/secret-file.ts';
import { REFERENCE_KEY_BYTES } from './engine/read/references.ts';

/**
 * Returns the key of journey references: from the configuration, which replicas share, else from the data folder, where
 * the first start creates one that only this user may read.
 * @param configured 64 hexadecimal characters, or null
 * @throws ExternalError `bad_reference_key`, naming the invalid setting or file
 */
export async function getReferenceKey(configured: string | null, dataDir: string): Promise<Uint8Array> {
  if (configured !== null) return parseKey(configured, 'the configured reference key');
  const file = path.join(dataDir, 'secrets', 'reference-key');
  return parseKey(await getSecret(file, makeKey, 'bad_reference_key'), file);
}

function makeKey(): string {
  return randomBytes(REFERENCE_KEY_BYTES).toString('hex');
}

function parseKey(text: string, where: string): Uint8Array {
  const key = Buffer.from(text, 'hex');
  // Buffer stops reading at the first character that is not hexadecimal.
  if (key.length !== REFERENCE_KEY_BYTES || text.length !== 2 * REFERENCE_KEY_BYTES) {
    throw new ExternalError('bad_reference_key', `${where} is not ${2 * REFERENCE_KEY_BYTES} hexadecimal characters`);
  }
  return key;
}
