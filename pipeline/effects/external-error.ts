/** I/O failed: disk, network or another process. Only `jobs/runner/run.ts` decides whether to try again. */
export class ExternalError extends Error {
  readonly code: string;
  readonly isRetryable: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; isRetryable?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ExternalError';
    this.code = code;
    this.isRetryable = options.isRetryable ?? false;
  }
}

/** Whether something thrown is a system error of the given code, e.g. `ENOENT`. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

/** Whether something thrown comes from the operating system: disk, network, permissions. */
export function isOfTheSystem(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && typeof code === 'string' && typeof syscall === 'string';
}

/**
 * Whether the same may succeed later without anybody changing the program or its input: a failure that says so, or a full
 * disk, which is temporary: an operator can free space.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof ExternalError) return error.isRetryable;
  return isSystemError(error, 'ENOSPC') || isSystemError(error, 'EDQUOT');
}
