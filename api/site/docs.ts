import { createRequire } from 'node:module';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { rememberLast } from '../plugins/remember-last.ts';
import { ignoreUnmeetableHeaders } from './static-files.ts';

/** Files of Swagger UI that the API reference loads. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

/**
 * Serves the files of the API reference at /docs: Swagger UI, and the OpenAPI document as JSON and YAML.
 * @param findDocument returns the current OpenAPI 3.1 document, whose credits may change while the process runs
 */
export async function registerDocs(app: FastifyInstance, findDocument: () => object): Promise<void> {
  const writeYaml = rememberLast((document: object) => stringify(document));
  await app.register(async (scope) => {
    ignoreUnmeetableHeaders(scope);
    scope.get('/docs/json', (_request, reply) => reply.type('application/json; charset=utf-8').send(findDocument()));
    scope.get('/docs/yaml', (_request, reply) => reply.type('application/x-yaml').send(writeYaml(findDocument())));
    const root = path.join(path.dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
    await scope.register(fastifyStatic, { root, serve: false, acceptRanges: false });
    for (const name of SWAGGER_FILES) scope.get(`/docs/static/${name}`, (_request, reply) => reply.sendFile(name));
  });
}
