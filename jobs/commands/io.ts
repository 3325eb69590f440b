import process from 'node:process';
import type { Readable } from 'node:stream';
import { describeError, Interruption } from '../job/exit-code.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C reaches a process from the terminal and again from npm: signals this close together are one press. */
const SAME_PRESS_MILLISECONDS = 1000;

interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Streams and environment of a command; tests pass their own. */
export interface Io {
  /** Results, for people and machines. */
  readonly stdout: TextStream;
  /** Progress, warnings, errors. */
  readonly stderr: TextStream;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Working directory of the command. */
  readonly cwd: string;
  /** Aborts with an `Interruption` as reason when the command should end. */
  readonly interrupt: AbortSignal;
}

export function printLine(io: Io, line: string): void {
  io.stdout.write(`${line}\n`);
}

export function printJson(io: Io, value: unknown): void {
  printLine(io, JSON.stringify(value, null, 2));
}

/** Prints why a command ended; nothing for an interruption. @returns its exit code */
export function printError(error: unknown, io: Io): number {
  const { sentence, exitCode: code, isBug } = describeError(error);
  if (isBug) io.stderr.write(`This is a bug in taktgeber:\n${error instanceof Error ? error.stack : sentence}\n`);
  else if (sentence !== '') io.stderr.write(`error: ${sentence}\n`);
  return code;
}

/** Resolves when the command is interrupted. */
export function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Returns the task's result unless the command is interrupted before.
 * @throws the signal's reason; the task itself continues
 */
export async function orInterrupted<Result>(task: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return Promise.race([
    task,
    untilInterrupted(signal).then((): never => {
      throw signal.reason;
    }),
  ]);
}

/** The real streams of this process. */
export function processIo(): Io {
  exitQuietlyOnClosedOutput();
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    environment: process.env,
    cwd: process.cwd(),
    interrupt: interruptOfProcess(),
  };
}

/**
 * The first signal stops the command gracefully; a clearly later one kills it with the system's default action: an orderly
 * exit would wait for native work or collide with it. Locks contain the process id, so the next start sees that it is
 * dead.
 */
function interruptOfProcess(): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = (name: NodeJS.Signals) => {
    const interruption = new Interruption(name);
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      controller.abort(interruption);
    } else if (performance.now() - firstAt > SAME_PRESS_MILLISECONDS) {
      for (const signal of STOP_SIGNALS) process.removeAllListeners(signal);
      process.kill(process.pid, name);
    }
  };
  for (const name of STOP_SIGNALS) process.on(name, () => stop(name));
  // When started by the bootstrap, this process ends with it: the channel between them closes.
  if (process.channel) {
    process.on('disconnect', () => stop('SIGTERM'));
    process.channel.unref();
  }
  return controller.signal;
}

/** `taktgeber sql … | head` closes our output early, which is not an error. */
function exitQuietlyOnClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
}
