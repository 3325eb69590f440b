import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { buildOpenApiDocument } from '../../../api/contract/openapi-document.ts';
import { routes } from '../../../api/contract/routes.ts';
import { findContractErrors } from './contract-validator.ts';
import { type FuzzedRequest, fuzzRequest, type KnownValues } from './fuzz-requests.ts';

type Responses = Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
const document = JSON.parse(JSON.stringify(buildOpenApiDocument())) as {
  paths: Record<string, Record<string, { responses: Responses }>>;
};

/** How often a valid response is checked against its type; problems are always checked, because they are small. */
const CHECKED_ANSWERS = 5;

/**
 * Sends requests generated from the published schema, route by route, and checks every response against the OpenAPI
 * document: its status, media type and shape.
 * @returns the number of responses by status
 */
export async function fuzzRoutes(app: FastifyInstance, known: KnownValues, count: number, seed: number) {
  const statuses = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const route = routes[i % routes.length]!;
    const request = fuzzRequest(route, known, seed + i);
    const { statusCode, headers, body } = await app.inject(request);
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    const where = `seed ${seed + i}: ${describe(request)}`;
    const { responses } = document.paths[route.path]![route.method.toLowerCase()]!;
    const response = responses[statusCode] ?? expect.fail(`${where} was answered with ${statusCode}: ${body}`);
    if (statusCode === 304) {
      expect(body, where).toBe('');
      continue;
    }
    const mediaType = String(headers['content-type']).split(';')[0]!;
    const content = response.content?.[mediaType] ?? expect.fail(`${where} was answered as ${mediaType}`);
    const type = content.schema.$ref?.split('/').at(-1);
    const isChecked = type !== undefined && (statusCode >= 400 || i % CHECKED_ANSWERS === 0);
    if (isChecked) expect(await findContractErrors(type, JSON.parse(body)), where).toEqual([]);
  }
  return statuses;
}

function describe({ method, url, headers, payload = '' }: FuzzedRequest): string {
  return `${method} ${url} ${JSON.stringify(headers)} ${payload}`.slice(0, 2000);
}
