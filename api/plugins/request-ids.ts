import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID } from '../contract/request-id.ts';

/**
 * Ids of requests, in the log and in `X-Request-Id` of the answer: unique over processes, and in order within one.
 * @param isProxied whether the service is behind a proxy of the operator, whose ids are taken over
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
