import { createECDH } from 'node:crypto';
import path from 'node:path';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { getSecret } from '../../pipeline/effects/secret-file.ts';

/** The key pair that identifies this service to push services, base64url. @see RFC 8292, section 2 */
export interface VapidKeys {
  /** What apps subscribe with: an uncompressed point of the curve P-256. */
  readonly publicKey: string;
  readonly privateKey: string;
}

const CURVE = 'prime256v1';
const PRIVATE_KEY_BYTES = 32;
const PRIVATE_KEY_CHARACTERS = 43;

/**
 * Returns the keys of pushes: from the configuration, which replicas share, else from the data folder, where the first
 * start creates a key that only this user may read.
 * @param configured private key, or null
 * @throws ExternalError `bad_vapid_key` that names which of the two is invalid
 */
export async function getVapidKeys(configured: string | null, dataDir: string): Promise<VapidKeys> {
  if (configured !== null) return parseKey(configured, 'the configured VAPID key');
  const file = path.join(dataDir, 'secrets', 'vapid-key');
  return parseKey(await getSecret(file, makeKey, 'bad_vapid_key'), file);
}

function makeKey(): string {
  const curve = createECDH(CURVE);
  curve.generateKeys();
  // Node omits leading zeros.
  const hex = curve.getPrivateKey('hex').padStart(2 * PRIVATE_KEY_BYTES, '0');
  return Buffer.from(hex, 'hex').toString('base64url');
}

function parseKey(text: string, where: string): VapidKeys {
  const bytes = Buffer.from(text, 'base64url');
  const curve = createECDH(CURVE);
  try {
    if (bytes.length !== PRIVATE_KEY_BYTES || text.length !== PRIVATE_KEY_CHARACTERS) throw new RangeError('length');
    curve.setPrivateKey(bytes);
  } catch (cause) {
    const expected = `a private key of the curve P-256 in ${PRIVATE_KEY_CHARACTERS} characters of base64url`;
    throw new ExternalError('bad_vapid_key', `${where} is not ${expected}`, { cause });
  }
  return { publicKey: curve.getPublicKey('base64url'), privateKey: text };
}
