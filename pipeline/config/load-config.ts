import path from 'node:path';
import { type ConfigProblem, nearestName, UsageError, unknownKey } from '../effects/usage-error.ts';
import type { SourceId } from '../model/ids.ts';
import { type ConfigFile, type FileRequest, findConfigFile } from './config-file.ts';
import type { ConfiguredSource } from './configured-source.ts';
import { type FormerName, formerNames } from './former-names.ts';
import type { Setting } from './setting.ts';
import { isSetting, listSettings, type SettingGroup, type SettingValues, settings } from './settings.ts';
import { isRecord, parseSources, type SourceConfig } from './source-config.ts';

interface Expansion {
  readonly content: Record<string, unknown>;
  /** Keys such as `realtime[0].key` whose text contains a variable of the environment. */
  readonly expanded: ReadonlySet<string>;
  /** Referenced variables that are not set. */
  readonly problems: readonly ConfigProblem[];
}

/** `$${NAME}` is the escape for the characters `${NAME}`. */
const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${NAME}` in all text values of a configuration file by the variable of that name, so that keys of upstreams
 * need not be written into the file. An empty variable counts as not set, as everywhere in the configuration.
 */
function expandVariables(
  content: Record<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): Expansion {
  const expanded = new Set<string>();
  const problems: ConfigProblem[] = [];

  const expandText = (text: string, key: string): string =>
    text.replace(REFERENCE, (reference, name: string) => {
      if (reference.startsWith('$$')) return reference.slice(1);
      expanded.add(key);
      const value = environment[name];
      if (value === undefined || value === '') {
        problems.push({ key, sentence: `${key} names the variable ${name}, which is not set` });
      }
      return value ?? '';
    });

  const expand = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return expandText(value, key);
    if (Array.isArray(value)) return value.map((item, index) => expand(item, `${key}[${index}]`));
    if (!isRecord(value)) return value;
    const prefix = key === '' ? '' : `${key}.`;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, expand(part, `${prefix}${name}`)]));
  };

  return { content: expand(content, '') as Record<string, unknown>, expanded, problems };
}

/** All settings, validated and frozen; created once per process. */
export type Config = SettingValues & {
  readonly sources: readonly SourceConfig[];
  readonly realtime: readonly ConfiguredSource[];
};

/** Where a value comes from: the name of an option, of a variable or of a file; `default` when nothing sets it. */
type Origin = string;

interface LoadedConfig {
  readonly config: Config;
  /** The configuration file that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** By dotted key, e.g. `fairUse.burst`. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** Variables that look like settings but are unknown, e.g. misspelt, each with the most similar setting. */
  readonly unknownVariables: readonly { readonly name: string; readonly nearest: string | null }[];
  /** Former names in use: a variable, or a line of the file, with the name to use instead. */
  readonly renamed: readonly { readonly former: string; readonly current: string }[];
}

export type ConfigRequest = FileRequest;

/** Variables that are not settings and are read elsewhere. */
const OTHER_VARIABLES = ['TAKTGEBER_CONFIG', 'TAKTGEBER_REAL_DATA'];

/**
 * Builds the configuration from defaults, one file, the environment and options; each takes precedence over those
 * before.
 * @throws UsageError with one sentence per problem, naming file and line or the variable, and what is allowed
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const configFile = await findConfigFile(request);
  const expansion = expandVariables(configFile?.content ?? {}, request.environment);
  const { content } = expansion;
  const file = configFile?.file ?? null;
  const { values, origins, problems } = readSettings(request, { configFile, expansion });
  const list = parseSources(content.sources, file ? path.dirname(file) : request.cwd);
  const { realtime, problems: realtimeProblems } = await readRealtime(
    content.realtime,
    list.sources.map(({ id }) => id),
  );
  const fileProblems = [
    ...expansion.problems,
    ...unknownKeys(content, settings, ''),
    ...list.problems,
    ...realtimeProblems,
  ].map(({ key, sentence }) => `${configFile?.locate(key)}: ${sentence}`);
  problems.unshift(...fileProblems);
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const config = deepFreeze({ ...nest(settings, values, ''), sources: list.sources, realtime }) as unknown as Config;
  const describeOrigin = (key: string) => (origins.get(key) === file ? configFile?.locate(key) : origins.get(key));
  const contradictions = contradictionsOf(config, describeOrigin);
  if (contradictions.length > 0) throw new UsageError(contradictions.join('\n'));
  const renamed = findFormerNames(request.environment, configFile);
  return { config, file, origins, unknownVariables: unknownVariables(request.environment), renamed };
}

/** Loads the schemas of the entries only when there is a list. */
async function readRealtime(list: unknown, timetables: readonly SourceId[]) {
  if (list === undefined || list === null) return { realtime: [], problems: [] };
  const { parseRealtime } = await import('./realtime-config.ts');
  return parseRealtime(list, timetables);
}

// ---- One setting -------------------------------------------------------------------------------

type Reading =
  | { readonly value: unknown; readonly origin: Origin; readonly folder: string }
  | { readonly problem: string };

/** The file, and its content with variables replaced. */
interface ExpandedFile {
  readonly configFile: ConfigFile | null;
  readonly expansion: Expansion;
}

function readSettings(request: ConfigRequest, from: ExpandedFile) {
  const values = new Map<string, unknown>();
  const origins = new Map<string, Origin>();
  const problems: string[] = [];
  for (const { key, setting } of listSettings()) {
    // The file is checked even where an option or variable overrides it: a bad value would otherwise surface later.
    const inFile = readFromFile(key, setting, from);
    if (inFile !== null && 'problem' in inFile) problems.push(inFile.problem);
    const reading = readFromProcess(key, setting, request) ??
      inFile ?? { value: setting.default, origin: 'default', folder: request.home };
    if ('problem' in reading) {
      if (reading !== inFile) problems.push(reading.problem);
      continue;
    }
    values.set(key, key === 'dataDir' ? path.resolve(reading.folder, String(reading.value)) : reading.value);
    origins.set(key, reading.origin);
  }
  return { values, origins, problems };
}

/** Value from an option or a variable; null when neither is set. */
function readFromProcess(key: string, setting: Setting<unknown>, request: ConfigRequest): Reading | null {
  const option = request.options?.get(key);
  if (option) return readText(setting, option.value, option.option, request.cwd);
  // An empty variable counts as not set: compose files and CI systems pass on empty ones.
  const name = [setting.environment, findFormer(key)?.environment].find((one) => one && request.environment[one]);
  return name ? readText(setting, request.environment[name] ?? '', name, request.cwd) : null;
}

function findFormer(key: string): FormerName | undefined {
  return formerNames.find(({ current }) => current === key);
}

function findFormerNames(environment: ConfigRequest['environment'], file: ConfigFile | null): LoadedConfig['renamed'] {
  const currentNames = new Map(listSettings().map(({ key, setting }) => [key, setting.environment]));
  return formerNames.flatMap(({ key, environment: variable, current }) => [
    ...(environment[variable] ? [{ former: variable, current: currentNames.get(current) ?? current }] : []),
    ...(file && findByKey(file.content, key) !== undefined ? [{ former: `${file.locate(key)}: ${key}`, current }] : []),
  ]);
}

/** Null when the file lacks the key, or references a variable that is not set, which is reported separately. */
function readFromFile(
  name: string,
  setting: Setting<unknown>,
  { configFile, expansion }: ExpandedFile,
): Reading | null {
  const former = findFormer(name)?.key;
  const key = former && findByKey(expansion.content, name) === undefined ? former : name;
  const found = findByKey(expansion.content, key);
  if (configFile === null || found === undefined) return null;
  const { file } = configFile;
  const isExpanded = expansion.expanded.has(key);
  if (isExpanded && found === '') return null;
  const value = isExpanded && !Array.isArray(found) ? fromText(setting, String(found)) : found;
  const isUnset = value === null && setting.default === null;
  if (isUnset || setting.accepts(value)) return { value, origin: file, folder: path.dirname(file) };
  // A value from a variable may be a misplaced secret, so it is not shown.
  const refused = isExpanded ? `${key} must be ${setting.allowed}` : refusal(key, setting, value);
  return { problem: `${configFile.locate(key)}: ${refused}` };
}

/** Parses a setting from the text of an option or variable. */
function readText(setting: Setting<unknown>, raw: string, origin: Origin, folder: string): Reading {
  const value = fromText(setting, raw.trim());
  return setting.accepts(value) ? { value, origin, folder } : { problem: refusal(origin, setting, raw) };
}

function fromText(setting: Setting<unknown>, raw: string): unknown {
  if (setting.type === 'boolean') return { true: true, '1': true, false: false, '0': false }[raw.toLowerCase()];
  if (setting.type === 'string') return raw;
  if (setting.type === 'words') return toWords(raw);
  return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
}

/** A list as JSON, where a word holds a blank; else words with blanks in between. No shell reads them. */
function toWords(raw: string): unknown {
  if (!raw.startsWith('[')) return raw.split(/\s+/);
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function refusal(name: string, setting: Setting<unknown>, value: unknown): string {
  const shown = setting.isSecret ? '' : ` is ${JSON.stringify(value)}, but`;
  return `${name}${shown} must be ${setting.allowed}`;
}

function findByKey(content: Record<string, unknown>, key: string): unknown {
  return key.split('.').reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), content);
}

function unknownKeys(content: Record<string, unknown>, group: SettingGroup, prefix: string): ConfigProblem[] {
  const isFormer = (name: string) => formerNames.some(({ key }) => key === `${prefix}${name}`);
  const allowed = [...Object.keys(group), ...(prefix === '' ? ['sources', 'realtime'] : [])];
  const elsewhere = listSettings().map(({ key }) => key);
  return Object.entries(content).flatMap(([name, value]) => {
    if (isFormer(name)) return [];
    if (!allowed.includes(name)) return [unknownKey(prefix, name, allowed, elsewhere)];
    const entry = group[name];
    if (entry === undefined || isSetting(entry)) return [];
    if (isRecord(value)) return unknownKeys(value, entry, `${prefix}${name}.`);
    const key = `${prefix}${name}`;
    return value === null ? [] : [{ key, sentence: `${key} must hold ${Object.keys(entry).join(', ')}` }];
  });
}

// ---- The whole ---------------------------------------------------------------------------------

/** Values that are each allowed but contradict each other. */
function contradictionsOf(config: Config, describeOrigin: (key: string) => Origin | undefined): string[] {
  return [...contradictoryLimits(config, describeOrigin), ...missingEngine(config, describeOrigin)];
}

function missingEngine({ engine, trino }: Config, describeOrigin: (key: string) => Origin | undefined): string[] {
  if (engine !== 'trino' || trino.url !== null) return [];
  return [`engine is trino (${describeOrigin('engine')}), but trino.url is not set`];
}

function contradictoryLimits({ history }: Config, describeOrigin: (key: string) => Origin | undefined): string[] {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds } = history;
  if (lateMinDelaySeconds >= onTimeMaxDelaySeconds) return [];
  const late = `history.lateMinDelaySeconds is ${lateMinDelaySeconds} (${describeOrigin('history.lateMinDelaySeconds')})`;
  const onTime = `${onTimeMaxDelaySeconds} (${describeOrigin('history.onTimeMaxDelaySeconds')})`;
  return [`${late}, but must not be below history.onTimeMaxDelaySeconds, which is ${onTime}`];
}

function unknownVariables(environment: ConfigRequest['environment']): LoadedConfig['unknownVariables'] {
  const former = formerNames.map(({ environment: variable }) => variable);
  const known = [...listSettings().map(({ setting }) => setting.environment), ...OTHER_VARIABLES];
  return Object.keys(environment)
    .filter((name) => name.startsWith('TAKTGEBER_') && !known.includes(name) && !former.includes(name))
    .sort()
    .map((name) => ({ name, nearest: nearestName(name, known) }));
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
