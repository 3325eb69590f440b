import { spawn } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Interval of checking whether npm is still running. */
const PARENT_CHECK_MILLISECONDS = 1000;

/**
 * Runs a program to its end and forwards signals to it; the program never outlives this process.
 * @param {string} file program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions }} [options]
 * @returns {Promise<{ code: number, stoppedBy: string | null }>} its exit code, 128 + n when a signal ended it; and the
 * signal that this process received meanwhile
 */
export function runChild(file, args, { cwd, env, stdio = 'inherit' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio });
    let stoppedBy = null;
    const stop = (signal) => {
      stoppedBy = stoppedBy ?? signal;
      child.kill(signal);
    };
    const handlers = SIGNALS.map((signal) => [signal, () => stop(signal)]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const watch = watchParent(() => stop('SIGTERM'));
    const tidy = () => {
      clearInterval(watch);
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    child.on('error', (error) => {
      tidy();
      reject(error);
    });
    child.on('close', (code, signal) => {
      tidy();
      resolve({ code: code ?? exitCodeOf(signal), stoppedBy });
    });
  });
}

/** @param {string} signal e.g. `SIGINT` */
export function exitCodeOf(signal) {
  return 128 + (os.constants.signals[signal] ?? 0);
}

/** A shell between npm and this process may swallow the signal that ended npm: then the parent process has changed. */
function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MILLISECONDS);
  return timer.unref();
}
