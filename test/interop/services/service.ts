import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Interval between readiness checks of a starting service. */
const POLL_MILLISECONDS = 250;
/** Time from SIGTERM to SIGKILL. */
const STOP_MILLISECONDS = 15_000;
/** Number of log lines in an error. */
const TAIL_LINES = 30;

interface ServiceProgram {
  /** Name in errors, and of its log file. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Time limit until it is ready. */
  readonly readyMilliseconds: number;
  /** Whether it is ready; an error counts as not ready. */
  isReady(): Promise<boolean>;
}

export interface ServiceProcess {
  readonly pid: number;
  /** Its output, available after its end. */
  readonly logFile: string;
  isRunning(): boolean;
  /** Kills it, like a crash of its machine. */
  kill(): Promise<void>;
  /** Stops it gracefully, or kills it if that takes too long. Does nothing if it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until it is ready. It ends with this process, however this process ends.
 * @throws Error with the end of its log if it ends or is not ready in time; it is then stopped
 */
export async function startService(service: ServiceProgram): Promise<ServiceProcess> {
  const logFile = await makeLogFile(service.name);
  const child = spawnWithLog(service, logFile);
  const running = toProcess(child, logFile);
  const forget = stopLater(() => running.stop());
  child.once('exit', forget);
  try {
    await waitUntilReady(service, running);
    return running;
  } catch (error) {
    await running.stop();
    throw new Error(`${(error as Error).message}; ${describeLog(logFile)}`);
  }
}

function spawnWithLog({ program, args, env, folder }: ServiceProgram, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  // The kernel kills it with this process, even if this process is killed.
  const dies = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', program] : [program];
  try {
    return spawn(dies[0]!, [...dies.slice(1), ...args], {
      stdio: ['ignore', log, log],
      cwd: folder,
      env: { ...process.env, ...env },
      // A separate process group, so that its child processes can be killed with it.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function toProcess(child: ChildProcess, logFile: string): ServiceProcess {
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    if (isRunning()) process.kill(-child.pid!, name);
  };
  return {
    pid: child.pid ?? 0,
    logFile,
    isRunning,
    async kill() {
      signal('SIGKILL');
      await ended;
    },
    async stop() {
      signal('SIGTERM');
      const force = setTimeout(() => signal('SIGKILL'), STOP_MILLISECONDS);
      await ended;
      clearTimeout(force);
    },
  };
}

async function waitUntilReady(service: ServiceProgram, running: ServiceProcess): Promise<void> {
  const until = Date.now() + service.readyMilliseconds;
  while (Date.now() < until) {
    if (!running.isRunning()) throw new Error(`${service.name} exited while starting`);
    if (await service.isReady().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  throw new Error(`${service.name} is not ready after ${service.readyMilliseconds / 1000} s`);
}

async function makeLogFile(name: string): Promise<string> {
  const folder = path.join(tmpdir(), 'taktgeber-interop-logs');
  await mkdir(folder, { recursive: true });
  return path.join(folder, `${name.replaceAll(/\W+/g, '-')}-${process.pid}-${Date.now()}.log`);
}

/** Returns the last lines of a log for an error. */
function describeLog(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n');
  return `the end of ${logFile}:\n${lines.slice(-TAIL_LINES).join('\n')}`;
}

/** Creates a folder for a service on the disk, since other users may need access. `remove` deletes it. */
export async function makeServiceFolder(name: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), `taktgeber-interop-${name}-`));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

// ---- Running services and their end ---------------------------------------------------------------

type Stop = () => Promise<void>;

/** Running services of this process, in the order of their start. */
const running = new Set<Stop>();
let isListening = false;

/** Registers a function for `stopServices` and for signals to this process. @returns a function that unregisters it */
function stopLater(stop: Stop): () => void {
  running.add(stop);
  if (!isListening) listenToSignals();
  return () => void running.delete(stop);
}

/** On a signal, stops running services before this process; listeners of packages would end it at once. */
export function listenToSignals(): void {
  isListening = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => void stopServices().finally(() => process.exit(1)));
  }
}

/** Wraps a stop so that `stopServices` and signals call it unless it was called before. */
export function endWithProcess(stop: Stop): Stop {
  const forget = stopLater(stop);
  return () => {
    forget();
    return stop();
  };
}

/** Stops all services that a check has left running, the last one first. */
export async function stopServices(): Promise<void> {
  for (const stop of [...running].reverse()) {
    running.delete(stop);
    await stop().catch(() => {});
  }
}
