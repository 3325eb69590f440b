import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';
import { expectValidAnswer } from '../checks/contract-validator.ts';
import { compileProgram } from './compiled-program.ts';

/** Long enough for a busy machine; a quiet one needs a tenth of it. */
export const PATIENCE_MILLISECONDS = 150_000;

const MOVED_PROGRAM = 'test/support/fakes/cli-at-another-time.ts';

interface DemoOptions {
  /** Environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Size of a separate disk for the data folder; requires a system that allows mounting one, see `canMount`. */
  readonly diskBytes?: number;
}

interface RunningDemo {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Path of the data folder for this process. */
  readonly dataDir: string;
  /** Its stderr so far. */
  output(): string;
}

/** Mounts a memory file system that only the program and its children see, and runs the program. */
const IN_OWN_DISK = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"';

/** Whether the system lets a process mount a file system. */
export function canMount(): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
}

/**
 * Starts the program of `npm start` with an empty data folder and a free port.
 * @param at ISO time of its clock at the start; by default the time of the system
 */
export async function startDemo(at?: string, { settings = {}, diskBytes }: DemoOptions = {}): Promise<RunningDemo> {
  const cli = await compileProgram(at ? MOVED_PROGRAM : 'jobs/commands/cli.ts');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-demo-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const environment = {
    ...process.env,
    TAKTGEBER_LOG_LEVEL: 'silent',
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_METRICS_PORT: '0',
    DEMO_STARTS_AT: at,
    ...settings,
  };
  const args = [process.execPath, cli, 'up', '--data', dataDir, '--port', '0', '--json'];
  const wrap = ['unshare', '-rm', 'sh', '-c', IN_OWN_DISK, 'sh', String(diskBytes), dataDir];
  const [program = '', ...rest] = diskBytes === undefined ? args : [...wrap, ...args];
  const child = spawn(program, rest, { cwd: projectRoot, env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.end();
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (!printed.trimEnd().endsWith('}')) continue;
    const reached = diskBytes === undefined ? dataDir : path.join(`/proc/${child.pid}/root`, dataDir);
    return { url: JSON.parse(printed).url, child, dataDir: reached, output: () => output };
  }
  throw new Error(`the program exited before it was ready:\n${output}`);
}

/** URL of metrics and health, if the program logs at level `info`. */
export function findMetricsUrl({ output }: Pick<RunningDemo, 'output'>): string {
  const [, url] = /Metrics and health are on (http:\/\/127\.0\.0\.1:\d+)/.exec(output()) ?? [];
  return url ?? expect.fail(`its output has no URL of metrics:\n${output()}`);
}

/** Sends a request, and validates the response against the contract. */
export async function request<Answer>(url: string, type: string): Promise<Answer> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  const answer = await response.json();
  await expectValidAnswer(type, answer);
  return answer as Answer;
}

/** Repeats a request until the response is as required, within the limits of fair use. */
export async function requestUntil<Answer>(
  url: string,
  type: string,
  isWanted: (answer: Answer) => boolean,
  pauseMilliseconds = 500,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
): Promise<Answer> {
  const until = performance.now() + patienceMilliseconds;
  for (;;) {
    const answer = await request<Answer>(url, type);
    if (isWanted(answer)) return answer;
    if (performance.now() > until) throw new Error(`${url} still answers ${JSON.stringify(answer)}`);
    await wait(pauseMilliseconds);
  }
}
