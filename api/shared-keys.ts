import { createHash } from 'node:crypto';
import type { VapidKeys } from './push/vapid-keys.ts';
import type { KeyFingerprints } from './watches/outbox.ts';

/** Hashes of the keys that replicas have in common. */
export function fingerprintKeys(vapid: VapidKeys, referenceKey: Uint8Array): KeyFingerprints {
  return {
    'watches.vapidKey': fingerprint(vapid.publicKey),
    referenceKey: fingerprint(referenceKey),
  };
}

/** The key has 256 random bits, or is public, so that nothing can be found from the hash. */
export function fingerprint(key: string | Uint8Array): string {
  return createHash('sha256').update('taktgeber key ').update(key).digest('base64url');
}
