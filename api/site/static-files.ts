import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { SiteAssets } from './shell/assets.ts';

/** Conditional and range headers; the packages answer with a 500 if they cannot satisfy them. */
const IGNORED_HEADERS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/** Ignores range requests: files are small and always sent whole. */
export function ignoreUnmeetableHeaders(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    for (const name of IGNORED_HEADERS) delete request.headers[name];
    done();
  });
}

/** Serves the built files. Their names contain a hash of the content, so browsers cache them forever. */
export async function serveAssets(app: FastifyInstance, { folder }: SiteAssets): Promise<void> {
  if (folder === null) return;
  await app.register(async (scope) => {
    ignoreUnmeetableHeaders(scope);
    await scope.register(fastifyStatic, {
      root: folder,
      prefix: '/site/',
      // One route per existing file, and no wildcard.
      wildcard: false,
      globIgnore: ['**/manifest.json'],
      index: false,
      immutable: true,
      maxAge: '1y',
      acceptRanges: false,
    });
  });
}
