import type { Readable } from 'node:stream';

interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Where a command reads and writes; a test hands in its own and looks at what was written. */
export interface Io {
  /** Results, for people and machines. */
  readonly stdout: TextStream;
  /** Progress, warnings, errors. */
  readonly stderr: TextStream;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the command was typed. */
  readonly cwd: string;
  /** Aborted, with an `Interruption` as reason, when the command is to end. */
  readonly interrupt: AbortSignal;
}

export function printLine(io: Io, line: string): void {
  io.stdout.write(`${line}\n`);
}

export function printJson(io: Io, value: unknown): void {
  printLine(io, JSON.stringify(value, null, 2));
}

/** Resolves when somebody asks the command to end. */
export function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * The task's result, unless somebody asks the command to end before.
 * @throws the signal's reason; the task itself is not stopped by it
 */
export async function orInterrupted<Result>(task: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return Promise.race([
    task,
    untilInterrupted(signal).then((): never => {
      throw signal.reason;
    }),
  ]);
}
