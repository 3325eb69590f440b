import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { SiteAssets } from './shell/assets.ts';

/** Conditional and range headers; the packages answer with a 500 to those that they cannot meet. */
const IGNORED_HEADERS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/** Files are small and sent whole, whatever part of them a request wants. */
export function ignoreUnmeetableHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    for (const name of IGNORED_HEADERS) delete request.headers[name];
    done();
  });
}

/** Serves the files of the build. Their names have a hash of their content, so a browser need never ask again. */
export async function serveAssets(app: FastifyInstance, { folder }: SiteAssets): Promise<void> {
  if (folder === null) return;
  await app.register(async (scope) => {
    ignoreUnmeetableHeaders(scope);
    await scope.register(fastifyStatic, {
      root: folder,
      prefix: '/site/',
      // A route for each file that is there now, and none for anything else.
      wildcard: false,
      globIgnore: ['**/manifest.json'],
      index: false,
      immutable: true,
      maxAge: '1y',
      acceptRanges: false,
    });
  });
}
