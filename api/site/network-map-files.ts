import type { FastifyInstance } from 'fastify';
import { NETWORK_MAP_FILES, type PublishedMap } from '../../pipeline/snapshots/network-map-files.ts';
import { matchesAnyEntityTag, matchesEntityTag } from '../plugins/entity-tag.ts';
import { notFound } from '../plugins/errors.ts';
import { ignoreUnmeetableHeaders } from './static-files.ts';

export interface NetworkMapFile {
  readonly map: PublishedMap;
  readonly content: Buffer;
}

const MEDIA_TYPES = { svg: 'image/svg+xml; charset=utf-8', png: 'image/png', pdf: 'application/pdf' } as const;

/** An SVG file opened directly is a document that may contain scripts: only its own styles and images are allowed. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";

/**
 * Serves the files that `/v1/network-maps` lists, also to other origins. File names contain a hash of the content, so they
 * are cached forever.
 */
export async function serveNetworkMaps(
  app: FastifyInstance,
  find: (file: string) => NetworkMapFile | null,
): Promise<void> {
  await app.register(async (scope) => {
    ignoreUnmeetableHeaders(scope);
    scope.get(`${NETWORK_MAP_FILES}/:file`, { config: { facts: { family: 'v1', cost: 1 } } }, (request, reply) => {
      const found = find((request.params as { readonly file: string }).file);
      if (!found) throw notFound();
      const { map, content } = found;
      const tag = `"${map.sha256}"`;
      reply.header('etag', tag).header('cache-control', 'public, max-age=31536000, immutable');
      if (map.format === 'svg') reply.header('content-security-policy', SVG_POLICY);
      const condition = request.headers['if-none-match'];
      if (matchesAnyEntityTag(condition) || matchesEntityTag(condition, tag)) return reply.code(304).send();
      reply.header('content-disposition', `inline; filename="${map.file}"`);
      return reply.header('content-type', MEDIA_TYPES[map.format]).send(content);
    });
  });
}
