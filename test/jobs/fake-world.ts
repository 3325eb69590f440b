import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Services } from '../../jobs/commands/command-tools.ts';
import type { Io } from '../../jobs/commands/io.ts';
import { main } from '../../jobs/commands/main.ts';
import { allJobs, type JobFunctions } from '../../jobs/definitions/all-jobs.ts';
import type { Interruption } from '../../jobs/job/exit-code.ts';
import type { Job } from '../../jobs/job/job.ts';
import { type Config, loadConfig } from '../../pipeline/config/load-config.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';
import type { JobRun } from '../../pipeline/operations/job-run.ts';
import { openOperationsToRead } from '../../pipeline/operations/open-operations.ts';

export const NOW = '2026-03-01T12:00:00.000Z';

/** An empty folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-jobs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The default configuration with its own data folder. */
export async function testConfig(dataDir: string): Promise<Config> {
  const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
  return config;
}

export interface FakeEffects extends Effects {
  readonly clock: ReturnType<typeof fixedClock>;
  /** Milliseconds of every sleep so far; the clock was advanced by them. */
  readonly sleeps: number[];
  readonly logged: () => string;
}

/** Effects whose time passes only in sleep. */
export function fakeEffects(startIso = NOW): FakeEffects {
  const clock = fixedClock(startIso);
  const sleeps: number[] = [];
  let logged = '';
  return {
    clock,
    sleeps,
    logged: () => logged,
    http: async ({ url }) => {
      throw new ExternalError('http_unreachable', `${url} cannot be reached`);
    },
    log: terminalLog({
      write: (text) => {
        logged += text;
      },
    }),
    sleep: async (milliseconds, signal) => {
      if (signal?.aborted) throw signal.reason;
      sleeps.push(milliseconds);
      clock.set(new Date(clock.nowMilliseconds() + milliseconds).toISOString());
    },
  };
}

/** The runs of a job in the history, newest first. */
export async function listRuns(dataDir: string, job: string): Promise<readonly JobRun[]> {
  const history = await openOperationsToRead({ dataDir, operations: { postgresUrl: null } }, fakeEffects());
  try {
    return await history.listRuns(job, 10);
  } finally {
    await history.close();
  }
}

/** What tests replace of the jobs and the commands. */
export type Parts = Required<JobFunctions> & Services;

/** Parts that fail if a test uses them unexpectedly. */
export function fakeParts(parts: Partial<Parts> = {}): Parts {
  const unforeseen = (name: string) => async (): Promise<never> => {
    throw new Error(`${name} was not to be used`);
  };
  return {
    ingestTimetable: unforeseen('ingestTimetable'),
    buildNetworkMaps: unforeseen('buildNetworkMaps'),
    writeSample: unforeseen('writeSample'),
    writeSamplePast: unforeseen('writeSamplePast'),
    learn: unforeseen('learn'),
    startApi: unforeseen('startApi'),
    pollRealtime: unforeseen('pollRealtime'),
    findFirstAnswer: unforeseen('findFirstAnswer'),
    startReplay: unforeseen('startReplay'),
    startSampleUpstream: unforeseen('startSampleUpstream'),
    ...parts,
  };
}

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandSetting {
  readonly dataDir: string;
  readonly cwd?: string;
  readonly environment?: Record<string, string>;
  readonly parts?: Partial<Parts>;
  readonly jobs?: readonly Job[];
  readonly effects?: FakeEffects;
  readonly stdin?: string;
  readonly stop?: AbortController;
  /** Width of the terminal; absent: the output is no terminal. */
  readonly columns?: number;
}

/** Runs `taktgeber <argv>` in this process and returns what it writes. */
export async function runCommand(argv: readonly string[], setting: CommandSetting): Promise<CommandRun> {
  const { io, written } = recordIo(setting);
  const effects = setting.effects ?? fakeEffects();
  const world = {
    effects: { ...effects, log: terminalLog(io.stderr) },
    services: fakeParts(setting.parts),
    jobs: setting.jobs ?? allJobs(fakeParts(setting.parts)),
  };
  const code = await main(argv, io, world);
  return { code, ...written };
}

/** Streams and environment of a command in a test, and its output. */
export function recordIo(setting: CommandSetting) {
  const written = { stdout: '', stderr: '' };
  const record = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const io: Io = {
    stdout: { ...record('stdout'), ...(setting.columns === undefined ? {} : { columns: setting.columns }) },
    stderr: record('stderr'),
    stdin: Readable.from(setting.stdin === undefined ? [] : [setting.stdin]),
    // No test listens on a port that others use.
    environment: {
      TAKTGEBER_DATA: setting.dataDir,
      TAKTGEBER_METRICS_IS_ENABLED: 'false',
      TAKTGEBER_LOG_FORMAT: 'pretty',
      ...setting.environment,
    },
    cwd: setting.cwd ?? setting.dataDir,
    interrupt: (setting.stop ?? new AbortController()).signal,
  };
  return { io, written };
}

/** Ends a command as Ctrl-C does. */
export function press(stop: AbortController, interruption: Interruption): void {
  stop.abort(interruption);
}
