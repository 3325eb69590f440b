import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskCoordinates } from '../../pipeline/effects/service-log.ts';
import { createTokenHasher, findInstallationToken, pathOfTarget } from './request-facts.ts';

/** The path comes from the client; it must not break the log line. */
const MAX_PATH_CHARACTERS = 500;

export type WriteAccessLine = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Logs one line per request: id, method, masked path, status, duration, and a hash of the installation token. Omits the
 * client address and the query, which may contain a person's location.
 * @returns the function that writes a line, for requests that Fastify answers without running its hooks
 */
export function logAccess(app: FastifyInstance): WriteAccessLine {
  const hashToken = createTokenHasher();
  const write: WriteAccessLine = (request, reply) => {
    const token = findInstallationToken(request.headers);
    request.log.info(
      {
        method: request.method,
        path: maskPath(pathOfTarget(request.url).slice(0, MAX_PATH_CHARACTERS), token),
        status: reply.statusCode,
        durationMilliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(token === null ? {} : { installation: hashToken(token) }),
      },
      'request',
    );
  };
  app.addHook('onResponse', (request, reply, done) => {
    write(request, reply);
    done();
  });
  return write;
}

/** No route has a token or coordinate in its path, but a client may send one. */
function maskPath(path: string, token: string | null): string {
  const withoutToken = token === null ? path : path.replaceAll(token, '(token)');
  return maskCoordinates(withoutToken);
}
