import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';
import { findFreePort } from './free-port.ts';
import type { Backend } from './test-balancer.ts';

interface ReplicaOptions {
  /** JavaScript file of the command line. */
  readonly program: string;
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Ports and settings of a replica, the same after each start. */
export interface Replica extends Backend {
  readonly pid: number;
  /** @returns once it has logged that it serves */
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** @returns its exit code, or the signal that killed it */
  readonly ended: Promise<number | string>;
  /** Its stderr since the first start. */
  output(): string;
}

/** @param name name in the load balancer */
export async function prepareReplica(name: string, options: ReplicaOptions): Promise<Replica> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_LOG_LEVEL: 'warn',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
    TAKTGEBER_PLANNER_THREADS: '1',
    TAKTGEBER_METRICS_PORT: String(metricsPort),
    ...options.environment,
  };
  const args = [options.program, 'serve', '--data', options.dataDir, '--port', String(port), '--json'];
  let child: ChildProcess | null = null;
  let ended: Promise<number | string> = Promise.resolve('it was not started');
  let output = '';
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    readyUrl: `http://127.0.0.1:${metricsPort}/ready`,
    get pid() {
      return child!.pid!;
    },
    get ended() {
      return ended;
    },
    output: () => output,
    signal: (signal) => void child?.kill(signal),
    async start() {
      const started = spawn(process.execPath, args, {
        cwd: projectRoot,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      ended = once(started, 'exit').then(([code, signal]) => code ?? signal);
      started.stderr.on('data', (chunk: Buffer) => {
        output += chunk;
      });
      const [first] = await Promise.race([once(started.stdout, 'data'), ended.then((how) => [how])]);
      if (!String(first).includes('"url"')) throw new Error(`replica ${name} ended with ${first}: ${output}`);
    },
  };
}
