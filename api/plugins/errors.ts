import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblem, type ProblemCode, problems } from '../contract/problems.ts';
import { pathOfTarget } from './request-facts.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

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
export function formatProblem(problem: ApiProblem): Buffer {
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
