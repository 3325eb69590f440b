import type { FastifyInstance } from 'fastify';
import { ApiProblem } from '../contract/problems.ts';

/** Accepts only JSON bodies in UTF-8, uncompressed, without members that could reach a prototype. */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      done(new ApiProblem('unsupported_media_type', 'Send the request body without Content-Encoding.'));
      return;
    }
    const text = decode(utf8, bytes);
    if (text === null) done(new ApiProblem('invalid_body', 'The request body is not valid UTF-8.'));
    else parseJson(request, text, done);
  });
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // The decoder reports invalid UTF-8 only as a TypeError.
    return null;
  }
}
