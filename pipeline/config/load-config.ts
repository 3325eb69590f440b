import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse as parseYaml } from 'yaml';
import { isSystemError } from '../effects/world-error.ts';
import type { ConfiguredSource } from '../sources/configured-source.ts';
import { parseRealtime } from './realtime-config.ts';
import type { Setting } from './setting.ts';
import { isSetting, listSettings, type SettingGroup, type SettingValues, settings } from './settings.ts';
import { isRecord, parseSources, type SourceConfig } from './source-config.ts';
import { UsageError } from './usage-error.ts';

/** Everything that can be set, checked and frozen; made once per process. */
export type Config = SettingValues & {
  readonly sources: readonly SourceConfig[];
  readonly realtime: readonly ConfiguredSource[];
};

/** Where a value comes from: the name of an option, of a variable or of a file; `default` for nobody's. */
export type Origin = string;

export interface LoadedConfig {
  readonly config: Config;
  /** The configuration file that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** By dotted key, e.g. `fairUse.burst`. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** Variables that look like settings and are none, e.g. from a slip of the pen. */
  readonly unknownVariables: readonly string[];
}

export interface ConfigRequest {
  /** Configuration file, instead of the one that is looked for. */
  readonly file?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the command was typed: paths of options and variables start here. */
  readonly cwd: string;
  /** The project's folder: the default data folder lies in it. */
  readonly home: string;
  /** Options of the command line by dotted key; they win over everything. */
  readonly options?: ReadonlyMap<string, { readonly option: string; readonly value: string }>;
}

const FILE_NAMES = ['taktgeber.yaml', 'taktgeber.yml', 'taktgeber.json'];

/** Variables that are no settings, each with its reader elsewhere. */
const OTHER_VARIABLES = ['TAKTGEBER_CONFIG', 'TAKTGEBER_REAL_DATA'];

/**
 * Makes the configuration out of defaults, one file, the environment and options, the later winning.
 * @throws UsageError with one sentence per thing wrong, naming file or variable and what is allowed
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const file = await findConfigFile(request);
  const content = file ? await readConfigFile(file) : {};
  const problems = file ? unknownKeys(content, settings, '').map((problem) => `${file}: ${problem}`) : [];
  const values = new Map<string, unknown>();
  const origins = new Map<string, Origin>();
  for (const { key, setting } of listSettings()) {
    const reading = readSetting(key, setting, request, { file, content });
    if ('problem' in reading) problems.push(reading.problem);
    else {
      values.set(key, key === 'dataDir' ? path.resolve(reading.folder, String(reading.value)) : reading.value);
      origins.set(key, reading.origin);
    }
  }
  const list = parseSources(content.sources, file ? path.dirname(file) : request.cwd);
  const { realtime, problems: realtimeProblems } = parseRealtime(
    content.realtime,
    list.sources.map(({ id }) => id),
  );
  problems.push(...[...list.problems, ...realtimeProblems].map((problem) => `${file}: ${problem}`));
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const config = deepFreeze({ ...nest(settings, values, ''), sources: list.sources, realtime }) as unknown as Config;
  return { config, file, origins, unknownVariables: unknownVariables(request.environment) };
}

// ---- One setting -------------------------------------------------------------------------------

type Reading =
  | { readonly value: unknown; readonly origin: Origin; readonly folder: string }
  | { readonly problem: string };

interface ConfigFile {
  readonly file: string | null;
  readonly content: Record<string, unknown>;
}

function readSetting(key: string, setting: Setting<unknown>, request: ConfigRequest, from: ConfigFile): Reading {
  const option = request.options?.get(key);
  if (option) return readText(setting, option.value, option.option, request.cwd);
  const variable = request.environment[setting.environment];
  // A variable set to nothing counts as not set: compose files and CI systems pass on empty ones.
  if (variable !== undefined && variable !== '') return readText(setting, variable, setting.environment, request.cwd);
  const value = from.file ? findByKey(from.content, key) : undefined;
  if (value === undefined || from.file === null) {
    return { value: setting.default, origin: 'default', folder: request.home };
  }
  if (value === null && setting.default === null) return { value, origin: from.file, folder: request.home };
  return setting.accepts(value)
    ? { value, origin: from.file, folder: path.dirname(from.file) }
    : { problem: `${from.file}: ${refusal(key, setting, value)}` };
}

/** Reads a setting from text, as options and variables bring it. */
function readText(setting: Setting<unknown>, raw: string, origin: Origin, folder: string): Reading {
  const value = fromText(setting, raw.trim());
  return setting.accepts(value) ? { value, origin, folder } : { problem: refusal(origin, setting, raw) };
}

function fromText(setting: Setting<unknown>, raw: string): unknown {
  if (setting.type === 'boolean') return { true: true, '1': true, false: false, '0': false }[raw.toLowerCase()];
  if (setting.type === 'string') return raw;
  return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
}

function refusal(name: string, setting: Setting<unknown>, value: unknown): string {
  const shown = setting.isSecret ? '' : ` is ${JSON.stringify(value)}, but`;
  return `${name}${shown} must be ${setting.allowed}`;
}

function findByKey(content: Record<string, unknown>, key: string): unknown {
  return key.split('.').reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), content);
}

// ---- The file ----------------------------------------------------------------------------------

async function findConfigFile(request: ConfigRequest): Promise<string | null> {
  const named = request.file ?? (request.environment.TAKTGEBER_CONFIG || undefined);
  if (named) return path.resolve(request.cwd, named);
  for (const folder of new Set([request.cwd, request.home, dataFolderBeforeFile(request)])) {
    const found = await filesThatExist(FILE_NAMES.map((name) => path.join(folder, name)));
    if (found.length > 1) throw new UsageError(`there are ${found.join(' and ')}: keep one, or name it with --config`);
    if (found[0]) return found[0];
  }
  return null;
}

/** The data folder as far as it is known without the file that is being looked for. */
function dataFolderBeforeFile({ options, environment, cwd, home }: ConfigRequest): string {
  const named = options?.get('dataDir')?.value ?? environment[settings.dataDir.environment];
  return named ? path.resolve(cwd, named) : path.resolve(home, settings.dataDir.default);
}

async function filesThatExist(candidates: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const candidate of candidates) {
    if ((await findText(candidate)) !== null) found.push(candidate);
  }
  return found;
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw new UsageError(`cannot read the configuration file ${file}: ${(error as Error).message}`);
  }
}

async function readConfigFile(file: string): Promise<Record<string, unknown>> {
  const content = await findText(file);
  if (content === null) throw new UsageError(`there is no configuration file ${file}`);
  // JSON is YAML, so one reader serves both.
  let parsed: unknown;
  try {
    parsed = parseYaml(content);
  } catch (error) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${(error as Error).message.split('\n')[0]}`);
  }
  if (parsed === null) return {};
  if (!isRecord(parsed)) throw new UsageError(`${file} must hold settings as "key: value"`);
  return parsed;
}

function unknownKeys(content: Record<string, unknown>, group: SettingGroup, prefix: string): string[] {
  const allowed = [...Object.keys(group), ...(prefix === '' ? ['sources', 'realtime'] : [])];
  return Object.entries(content).flatMap(([name, value]) => {
    if (!allowed.includes(name)) return [`unknown key "${prefix}${name}"; allowed are ${allowed.join(', ')}`];
    const entry = group[name];
    if (entry === undefined || isSetting(entry)) return [];
    if (isRecord(value)) return unknownKeys(value, entry, `${prefix}${name}.`);
    return value === null ? [] : [`${prefix}${name} must hold ${Object.keys(entry).join(', ')}`];
  });
}

// ---- The whole ---------------------------------------------------------------------------------

function unknownVariables(environment: ConfigRequest['environment']): string[] {
  const known = new Set([...listSettings().map(({ setting }) => setting.environment), ...OTHER_VARIABLES]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('TAKTGEBER_') && !known.has(name))
    .sort();
}

function nest(group: SettingGroup, values: ReadonlyMap<string, unknown>, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(group).map(([name, entry]) => [
      name,
      isSetting(entry) ? values.get(`${prefix}${name}`) : nest(entry, values, `${prefix}${name}.`),
    ]),
  );
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
