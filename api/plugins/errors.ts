import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblem, type ProblemCode, problems } from '../contract/problems.ts';
import { pathOfTarget } from './request-facts.ts';

const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** What Fastify and its plugins throw by themselves, in our words. What is not here is our own mistake. */
const frameworkProblems: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_body', 'The request body is not JSON in UTF-8.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_body', 'The request body is empty.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_body', 'The request body is not as long as Content-Length says.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request body is larger than the service reads.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the request body as application/json.'],
  FST_ERR_BAD_URL: ['invalid_parameter', 'The path of the address is not validly percent-encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is longer than any id or reference.'],
  // The client hung up in the middle of its body; nobody will read the answer.
  ECONNRESET: ['invalid_body', 'The request body ended early.'],
};

/** The one place where anything thrown becomes `application/problem+json`. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, notFound()));
}

export function notFound(): ApiProblem {
  return new ApiProblem('not_found', 'No route of this service has that path.');
}

/** @param error whatever was thrown; what we did not foresee is logged here and told to nobody */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = toProblem(error);
  if (problem.code === 'internal_error') {
    request.log.error({ err: error, method: request.method, path: pathOfTarget(request.url) }, 'request failed');
  }
  return reply
    .code(problems[problem.code].status)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .header('cache-control', 'no-store')
    .send(formatProblem(problem));
}

/** The body of a problem: exactly the members that the contract names, in its order. */
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
  return new ApiProblem('internal_error', 'The service could not answer this request. The failure has been recorded.');
}

/** What Node tells about a connection that never became a request. */
interface ConnectionFailure extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** Node's own note of the answer that a socket is busy with; its default handler looks at the same member. */
type BusySocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/**
 * Answers what Node refuses before there is a request, in the form of all other problems, and hangs up.
 * @param nowMilliseconds milliseconds since 1970 UTC, for the Date header
 */
export function answerConnectionError(failure: ConnectionFailure, socket: Socket, nowMilliseconds: number): void {
  if (isSilent(failure, socket as BusySocket)) {
    // What is already on its way still leaves.
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
  // Ended and not destroyed, so that the answer still leaves; whoever keeps sending after that is cut off.
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]), () => socket.destroy());
}

/** Nobody listens any more, or an answer has begun and a second one would be read as its middle. */
function isSilent(failure: ConnectionFailure, socket: BusySocket): boolean {
  return failure.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true;
}

function toConnectionProblem(failure: ConnectionFailure): ApiProblem {
  switch (failure.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiProblem('request_timeout', 'The request did not arrive within the time limit.');
    case 'HPE_HEADER_OVERFLOW':
      return endsInRequestLine(failure)
        ? new ApiProblem('uri_too_long', 'The address is longer than the service reads.')
        : new ApiProblem('headers_too_large', 'The request headers are larger than the service reads.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiProblem('payload_too_large', 'The chunk extensions are larger than the service reads.');
    case 'HPE_INVALID_CHUNK_SIZE':
      return new ApiProblem('invalid_body', 'The request body is not validly chunked.');
    case 'HPE_INVALID_URL':
      return new ApiProblem('invalid_parameter', 'The address holds characters that must be percent-encoded.');
    default:
      return new ApiProblem('invalid_parameter', 'What was sent is not a valid HTTP/1.1 request.');
  }
}

/**
 * Node has one limit for address and headers together and does not say which of them broke it. A packet that opens
 * a request and was read up to no end of line was still in the address. A slow sender's later packet is misread as
 * headers.
 */
function endsInRequestLine({ rawPacket, bytesParsed }: ConnectionFailure): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false;
  const read = rawPacket.subarray(0, bytesParsed);
  return /^[A-Z-]+ /.test(read.toString('latin1', 0, 32)) && !read.includes('\n');
}
