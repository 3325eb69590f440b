import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UpstreamAnswer } from './answer-source.ts';
import type { Fault } from './fault.ts';

/** Sends an answer whole; one that the client has already is 304, by its entity tag, else by its time. */
export function sendAnswer(answer: UpstreamAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.status !== 200 || request.method !== 'GET') {
    response.writeHead(answer.status, withLength(answer)).end(answer.body);
    return;
  }
  const etag = `"${createHash('sha256').update(answer.body).digest('hex').slice(0, 32)}"`;
  const headers = { ...withLength(answer), etag };
  if (isKnown(request, etag, answer.headers['last-modified'])) response.writeHead(304, { etag }).end();
  else response.writeHead(200, headers).end(answer.body);
}

function isKnown({ headers }: IncomingMessage, etag: string, lastModified: string | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = headers['if-modified-since'];
  return since !== undefined && lastModified !== undefined && Date.parse(lastModified) <= Date.parse(since);
}

function withLength({ headers, body }: UpstreamAnswer): Record<string, string | number> {
  return { ...headers, 'content-length': body.length };
}

/** Sends what a fault leaves of an answer, in the way of the fault; the others have to do with what is told, not how. */
export async function sendFaulty(
  fault: Fault,
  answer: UpstreamAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (fault.kind) {
    case 'slowDrip':
      return sendSlowly(answer, fault.millisecondsPerByte, response);
    case 'truncated':
      return sendCut(answer, fault, response);
    case 'hugeBody':
      return sendForEver(answer, response);
    default:
      return sendAnswer(answer, request, response);
  }
}

function sendSlowly(answer: UpstreamAnswer, millisecondsPerByte: number, response: ServerResponse): void {
  response.writeHead(answer.status, withLength(answer));
  response.flushHeaders();
  let sent = 0;
  const drip = setInterval(() => {
    response.write(answer.body.subarray(sent, sent + 1));
    sent += 1;
    if (sent < answer.body.length) return;
    clearInterval(drip);
    response.end();
  }, millisecondsPerByte);
  drip.unref();
  response.once('close', () => clearInterval(drip));
}

function sendCut(
  answer: UpstreamAnswer,
  { afterBytes, isClean }: Extract<Fault, { kind: 'truncated' }>,
  response: ServerResponse,
): void {
  // Never the whole answer, however short it is.
  const body = answer.body.subarray(0, Math.min(afterBytes, answer.body.length - 1));
  if (isClean) {
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, withLength(answer));
  response.write(body, () => response.destroy());
}

const CHUNK_BYTES = 65_536;

/** The answer again and again, so that its beginning is one that parsers like. */
async function sendForEver(answer: UpstreamAnswer, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  const piece = answer.body.length > 0 ? answer.body : Buffer.from(' ');
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(CHUNK_BYTES / piece.length) }, () => piece));
  try {
    await pipeline(Readable.from(repeat(chunk)), response);
  } catch (error) {
    // It can only end by the client's, or the server's, closing of the connection.
    if (!response.destroyed) throw error;
  }
}

function* repeat(chunk: Buffer): Generator<Buffer> {
  while (true) yield chunk;
}
