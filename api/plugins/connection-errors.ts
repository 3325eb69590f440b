import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiProblem, problems } from '../contract/problems.ts';
import { formatProblem, PROBLEM_MEDIA_TYPE } from './errors.ts';

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
