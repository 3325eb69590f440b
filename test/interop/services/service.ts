import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** How often a starting service is asked whether it is ready. */
const POLL_MILLISECONDS = 250;
/** From SIGTERM to SIGKILL. */
const STOP_MILLISECONDS = 15_000;
/** Of a log, in an error. */
const TAIL_LINES = 30;

export interface ServiceProgram {
  /** In errors, and of its log. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** How long it may take to be ready. */
  readonly readyMilliseconds: number;
  /** Whether it answers; an error counts as no. */
  isReady(): Promise<boolean>;
}

export interface ServiceProcess {
  readonly pid: number;
  /** What it has printed; kept after its end. */
  readonly logFile: string;
  isRunning(): boolean;
  /** Ends it at once, as a crash of its machine would. */
  kill(): Promise<void>;
  /** Ends it in order, by force where that takes too long. Nothing where it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until it is ready. It ends with this process, whatever ends that one.
 * @throws Error with the end of its log when it ends or is not ready in time; it is stopped then
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
  // The kernel ends it with this process, also where that is killed.
  const dies = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', program] : [program];
  try {
    return spawn(dies[0]!, [...dies.slice(1), ...args], {
      stdio: ['ignore', log, log],
      cwd: folder,
      env: { ...process.env, ...env },
      // A group of its own, so that what it starts can be ended with it.
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
    if (!running.isRunning()) throw new Error(`${service.name} has ended as it started`);
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

/** The last lines of a log, for an error. */
export function describeLog(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n');
  return `the end of ${logFile}:\n${lines.slice(-TAIL_LINES).join('\n')}`;
}

/** A folder of a service, which `remove` deletes. On the plain disk: users other than this one may have to reach it. */
export async function makeServiceFolder(name: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), `taktgeber-interop-${name}-`));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

// ---- What runs, and its end -----------------------------------------------------------------------

type Stop = () => Promise<void>;

/** Of this process: what has been started and not stopped, in the order of starts. */
const running = new Set<Stop>();
let isListening = false;

/** Has something stopped by `stopServices`, and when this process gets a signal. @returns what revokes that */
function stopLater(stop: Stop): () => void {
  running.add(stop);
  if (!isListening) listenToSignals();
  return () => void running.delete(stop);
}

/** Signals stop what runs, and then this process; listeners of packages would end it before. */
export function listenToSignals(): void {
  isListening = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => void stopServices().finally(() => process.exit(1)));
  }
}

/** The same stop, which `stopServices` and signals call where it has not been called. */
export function endWithProcess(stop: Stop): Stop {
  const forget = stopLater(stop);
  return () => {
    forget();
    return stop();
  };
}

/** Stops whatever a check has left running, the last one first. */
export async function stopServices(): Promise<void> {
  for (const stop of [...running].reverse()) {
    running.delete(stop);
    await stop().catch(() => {});
  }
}
