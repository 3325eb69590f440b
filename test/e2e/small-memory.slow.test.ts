import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { addDays, localDate } from '../../pipeline/model/service-time.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { findMemoryLimit } from '../support/fakes/memory-limit.ts';
import { PATIENCE_MILLISECONDS } from '../support/fakes/running-demo.ts';

/** Less than the memory of any machine that runs the service. */
const JOB_BYTES = 1e9;
const limitMemory = findMemoryLimit();
if (limitMemory === null) {
  process.stderr.write('Not tried: jobs in little memory, as this system lets the test make no cgroup with a limit.\n');
}

interface JobRun {
  readonly state: string;
  readonly peakMemoryBytes: number;
}

describe.skipIf(limitMemory === null)('a cgroup of 1 GB', () => {
  const run = (words: readonly string[], ...command: readonly string[]) => {
    const [program = '', ...rest] = [...words, process.execPath, ...command];
    const env = { ...process.env, TAKTGEBER_CONFIG: '', TAKTGEBER_LOG_LEVEL: 'warn' };
    return promisify(execFile)(program, rest, { cwd: projectRoot, env });
  };

  it('kills processes that exceed it', async () => {
    await expect(run(limitMemory!(JOB_BYTES), '-e', 'Buffer.alloc(1.2e9, 1)')).rejects.toThrow('Command failed');
    await run(limitMemory!(2 * JOB_BYTES), '-e', 'Buffer.alloc(1.2e9, 1)');
  });

  it(
    'is enough for jobs of the sample, one after the other',
    async () => {
      const cli = await compileProgram('jobs/commands/cli.ts');
      const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-small-'));
      onTestFinished(() => rm(dataDir, { recursive: true }));
      const words = limitMemory!(JOB_BYTES);
      const reader = JSON.stringify(cli.replace('jobs/commands/cli.js', 'pipeline/effects/machine-memory.js'));
      const print = `import { findMemoryBytes } from ${reader}; console.log(findMemoryBytes())`;
      // The kernel rounds to whole pages.
      const { stdout: memory } = await run(words, '--input-type=module', '-e', print);
      expect(Math.round(Number(memory) / 1e6)).toBe(JOB_BYTES / 1e6);
      const day = addDays(localDate(nowInstant(systemClock), 'Europe/Vienna'), -2);
      for (const job of [['ingest-timetable'], ['build-sample-history', '--from', day, '--to', day]]) {
        await run(words, cli, 'run', ...job, '--data', dataDir);
        const { stdout } = await run([], cli, 'jobs', job[0]!, '--json', '--data', dataDir);
        const [last] = (JSON.parse(stdout) as { readonly runs: readonly JobRun[] }).runs;
        expect(last).toMatchObject({ state: 'done' });
        expect(last!.peakMemoryBytes).toBeLessThan(JOB_BYTES);
      }
    },
    6 * PATIENCE_MILLISECONDS,
  );
});
