import { ExternalError, isOfTheSystem } from './external-error.ts';

/** An error as a message between threads, which drop its class and all properties besides the text. */
export type ThreadFailure = Pick<Error, 'message' | 'stack'> & {
  readonly world: Pick<ExternalError, 'code' | 'isRetryable'> | null;
  /** Of an error of the operating system. */
  readonly system: Pick<NodeJS.ErrnoException, 'code' | 'errno' | 'syscall' | 'path'> | null;
};

export function toFailure(error: unknown): ThreadFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const world = error instanceof ExternalError ? { code: error.code, isRetryable: error.isRetryable } : null;
  return { message, stack: stack ?? '', world, system: isOfTheSystem(error) ? toSystem(error) : null };
}

/** @returns an error of the same kind: external, of the system, or a bug */
export function toError({ message, stack, world, system }: ThreadFailure): Error {
  const error = world ? new ExternalError(world.code, message, world) : new Error(message);
  return Object.assign(error, { stack }, system);
}

function toSystem({ code, errno, syscall, path }: NodeJS.ErrnoException): NonNullable<ThreadFailure['system']> {
  return { code, errno, syscall, ...(path === undefined ? {} : { path }) };
}
