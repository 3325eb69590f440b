import process from 'node:process';
import type { Readable } from 'node:stream';
import { Interruption } from '../exit-code.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C reaches a process from the terminal and again from npm: signals this close together are one press. */
const SAME_PRESS_MILLISECONDS = 1000;

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

/** The real streams of this process. */
export function processIo(): Io {
  leaveQuietlyWhenNobodyReads();
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
 * The first signal asks the command to end; one that comes clearly later ends it at once, by what the system does with
 * a process that handles no signals: leaving in order would wait for native work, or meet it half way.
 * Locks name the process, so that the next start sees that it is gone.
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
  // Started by the bootstrap, this process must not outlive it: the channel between them closes with it.
  if (process.channel) {
    process.on('disconnect', () => stop('SIGTERM'));
    process.channel.unref();
  }
  return controller.signal;
}

/** `taktgeber sql … | head` closes our output early, which is no error. */
function leaveQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
}
