import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from '../contract/problems.ts';
import { TRY_DATA } from './view-model/try-path.ts';

/** Refuses requests from pages of other sites to the routes of the API documentation, as /v2 refuses those of any page. */
export function guardTry(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isTry = request.routeOptions.url?.startsWith(`${TRY_DATA}/`) ?? false;
    if (!isTry || isFromOwnPage(request)) return done();
    done(
      new ApiProblem('origin_not_allowed', 'Pages of other sites cannot use the API documentation of this service.'),
    );
  });
}

/**
 * Whether a page of this service or a program sent the request. Browsers send `Sec-Fetch-Site` only over HTTPS, and from
 * this machine.
 */
function isFromOwnPage({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
