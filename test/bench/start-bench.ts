import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import type { Bench } from './bench.ts';
import type { Metric } from './metric.ts';
import { readUsage } from './processor-time.ts';

const ROUNDS = 5;
const POLL_MILLISECONDS = 5;
const MAX_SECONDS = 60;

interface Start {
  readonly seconds: number;
  /** Processor time of all threads until the first answer. */
  readonly cpuSeconds: number;
}

/** Starts the built program on empty data folders; the fastest of some starts counts, since other programs only delay. */
export async function benchStart({ makeFolder, progress }: Bench): Promise<Metric[]> {
  const starts: Start[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`start of the service, ${round} of ${ROUNDS}`);
    starts.push(await measureStart(await makeFolder()));
  }
  const least = (value: keyof Start) => Math.min(...starts.map((start) => start[value]));
  return [
    { name: 'start to the first answer, empty folder', value: least('seconds'), unit: 's', target: { atMost: 1 } },
    { name: 'start to the first answer, processor time', value: least('cpuSeconds'), unit: 's' },
  ];
}

async function measureStart(dataDir: string): Promise<Start> {
  const port = await findFreePort();
  const cli = path.join(projectRoot, 'dist', 'program', 'jobs', 'commands', 'cli.js');
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_METRICS_PORT: '0',
    TAKTGEBER_LOG_LEVEL: 'warn',
  };
  const started = performance.now();
  const argv = ['--enable-source-maps', cli, 'serve', '--data', dataDir, '--port', String(port)];
  const child = spawn(process.execPath, argv, {
    cwd: dataDir,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilAnswered(`http://127.0.0.1:${port}/v2/meta`, child);
    const seconds = (performance.now() - started) / 1000;
    const { cpuSeconds } = await readUsage([child.pid!]);
    return { seconds, cpuSeconds };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Any answer counts: without a timetable it is an error. */
async function untilAnswered(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + MAX_SECONDS * 1000;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer) return;
    await sleep(POLL_MILLISECONDS);
  }
  throw new Error('the service did not answer');
}
