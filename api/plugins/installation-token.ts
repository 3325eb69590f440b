import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const HEADER = 'x-installation-token';
const TOKEN = /^[A-Za-z0-9._-]{8,128}$/;

/** The token that an app sends of itself; null when there is none, or one that is malformed. Never log it. */
export function findInstallationToken(headers: IncomingHttpHeaders): string | null {
  const token = headers[HEADER];
  return typeof token === 'string' && TOKEN.test(token) ? token : null;
}

/**
 * Makes the names under which installations appear in the log. The key lives as long as the process: lines of one
 * run can be told apart by installation, and nobody can find a token by trying, or follow it over restarts.
 */
export function createTokenHasher(): (token: string) => string {
  const key = randomBytes(32);
  return (token) => createHmac('sha256', key).update(token).digest('hex').slice(0, 16);
}
