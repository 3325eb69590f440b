import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../plugins/errors.ts';
import { pathOfTarget } from '../plugins/request-facts.ts';
import { ignoreUnmeetableHeaders } from './static-files.ts';

/** Swagger UI has no dark theme; inverting the colours and rotating the hues back produces one. */
const DARK_THEME = `@media (prefers-color-scheme: dark) {
  html, body { background: #15181c; }
  #swagger-ui { filter: invert(0.88) hue-rotate(180deg); }
  #swagger-ui .highlight-code, #swagger-ui .microlight { filter: invert(1) hue-rotate(180deg); }
}`;

/** The package's page sets no viewport, so a phone would show it at desktop width, too small to read. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** Paths of the documentation. The package answers unexpected paths, such as folder names, with a 500. */
const DOCS_PATH = /^\/docs(?:\/(?:json|yaml|static\/(?:theme\/)?[A-Za-z0-9][\w.-]*)?)?$/;

/**
 * Serves the API documentation for people at /docs, without third-party resources.
 * @param findDocument returns the current OpenAPI 3.1 document, whose credits may change while the process runs
 */
export async function registerDocs(
  app: FastifyInstance,
  findDocument: () => object,
  contentSecurityPolicy: string,
): Promise<void> {
  await app.register(async (scope) => {
    ignoreUnmeetableHeaders(scope);
    scope.addHook('onRequest', (request, _reply, done) => {
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
        // Browsers send Origin with every other method, and /v2 refuses it.
        supportedSubmitMethods: ['get'],
      },
    });
  });
}
