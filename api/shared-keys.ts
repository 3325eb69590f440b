import { createHash } from 'node:crypto';
import type { VapidKeys } from './push/vapid-keys.ts';
import type { KeyFingerprints } from './watches/outbox.ts';

/** Hashes of the keys that replicas must share. */
export function fingerprintKeys(vapid: VapidKeys, referenceKey: Uint8Array): KeyFingerprints {
  return {
    'watches.vapidKey': fingerprint(vapid.publicKey),
    referenceKey: fingerprint(referenceKey),
  };
}

/** Safe to publish: the key has 256 random bits or is public, so the hash reveals nothing. */
export function fingerprint(key: string | Uint8Array): string {
  return createHash('sha256').update('taktgeber key ').update(key).digest('base64url');
}
