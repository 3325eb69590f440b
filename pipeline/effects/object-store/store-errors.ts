import { ExternalError } from '../external-error.ts';

/** Parts of the errors that the client throws. */
interface ServiceError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The credentials were right once. */
const EXPIRED = ['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'RequestExpired'];
const REPLACED = ['InvalidAccessKeyId', 'InvalidToken', 'InvalidTokenId', 'SignatureDoesNotMatch'];
const DENIED = ['AccessDenied', 'AllAccessDisabled', 'Forbidden', 'CredentialsProviderError', ...REPLACED];
const CLOCK = ['RequestTimeTooSkewed'];
/** The bytes that arrived are not those that were sent. */
const DAMAGED = ['BadDigest', 'InvalidDigest', 'XAmzContentChecksumMismatch', 'XAmzContentSHA256Mismatch'];
/** A condition on an object that was removed is answered with `NoSuchKey`. */
const LOST = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];
const BUSY = ['SlowDown', 'RequestTimeout', 'RequestTimeoutException', 'ThrottlingException', 'TooManyRequests'];
/** An upload in parts that another run has aborted. */
const GONE = ['NoSuchUpload'];

export function statusOf(error: unknown): number | null {
  return (error as ServiceError | null)?.$metadata?.httpStatusCode ?? null;
}

/** Whether the answer means that there is no such object; a missing bucket is an error. */
export function isMissing(error: unknown): boolean {
  const { name } = error as ServiceError;
  return name === 'NoSuchKey' || (statusOf(error) === 404 && name !== 'NoSuchBucket' && !GONE.includes(name));
}

/** Whether there is no such upload in parts: it was aborted, or completed. */
export function isGone(error: unknown): boolean {
  return GONE.includes((error as ServiceError).name);
}

/** Whether the keys themselves were refused, so that others may be right: these have expired, or were replaced. */
export function isOfCredentials(error: unknown): boolean {
  return [...EXPIRED, ...REPLACED].includes((error as ServiceError | undefined)?.name ?? '');
}

/** Converts the error of a request to an `ExternalError`. @param what e.g. "PUT trees/marts.json" */
export function toStoreError(error: unknown, what: string, url: string): ExternalError {
  if (error instanceof ExternalError) return error;
  const { name, message, code } = error as ServiceError;
  const status = statusOf(error);
  const at = `${url} (${what})`;
  const make = (kind: string, sentence: string, isRetryable: boolean) =>
    new ExternalError(kind, sentence, { cause: error, isRetryable });
  if (EXPIRED.includes(name)) {
    return make(
      'store_denied',
      `the credentials of the object store ${at} have expired: renew store.* or AWS_*`,
      false,
    );
  }
  if (CLOCK.includes(name)) {
    return make('store_denied', `the object store ${at} refuses this machine's clock, which is wrong: set it`, false);
  }
  if (name === 'NoSuchBucket') {
    return make('store_missing', `there is no bucket for ${at}: create it, or correct store.url`, false);
  }
  if (DAMAGED.includes(name)) return make('object_damaged', `bytes were damaged on their way to ${at}`, true);
  if (LOST.includes(name) || status === 412 || status === 409) {
    return make('write_lost', `another writer was faster at ${at}`, true);
  }
  if (GONE.includes(name)) return make('store_unreachable', `an upload to ${at} was aborted by another process`, true);
  if (status === 501) {
    const sentence = `the object store ${at} lacks what is needed, e.g. conditional writes: ${name}: ${message}`;
    return make('store_refused', sentence, false);
  }
  const isBusy = BUSY.includes(name) || (status !== null && (status >= 500 || status === 429 || status === 408));
  if (isBusy) return make('store_unreachable', `the object store ${at} answers ${status ?? name}: ${message}`, true);
  if (DENIED.includes(name) || status === 401 || status === 403) {
    const reason = name === 'CredentialsProviderError' ? 'has no credentials' : `denies access (${name})`;
    return make(
      'store_denied',
      `the object store ${at} ${reason}: check store.accessKeyId and its rights, or AWS_*`,
      false,
    );
  }
  if (status !== null && status >= 300) {
    return make('store_refused', `the object store ${at} answers ${status} ${name}: ${message}`, false);
  }
  if (isOfProgram(error)) throw error;
  return make('store_unreachable', `the object store ${at} cannot be reached: ${code ?? name}: ${message}`, true);
}

/** A bug, unlike the many errors that sockets and parsers of broken answers have. */
function isOfProgram(error: unknown): boolean {
  return error instanceof RangeError || error instanceof ReferenceError;
}
