import type { FastifyInstance } from 'fastify';
import { ApiProblem } from '../contract/problems.ts';

/** Lets in JSON bodies and no others: UTF-8, not compressed, without members that would reach into a prototype. */
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
    if (text === null) done(new ApiProblem('invalid_body', 'The request body is not UTF-8.'));
    else parseJson(request, text, done);
  });
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // A TypeError is the decoder's only way to say no.
    return null;
  }
}
