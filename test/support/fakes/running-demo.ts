import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';
import { expectValidAnswer } from '../checks/contract-validator.ts';
import { compileProgram } from './compiled-program.ts';

/** Long enough for a busy machine; a quiet one needs a tenth. */
export const PATIENCE_MILLISECONDS = 150_000;

const MOVED_PROGRAM = 'test/support/fakes/cli-at-another-time.ts';

interface DemoOptions {
  /** Variables of its environment. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Size of a separate disk for the data folder; needs a system that lets it mount one, see `canMount`. */
  readonly diskBytes?: number;
}

interface RunningDemo {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** The data folder, as this process reaches it. */
  readonly dataDir: string;
  /** What it has written to stderr so far. */
  output(): string;
}

/** Mounts memory of a size at a folder that only the program and its children see, and runs it. */
const IN_OWN_DISK = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"';

/** Whether the system lets a process mount a separate disk. */
export function canMount(): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
}

/**
 * Starts what `npm start` runs, on an empty data folder and a free port.
 * @param at ISO time that its clock shows when it starts; the system's, unless said
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
  throw new Error(`it ended before it was ready:\n${output}`);
}

/** Where a demo that logs from `info` on answers metrics and health. */
export function findMetricsUrl({ output }: Pick<RunningDemo, 'output'>): string {
  const [, url] = /Metrics and health are on (http:\/\/127\.0\.0\.1:\d+)/.exec(output()) ?? [];
  return url ?? expect.fail(`it does not say where its metrics are:\n${output()}`);
}

/** One answer that is what the contract says. */
export async function request<Answer>(url: string, type: string): Promise<Answer> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  const answer = await response.json();
  await expectValidAnswer(type, answer);
  return answer as Answer;
}

/** Asks again and again until an answer is as wanted, no more often than fair use allows. */
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
    if (performance.now() > until) throw new Error(`${url} went on answering ${JSON.stringify(answer)}`);
    await wait(pauseMilliseconds);
  }
}
