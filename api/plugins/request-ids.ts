import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID } from '../contract/request-id.ts';

/**
 * Creates request ids for the log and for `X-Request-Id`: unique across processes, and ascending within one.
 * @param isProxied whether the service is behind a proxy of the operator, whose ids are then adopted
 */
export function createRequestIds(isProxied: boolean): (request: IncomingMessage) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (isProxied && typeof given === 'string' && REQUEST_ID.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
