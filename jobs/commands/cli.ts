import process from 'node:process';
import { Interruption } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { main } from './main.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C reaches a process from the terminal and again from npm: signals this close together are one press. */
const SAME_PRESS_MILLISECONDS = 1000;

/** The real streams of this process. */
function processIo(): Io {
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

const code = await main(process.argv.slice(2), processIo());
// Work that an interruption left behind, e.g. a query of the engine, must not keep the process alive.
process.stdout.write('', () => process.exit(code));
