import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskCoordinates } from '../../pipeline/effects/service-log.ts';
import { ApiProblem, type ProblemCode, problems } from '../contract/problems.ts';
import { pathOfTarget } from './request-facts.ts';

const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Problems for the errors of Fastify and its plugins. Any other error is a bug. */
const frameworkProblems: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_body', 'The request body is not valid JSON in UTF-8.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_body', 'The request body is empty.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_body', 'The length of the request body differs from Content-Length.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request body is larger than the service accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the request body as application/json.'],
  FST_ERR_BAD_URL: ['invalid_parameter', 'The percent-encoding of the path is invalid.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A segment of the path is longer than any id or reference.'],
  // The client disconnected while sending its body, so nobody reads the response.
  ECONNRESET: ['invalid_body', 'The request body ended early.'],
};

/** The one place that converts errors to `application/problem+json`. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, notFound()));
}

export function notFound(): ApiProblem {
  return new ApiProblem('not_found', 'No route has this path. See /docs for all routes.');
}

/** @param error anything thrown; an unexpected error is logged here and not disclosed */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = toProblem(error);
  if (problem.code === 'internal_error') {
    request.log.error(
      { err: error, method: request.method, path: maskCoordinates(pathOfTarget(request.url)) },
      'request failed',
    );
  }
  return reply
    .code(problems[problem.code].status)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .header('cache-control', 'no-store')
    .send(formatProblem(problem));
}

/** The body of a problem: exactly the members of the contract, in its order. */
function formatProblem(problem: ApiProblem): Buffer {
  const { status, title } = problems[problem.code];
  const body = {
    type: `/problems#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    ...(problem.parameter === undefined ? {} : { parameter: problem.parameter }),
  };
  return Buffer.from(JSON.stringify(body));
}

function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const known = code !== undefined && Object.hasOwn(frameworkProblems, code) ? frameworkProblems[code] : undefined;
  if (known) return new ApiProblem(...known);
  return new ApiProblem(
    'internal_error',
    'The request failed because of an internal error, which has been logged. Try again later.',
  );
}

/** Error of Node for a connection without a parsable request. */
interface ConnectionFailure extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** Member in which Node keeps the response that a socket is sending; Node's default handler reads it too. */
type BusySocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/**
 * Sends a problem to connections that Node refuses before there is a request, and closes them.
 * @param nowMilliseconds milliseconds since 1970 UTC, for the Date header
 */
export function answerConnectionError(failure: ConnectionFailure, socket: Socket, nowMilliseconds: number): void {
  if (cannotAnswer(failure, socket as BusySocket)) {
    // Data already queued is still sent.
    socket.destroySoon();
    return;
  }
  const problem = toConnectionProblem(failure);
  const { status } = problems[problem.code];
  const body = formatProblem(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date(nowMilliseconds).toUTCString()}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ].join('\r\n');
  // Ended and not destroyed, so that the answer is still sent; a client that keeps sending after that is cut off.
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]), () => socket.destroy());
}

/** Whether no client is connected, or a response has begun that a second one would corrupt. */
function cannotAnswer(failure: ConnectionFailure, socket: BusySocket): boolean {
  return failure.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true;
}

function toConnectionProblem(failure: ConnectionFailure): ApiProblem {
  switch (failure.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiProblem('request_timeout', 'The request did not arrive within the time limit.');
    case 'HPE_HEADER_OVERFLOW':
      return endsInRequestLine(failure)
        ? new ApiProblem('uri_too_long', 'The URL is longer than the service accepts.')
        : new ApiProblem('headers_too_large', 'The request headers are larger than the service accepts.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiProblem('payload_too_large', 'The chunk extensions are larger than the service accepts.');
    case 'HPE_INVALID_CHUNK_SIZE':
      return new ApiProblem('invalid_body', 'The chunked encoding of the request body is invalid.');
    case 'HPE_INVALID_URL':
      return new ApiProblem('invalid_parameter', 'The URL contains characters that must be percent-encoded.');
    default:
      return new ApiProblem('invalid_parameter', 'The connection did not carry a valid HTTP/1.1 request.');
  }
}

/**
 * Node has one limit for address and headers together and does not report which of them exceeded it. A packet that
 * starts a request and was parsed without reaching a line end was still in the address. A later packet of a slow sender
 * is misread as headers.
 */
function endsInRequestLine({ rawPacket, bytesParsed }: ConnectionFailure): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false;
  const read = rawPacket.subarray(0, bytesParsed);
  return /^[A-Z-]+ /.test(read.toString('latin1', 0, 32)) && !read.includes('\n');
}
