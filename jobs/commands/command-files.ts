import type { Command } from 'commander';
import type { CommandTools } from './command-tools.ts';

/** Adds one command to the program. */
type AddCommand = (program: Command, tools: CommandTools) => void;

/** Loads the file of each command, in the order of `--help`: a command line loads only its own. */
export const commandFiles: Readonly<Record<string, () => Promise<AddCommand>>> = {
  init: async () => (await import('./init.ts')).addInitCommand,
  up: async () => (await import('./up.ts')).addUpCommand,
  serve: async () => (await import('./serve.ts')).addServeCommand,
  replay: async () => (await import('./replay.ts')).addReplayCommand,
  jobs: async () => (await import('./jobs.ts')).addJobsCommand,
  run: async () => (await import('./run.ts')).addRunCommand,
  'build-streets': async () => (await import('./build-streets.ts')).addBuildStreetsCommand,
  'build-places': async () => (await import('./build-places.ts')).addBuildPlacesCommand,
  schedule: async () => (await import('./schedule.ts')).addScheduleCommand,
  work: async () => (await import('./work.ts')).addWorkCommand,
  sql: async () => (await import('./sql.ts')).addSqlCommand,
  export: async () => (await import('./export.ts')).addExportCommand,
  explain: async () => (await import('./explain.ts')).addExplainCommand,
  standby: async () => (await import('./standby.ts')).addStandbyCommand,
  'push-key': async () => (await import('./push-key.ts')).addPushKeyCommand,
  announcements: async () => (await import('./announcements.ts')).addAnnouncementsCommand,
  status: async () => (await import('./status.ts')).addStatusCommand,
  store: async () => (await import('./store.ts')).addStoreCommand,
  alerts: async () => (await import('./alerts.ts')).addAlertsCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
  backup: async () => (await import('./backup.ts')).addBackupCommand,
  restore: async () => (await import('./restore.ts')).addRestoreCommand,
  completion: async () => (await import('./completion.ts')).addCompletionCommand,
};

/** Commands that describe the others. */
const OF_ALL = ['completion', 'help'];
const VERSION = ['--version', '-V'];

/** The commands that a command line needs: the named one; none to print the version; all for anything else. */
export function chooseCommands([first = '']: readonly string[]): readonly string[] {
  if (VERSION.includes(first)) return [];
  const names = Object.keys(commandFiles);
  return names.includes(first) && !OF_ALL.includes(first) ? [first] : names;
}
