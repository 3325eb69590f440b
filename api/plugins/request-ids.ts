import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a proxy may call a request; it is logged and sent back as it is. */
const ID = /^[A-Za-z0-9_-]{8,64}$/;

/**
 * Ids of requests, in the log and in `X-Request-Id` of the answer: unique over processes, and in order within one.
 * @param isProxied whether the service is behind a proxy of the operator, whose ids are taken over
 */
export function createRequestIds(isProxied: boolean): (request: IncomingMessage) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (isProxied && typeof given === 'string' && ID.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
