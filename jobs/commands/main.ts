import { Command } from 'commander';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { type Effects, realEffects } from '../../pipeline/effects/effects.ts';
import { countColumns, terminalLog } from '../../pipeline/effects/log.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { pollSources } from '../definitions/poll-realtime.ts';
import { exitCode } from '../job/exit-code.ts';
import type { Job } from '../job/job.ts';
import { startSampleUpstream } from '../polling/sample-upstream.ts';
import { chooseCommands, commandFiles } from './command-files.ts';
import type { CommandTools, Services } from './command-tools.ts';
import { showElapsed } from './elapsed-line.ts';
import { type Io, printError } from './io.ts';
import { findFirstAnswer, runApi, runReplay } from './run-api.ts';

/** Dependencies of a command outside of the command line. */
interface World {
  readonly effects: Effects;
  readonly services?: Services;
  /** All jobs by default; tests pass fewer. */
  readonly jobs?: readonly Job[];
}

const realServices: Services = {
  startApi: runApi,
  startReplay: runReplay,
  findFirstAnswer,
  pollRealtime: pollSources,
  startSampleUpstream,
};

/** Width of `--help` in a pipe. */
const HELP_COLUMNS = 100;

const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 nothing to do (only with --exit-code),
130 or 143 stopped by a signal before it was done.`;

/**
 * Runs one command line.
 * @param argv arguments after the program's name
 * @returns the exit code; nothing is thrown, errors are printed to stderr
 */
export async function main(argv: readonly string[], io: Io, world: World = realWorld(io)): Promise<number> {
  let code: number = exitCode.done;
  const finish = (result: number) => {
    code = result;
  };
  const elapsed = showElapsed(io, world.effects.log);
  const effects = { ...world.effects, log: elapsed.log };
  try {
    const services = world.services ?? realServices;
    const names = chooseCommands(argv);
    const jobs = world.jobs ?? (names.length === 0 ? [] : await loadJobs());
    const program = await buildProgram(names, { io: elapsed.io, effects, services, jobs, finish });
    program.hook('preAction', (_program, command) => {
      if (endsByItself(command)) elapsed.begin([command.name(), ...command.args.slice(0, 1)].join(' '));
    });
    await program.parseAsync([...argv], { from: 'user' });
    elapsed.end();
    return code;
  } catch (error) {
    elapsed.end();
    return printError(error, io);
  }
}

/** Whether a command ends by itself: neither a service nor the prompt of `sql`. */
function endsByItself(command: Command): boolean {
  const isPrompt = command.name() === 'sql' && command.args.length === 0;
  return !isPrompt && !['up', 'serve', 'schedule', 'work', 'replay'].includes(command.name());
}

function realWorld(io: Io): World {
  return {
    effects: realEffects({ clock: systemClock, log: terminalLog(io.stderr) }),
  };
}

async function loadJobs(): Promise<readonly Job[]> {
  const { allJobs } = await import('../definitions/all-jobs.ts');
  return allJobs();
}

/** @param names of the commands that it has */
async function buildProgram(names: readonly string[], tools: CommandTools): Promise<Command> {
  const { version } = JSON.parse(await readProjectFile('package.json')) as { version: string };
  const program = new Command('taktgeber')
    .description('Public-transport timetables in, Parquet and a fast read API out.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => tools.io.stdout.write(text),
      writeErr: (text) => tools.io.stderr.write(text),
      getOutHelpWidth: () => countColumns(tools.io.stdout, HELP_COLUMNS),
      getErrHelpWidth: () => countColumns(tools.io.stderr, HELP_COLUMNS),
    })
    .showHelpAfterError('(add --help for the usage)')
    .addHelpText('after', EXIT_CODES_HELP);
  for (const name of names) {
    const add = await commandFiles[name]!();
    add(program, tools);
  }
  return program;
}
