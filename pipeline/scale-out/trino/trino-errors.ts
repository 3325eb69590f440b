import { ExternalError } from '../../effects/external-error.ts';

/** Why a statement failed. @see Trino's QueryError */
interface TrinoFailure {
  readonly message: string;
  readonly errorName: string;
  readonly errorType: string;
}

const retryable = { isRetryable: true };

/** Objects that the statements expect and the operator has not set up. */
const MISSING = /^(CATALOG|SCHEMA|TABLE)_NOT_FOUND$|^MISSING_(CATALOG|SCHEMA)_NAME$/;
const VERSION_GONE = /snapshot/i;

/**
 * The error of a statement that Trino has refused or ended.
 * @returns ExternalError `trino_time_limit`, `trino_queue_full`, `trino_refused`, `trino_table_missing`, `trino_failed`; an
 * Error for a statement that is wrong
 */
export function toStatementError({ message, errorName, errorType }: TrinoFailure, limitSeconds: number): Error {
  if (errorName === 'EXCEEDED_TIME_LIMIT') {
    const limit = `a statement took Trino longer than ${limitSeconds} s`;
    return new ExternalError('trino_time_limit', `${limit}: raise the limit, or give Trino more workers`, retryable);
  }
  if (errorName === 'QUERY_QUEUE_FULL') {
    return new ExternalError('trino_queue_full', `Trino has too many waiting statements: ${message}`, retryable);
  }
  if (errorName === 'PERMISSION_DENIED') {
    return new ExternalError('trino_refused', `Trino refuses trino.user a statement: ${message}`);
  }
  if (MISSING.test(errorName)) {
    const advice = 'check trino.catalog, and run publish-iceberg';
    return new ExternalError('trino_table_missing', `Trino has no such table: ${message}; ${advice}`);
  }
  const isEnded = errorName === 'ADMINISTRATIVELY_KILLED' || errorName === 'USER_CANCELED';
  if (errorType !== 'USER_ERROR' || isEnded || VERSION_GONE.test(message)) {
    return new ExternalError('trino_failed', `Trino could not run a statement (${errorName}): ${message}`, retryable);
  }
  return new Error(`Trino does not accept a statement (${errorName}): ${message}`);
}

/** Statuses at which the same request may be sent again. @see Trino documentation, "Client REST API" */
const RETRYABLE: readonly unknown[] = [429, 502, 503, 504];

export function mayRetry(error: unknown): boolean {
  return RETRYABLE.includes(statusOf(error));
}

/** Codes of a connection that was closed while an answer was awaited, e.g. by a proxy. */
const BROKEN_OFF: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

/** Trino keeps a page until the next one is requested, so a page may be requested again, but not a statement. */
export function mayRetryPage(error: unknown): boolean {
  return mayRetry(error) || BROKEN_OFF.includes(codeOf(error));
}

/**
 * The error of a request that has no answer, or none of the protocol.
 * @returns ExternalError `trino_refused`, `trino_unreachable`, `trino_failed`
 */
export function toRequestError(error: unknown, url: string): Error {
  if (error instanceof ExternalError) return error;
  const status = statusOf(error);
  const cause = { cause: error };
  if (status === 401 || status === 403) {
    const advice = 'check trino.user and trino.password';
    return new ExternalError('trino_refused', `Trino at ${url} answers with ${status}: ${advice}`, cause);
  }
  if (status !== undefined) {
    return new ExternalError('trino_failed', `Trino at ${url} answers with ${status}`, { ...cause, ...retryable });
  }
  const code = codeOf(error);
  if (typeof code !== 'string') return error instanceof Error ? error : new Error(String(error));
  return new ExternalError('trino_unreachable', `Trino at ${url} does not answer (${code})`, {
    ...cause,
    ...retryable,
  });
}

/** The error of a response with status 200 that is not a complete result of a statement. */
export function toProtocolError(url: string, cause?: unknown): ExternalError {
  const message = `${url} does not answer by the protocol of Trino: check that no proxy or login page answers instead`;
  return new ExternalError('trino_failed', message, { cause, ...retryable });
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly response?: { readonly status?: number } } | null)?.response?.status;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}
