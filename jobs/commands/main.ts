import { Command } from 'commander';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { type Effects, realEffects } from '../../pipeline/effects/effects.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { allJobs } from '../definitions/all-jobs.ts';
import { pollSources } from '../definitions/poll-realtime.ts';
import { exitCode } from '../job/exit-code.ts';
import type { Job } from '../job/job.ts';
import { startSampleUpstream } from '../polling/sample-upstream.ts';
import { addAlertsCommand } from './alerts.ts';
import { addAnnouncementsCommand } from './announcements.ts';
import { addBackupCommand } from './backup.ts';
import { addBuildStreetsCommand } from './build-streets.ts';
import type { CommandTools, Services } from './command-tools.ts';
import { addCompletionCommand } from './completion.ts';
import { addDoctorCommand } from './doctor.ts';
import { showElapsed } from './elapsed-line.ts';
import { addExplainCommand } from './explain.ts';
import { addExportCommand } from './export.ts';
import { addInitCommand } from './init.ts';
import { type Io, printError } from './io.ts';
import { addJobsCommand } from './jobs.ts';
import { addPushKeyCommand } from './push-key.ts';
import { addReplayCommand } from './replay.ts';
import { addRestoreCommand } from './restore.ts';
import { addRunCommand } from './run.ts';
import { findFirstAnswer, runApi, runReplay } from './run-api.ts';
import { addScheduleCommand } from './schedule.ts';
import { addServeCommand } from './serve.ts';
import { addSqlCommand } from './sql.ts';
import { addStandbyCommand } from './standby.ts';
import { addStatusCommand } from './status.ts';
import { addStoreCommand } from './store.ts';
import { addUpCommand } from './up.ts';
import { addWorkCommand } from './work.ts';

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

const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 nothing to do (where asked with --exit-code),
130 or 143 stopped by a signal before it was done.`;

/**
 * Runs one command line.
 * @param argv arguments after the program's name
 * @returns the exit code; nothing is thrown, errors are printed to stderr
 */
export async function main(argv: readonly string[], io: Io, world: World = realWorld(io)): Promise<number> {
  let code: number = exitCode.done;
  const jobs = world.jobs ?? allJobs();
  const finish = (result: number) => {
    code = result;
  };
  const elapsed = showElapsed(io, world.effects.log);
  const effects = { ...world.effects, log: elapsed.log };
  try {
    const services = world.services ?? realServices;
    const program = await buildProgram({ io: elapsed.io, effects, services, jobs, finish });
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

/** Whether a command comes to an end by itself: neither a service nor the prompt of `sql`. */
function endsByItself(command: Command): boolean {
  const isPrompt = command.name() === 'sql' && command.args.length === 0;
  return !isPrompt && !['up', 'serve', 'schedule', 'work', 'replay'].includes(command.name());
}

function realWorld(io: Io): World {
  return {
    effects: realEffects({ clock: systemClock, log: terminalLog(io.stderr) }),
  };
}

async function buildProgram(tools: CommandTools): Promise<Command> {
  const { version } = JSON.parse(await readProjectFile('package.json')) as { version: string };
  const program = new Command('taktgeber')
    .description('Public-transport timetables in, Parquet and a fast read API out.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => tools.io.stdout.write(text),
      writeErr: (text) => tools.io.stderr.write(text),
      getOutHelpWidth: () => tools.io.stdout.columns ?? 100,
      getErrHelpWidth: () => tools.io.stderr.columns ?? 100,
    })
    .showHelpAfterError('(add --help for the usage)')
    .addHelpText('after', EXIT_CODES_HELP);
  for (const add of [
    addInitCommand,
    addUpCommand,
    addServeCommand,
    addReplayCommand,
    addJobsCommand,
    addRunCommand,
    addBuildStreetsCommand,
    addScheduleCommand,
    addWorkCommand,
    addSqlCommand,
    addExportCommand,
    addExplainCommand,
    addStandbyCommand,
    addPushKeyCommand,
    addAnnouncementsCommand,
    addStatusCommand,
    addStoreCommand,
    addAlertsCommand,
    addDoctorCommand,
    addBackupCommand,
    addRestoreCommand,
    addCompletionCommand,
  ]) {
    add(program, tools);
  }
  return program;
}
