import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../plugins/errors.ts';
import { pathOfTarget } from '../plugins/request-facts.ts';

/** Swagger UI knows no dark colours of its own; turning all of them round keeps the hues. */
const DARK_THEME = `@media (prefers-color-scheme: dark) {
  html, body { background: #15181c; }
  #swagger-ui { filter: invert(0.88) hue-rotate(180deg); }
  #swagger-ui .highlight-code, #swagger-ui .microlight { filter: invert(1) hue-rotate(180deg); }
}`;

/** The page of its package names no width, so a phone would show it as wide as a desk, too small to read. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** What the documentation consists of. Names of folders and other oddities fail in its package as if we had failed. */
const DOCS_PATH = /^\/docs(?:\/(?:json|yaml|static\/(?:theme\/)?[A-Za-z0-9][\w.-]*)?)?$/;

/** Conditions on a part or on the state of a file; its package throws what it cannot meet as if we had failed. */
const IGNORED_HEADERS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/**
 * The API documentation for a person at /docs, everything from this service.
 * @param findDocument OpenAPI 3.1, as it is now: whom it credits may change while the process lives
 */
export async function registerDocs(
  app: FastifyInstance,
  findDocument: () => object,
  contentSecurityPolicy: string,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', (request, _reply, done) => {
      for (const name of IGNORED_HEADERS) delete request.headers[name];
      done(DOCS_PATH.test(pathOfTarget(request.url)) ? undefined : notFound());
    });
    scope.addHook('onSend', (_request, reply, payload, done) => {
      const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html');
      done(null, isPage ? payload.replace('<head>', `<head>\n${VIEWPORT}`) : payload);
    });
    await scope.register(swagger, { mode: 'static', specification: { document: findDocument() as never } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: contentSecurityPolicy,
      transformSpecification: () => findDocument() as never,
      transformSpecificationClone: false,
      theme: {
        title: 'Taktgeber: API documentation',
        css: [{ filename: 'dark.css', content: DARK_THEME }],
      },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        // A browser sends Origin with everything else, and /v2 refuses it.
        supportedSubmitMethods: ['get'],
      },
    });
  });
}
