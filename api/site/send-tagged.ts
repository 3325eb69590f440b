import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesAnyEntityTag, matchesEntityTag } from '../plugins/entity-tag.ts';

interface TaggedAnswer {
  readonly bytes: Buffer;
  readonly tag: string;
  readonly mediaType: string;
}

/** Sends bytes with their entity tag, or 304 to a client that has them. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, { bytes, tag, mediaType }: TaggedAnswer) {
  reply.header('etag', tag);
  const condition = request.headers['if-none-match'];
  if (matchesAnyEntityTag(condition) || matchesEntityTag(condition, tag)) return reply.code(304).send();
  return reply.header('content-type', mediaType).send(bytes);
}
