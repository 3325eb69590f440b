import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskCoordinates } from '../../pipeline/effects/service-log.ts';
import { createTokenHasher, findInstallationToken, pathOfTarget } from './request-facts.ts';

/** A path comes from the client; a log line must remain one line. */
const MAX_PATH_CHARACTERS = 500;

export type WriteAccessLine = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * One line per request: its id, method, path, status, duration, and a hash of the installation token. It omits the
 * query, which may hold a person's location, and the client's address; the path is masked.
 * @returns the writer, for the requests that Fastify answers without running its hooks
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

/** No route has a token or a coordinate in its path, but a client may send any. */
function maskPath(path: string, token: string | null): string {
  const withoutToken = token === null ? path : path.replaceAll(token, '(token)');
  return maskCoordinates(withoutToken);
}
