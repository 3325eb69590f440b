import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { fitToMemory } from '../../pipeline/config/fit-to-memory.ts';
import { type Config, loadConfig } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { findMemoryBytes } from '../../pipeline/effects/machine-memory.ts';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { readProxyRules } from '../../pipeline/effects/proxy.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { parseServiceDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import type { Job } from '../job/job.ts';
import { checkTimeLimits } from '../job/time-limit.ts';
import { openDataFolder } from '../open-data-folder.ts';
import type { PollingFunctions } from '../polling/keep-polling.ts';
import type { Io } from './io.ts';
import type { findFirstAnswer, runApi, runReplay } from './run-api.ts';

/** Services that commands start; tests replace them. */
export interface Services extends PollingFunctions {
  readonly startApi: typeof runApi;
  readonly startReplay: typeof runReplay;
  readonly findFirstAnswer: typeof findFirstAnswer;
}

/** Dependencies of all commands. */
export interface CommandTools {
  readonly io: Io;
  readonly effects: Effects;
  readonly services: Services;
  readonly jobs: readonly Job[];
  /** Called once, with the exit code of the command that ran. */
  finish(code: number): void;
}

/** Common options; those that a command does not offer are undefined. */
export interface CommonOptions {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
}

export function addCommonOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: taktgeber.yaml, .yml or .json, see docs/settings.md)')
    .option('--data <folder>', 'data folder (setting dataDir)');
}

export function addListenOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port of the API (setting port)')
    .option('--host <address>', 'address of the API (setting host)');
}

/**
 * Adds `--concurrency`, and the former name of the option, which `--help` omits.
 * @param former such as `--parallel`
 */
export function addConcurrencyOption(command: Command, description: string, former: string): Command {
  const hidden = new Option(`${former} <n>`).argParser(parseCount).hideHelp();
  return command.option('--concurrency <n>', description, parseCount).addOption(hidden);
}

/** @returns the value of the former option, if only that is given, with a warning */
export function readConcurrency(
  { concurrency, ...options }: { readonly concurrency?: number; readonly parallel?: number; readonly lanes?: number },
  { effects }: CommandTools,
): number | undefined {
  const former = Object.entries({ parallel: options.parallel, lanes: options.lanes }).find(([, value]) => value);
  if (former) effects.log.warn(`--${former[0]} was renamed. Use --concurrency.`);
  return concurrency ?? former?.[1];
}

/** Command-line options that set settings. */
const SETTING_OPTIONS = [
  ['dataDir', '--data', 'data'],
  ['port', '--port', 'port'],
  ['host', '--host', 'host'],
] as const;

/**
 * Loads the configuration, with the options of the command applied, and opens the data folder: every command that uses
 * the folder begins with this.
 * @param isWriter whether the command writes to the folder: then a new one is marked with its format
 * @throws UsageError when the configuration is invalid; what `openDataFolder` throws
 */
export async function loadCommandConfig(
  tools: CommandTools,
  options: CommonOptions,
  { isWriter = false } = {},
): Promise<Config> {
  const config = await readCommandConfig(tools, options);
  await openDataFolder({ dataDir: config.dataDir, isWritten: isWriter }, tools.effects);
  return config;
}

/**
 * Loads the configuration without looking at the data folder.
 * @throws UsageError when it is invalid
 */
export async function readCommandConfig(tools: CommandTools, options: CommonOptions): Promise<Config> {
  const { config, warnings } = await resolveConfig(tools, options);
  for (const warning of warnings) tools.effects.log.warn(warning);
  return config;
}

/**
 * As `loadCommandConfig`, for a command that runs on as a service and writes to the folder: its messages are a log, in
 * the form of the configuration.
 * @returns the configuration, and the tools with that log
 * @throws UsageError when the configuration is invalid; ExternalError `proxy_invalid`; what `openDataFolder` throws
 */
export async function loadServiceConfig(
  tools: CommandTools,
  options: CommonOptions,
): Promise<{ readonly config: Config; readonly tools: CommandTools }> {
  const { config, warnings } = await resolveConfig(tools, options);
  const { io } = tools;
  // Imported on demand: most commands log nothing as JSON.
  const { isLogPretty, jsonLog } = await import('../../pipeline/effects/service-log.ts');
  const log = isLogPretty(config.logFormat, io.stderr) ? tools.effects.log : jsonLog(config.logLevel, io.stderr);
  for (const warning of warnings) log.warn(warning);
  // Read here as well, so that an invalid variable is an error of the start and not of every request.
  const { description } = readProxyRules(io.environment);
  if (description !== null) log.info(`${description}; pushes and the object store are reached directly`);
  const effects = { ...tools.effects, log };
  await openDataFolder({ dataDir: config.dataDir, isWritten: true }, effects);
  return { config, tools: { ...tools, effects } };
}

/** @returns `warnings`: one sentence for each variable that is not a setting, and for each former name */
async function resolveConfig(
  { io, jobs }: CommandTools,
  options: CommonOptions,
): Promise<{ readonly config: Config; readonly warnings: readonly string[] }> {
  const typed = SETTING_OPTIONS.flatMap(([key, option, name]) => {
    const value = options[name];
    return value === undefined ? [] : [[key, { option, value }] as const];
  });
  const {
    config: loaded,
    unknownVariables,
    renamed,
    origins,
  } = await loadConfig({
    file: options.config,
    environment: io.environment,
    cwd: io.cwd,
    home: isInstalled ? io.cwd : projectRoot,
    options: new Map(typed),
  });
  const config = fitToMemory(loaded, findMemoryBytes());
  checkTimeLimits(config, jobs);
  const unknown = unknownVariables.map(({ name, nearest }) => {
    const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
    return `${name} is set, but there is no such setting${hint}`;
  });
  const warnings = [...unknown, ...renamed.map(({ former, current }) => `${former} was renamed. Use ${current}.`)];
  // A service in a terminal logs only what is useful to a person; a stored log contains everything.
  const isHandStarted = io.stderr.isTTY === true && origins.get('logLevel') === 'default';
  return { config: isHandStarted ? { ...config, logLevel: 'warn' } : config, warnings };
}

/** An installed program has no sources. An upgrade may replace its whole folder, so it keeps no data there. */
const isInstalled = !existsSync(projectPath('tsconfig.json'));

/** Adds examples to a command's help. */
export function addExamples(command: Command, examples: readonly (readonly [line: string, meaning: string])[]): void {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}  ${meaning}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** For commander: a whole number, at least 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

/**
 * Parses the day given as the value of an option.
 * @throws UsageError
 */
export function readDay(option: string, text: string): ServiceDate {
  const date = parseServiceDate(text);
  if (date === null) throw new UsageError(`${option} is "${text}", but must be a day as in 2026-03-29`);
  return date;
}

/** The same for an optional option: null when absent. */
export function findDay(option: string, text: string | undefined): ServiceDate | null {
  return text === undefined ? null : readDay(option, text);
}

/**
 * Returns the manifest of the published timetable.
 * @returns null when none is published yet
 */
export async function findPublishedTimetable(dataDir: string): Promise<TimetableManifest | null> {
  // Imported on demand, as it loads the reader of snapshots, which most commands do not need.
  const { findCurrentTimetableId, readTimetableManifest } = await import('../../pipeline/snapshots/timetable-files.ts');
  const id = await findCurrentTimetableId(dataDir);
  return id === null ? null : readTimetableManifest(dataDir, id);
}
