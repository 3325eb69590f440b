import { createDecipheriv, createPublicKey, type ECDH, hkdfSync, verify } from 'node:crypto';

/**
 * The receiving end of a push, written from the standards with Node's cryptography, independently of the tested code.
 */

const KEY_BYTES = 65;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Limit of the body that a push service must accept. @see RFC 8030, section 7.2 */
const MAX_BODY_BYTES = 4096;
const MAX_TOKEN_SECONDS = 86_400;

/** The secrets of a subscription, which only the browser has. */
export interface SubscriptionSecrets {
  /** On the curve P-256, with its keys. */
  readonly curve: ECDH;
  readonly auth: Buffer;
}

/**
 * Decrypts the body of a push: one record of `aes128gcm`.
 * @throws Error naming the fault
 * @see RFC 8188, section 2; RFC 8291, section 3.4
 */
export function decryptPush(body: Buffer, { curve, auth }: SubscriptionSecrets): string {
  if (body.length > MAX_BODY_BYTES) throw new Error(`a body of ${body.length} bytes`);
  const salt = body.subarray(0, SALT_BYTES);
  const recordBytes = body.readUInt32BE(SALT_BYTES);
  const idBytes = body[SALT_BYTES + 4];
  if (idBytes !== KEY_BYTES) throw new Error(`a key id of ${idBytes} bytes`);
  const senderKey = body.subarray(SALT_BYTES + 5, SALT_BYTES + 5 + KEY_BYTES);
  const record = body.subarray(SALT_BYTES + 5 + KEY_BYTES);
  if (record.length > recordBytes) throw new Error('more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), senderKey]);
  const secret = derive(curve.computeSecret(senderKey), auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
  return removePadding(padded).toString('utf8');
}

function derive(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}

/** The last record ends with a 2, then zeros. */
function removePadding(padded: Buffer): Buffer {
  let end = padded.length - 1;
  while (padded[end] === 0) end--;
  if (padded[end] !== 2) throw new Error('no delimiter of a last record');
  return padded.subarray(0, end);
}

/** Claims of a sender. */
interface VapidClaims {
  readonly contact: string;
  /** Public key, base64url. */
  readonly key: string;
}

/**
 * Verifies the sender of a push.
 * @param header `Authorization`
 * @param audience origin of the push service
 * @throws Error naming the fault
 * @see RFC 8292, sections 2 and 3
 */
export function verifyVapid(header: string, audience: string, nowSeconds: number): VapidClaims {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  if (!token || !key) throw new Error('no vapid credentials');
  const [head = '', body = '', signature = ''] = token.split('.');
  if (parse(head).alg !== 'ES256') throw new Error('another algorithm than ES256');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== KEY_BYTES || point[0] !== 4) throw new Error('the key is not an uncompressed point');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(point, 1), y: coordinate(point, 33) };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${head}.${body}`);
  const isGenuine = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isGenuine) throw new Error('a signature that is not of the key');
  const { aud, exp, sub } = parse(body);
  if (aud !== audience) throw new Error(`a token for ${aud}`);
  if (typeof exp !== 'number' || exp <= nowSeconds) throw new Error('a token that has ended');
  if (exp > nowSeconds + MAX_TOKEN_SECONDS) throw new Error('a token for more than a day');
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub)) throw new Error('no contact');
  return { contact: sub, key };
}

function coordinate(point: Buffer, start: number): string {
  return point.subarray(start, start + 32).toString('base64url');
}

function parse(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}
