import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** @param origin of a push service @returns the `Authorization` header of requests to it */
export type SignRequest = (origin: string) => Promise<string>;

/** A push service may refuse a token that is valid for more than a day. @see RFC 8292, section 2 */
const TOKEN_SECONDS = 12 * 3600;
const RENEWED_AFTER_SECONDS = 6 * 3600;
/** Hosts on the list may represent any number of names. */
const MAX_TOKENS = 1000;

/**
 * Signs requests to push services, with tokens that are reused for some hours.
 * @param contact `mailto:` or `https:` address of the operator
 */
export function createSigner({ publicKey, privateKey }: VapidKeys, contact: string): SignRequest {
  const tokens = new Map<string, { readonly authorization: string; readonly madeAt: number }>();
  return async (origin) => {
    // On demand: most starts push nothing, and it loads sixty files.
    const { default: webPush } = await import('web-push');
    // Push services use real time, even if the clock of this service is simulated.
    const now = nowInstant(systemClock);
    const known = tokens.get(origin);
    if (known && now >= known.madeAt && now < known.madeAt + RENEWED_AFTER_SECONDS) return known.authorization;
    const end = now + TOKEN_SECONDS;
    const made = webPush.getVapidHeaders(origin, contact, publicKey, privateKey, 'aes128gcm', end);
    if (tokens.size >= MAX_TOKENS) tokens.clear();
    tokens.set(origin, { authorization: made.Authorization, madeAt: now });
    return made.Authorization;
  };
}
