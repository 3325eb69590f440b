import type { Command } from 'commander';
import { type Job, noOptions } from '../job/job.ts';
import { exitCodeOf, runJob } from '../runner/run.ts';
import { type CommandTools, type CommonOptions, loadCommandConfig } from './command-tools.ts';
import { printJson, printLine } from './io.ts';

/** Options of every command that builds a snapshot from an OpenStreetMap extract. */
export interface BuildOptions extends CommonOptions {
  readonly from: string;
  readonly exitCode?: boolean;
  readonly json?: boolean;
}

/** Adds the options after `--from`. @param what is built, for the help: "graph" */
export function addBuildOptions(command: Command, what: string): Command {
  return command
    .option('--exit-code', `exit with 3 if the ${what} is unchanged`)
    .option('--json', 'print the result as JSON');
}

/** Runs a job that only its command can start, as no schedule may run it. @returns the exit code */
export async function runBuildJob(job: Job, options: BuildOptions, tools: CommandTools): Promise<number> {
  const { io, effects } = tools;
  const config = await loadCommandConfig(tools, options, { isWriter: true });
  const record = await runJob(job, { config, effects, options: noOptions, stopping: io.interrupt });
  if (options.json) printJson(io, { job: job.name, ...record });
  else if (record.status === 'failed') io.stderr.write(`error: ${record.summary}\n`);
  else printLine(io, `${job.name}: ${record.summary} (${record.durationSeconds} s)`);
  return exitCodeOf(record, { isDetailed: options.exitCode === true });
}
