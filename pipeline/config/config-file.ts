import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { isSystemError } from '../effects/external-error.ts';
import { UsageError } from '../effects/usage-error.ts';
import { settings } from './settings.ts';
import { isRecord } from './source-config.ts';

/** A configuration file as it was read. */
export interface ConfigFile {
  /** Absolute path. */
  readonly file: string;
  readonly content: Record<string, unknown>;
  /**
   * Returns file and line of a dotted key, e.g. `/srv/taktgeber.yaml:7`; for a key that is absent, the line of what
   * should contain it.
   */
  locate(key: string): string;
}

/** Where a configuration file is searched for. */
export interface FileRequest {
  /** Configuration file; absent: searched for. */
  readonly file?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Working directory: base of relative paths in options and variables. */
  readonly cwd: string;
  /** The folder of the default data folder. */
  readonly home: string;
  /** Command-line options by dotted key; they take precedence over all others. */
  readonly options?: ReadonlyMap<string, { readonly option: string; readonly value: string }>;
}

/** Names of configuration files that are searched for; of one folder only one is allowed. */
export const CONFIG_FILES = ['taktgeber.yaml', 'taktgeber.yml', 'taktgeber.json'] as const;

/**
 * Reads the named configuration file, or the first that is found.
 * @returns null when none is named and none is found
 * @throws UsageError for a file that cannot be read or parsed, and for two in one folder
 */
export async function findConfigFile(request: FileRequest): Promise<ConfigFile | null> {
  const file = await findFile(request);
  if (file === null) return null;
  const text = await findText(file);
  if (text === null) throw new UsageError(`there is no configuration file ${file}`);
  return parseConfigFile(file, text);
}

async function findFile(request: FileRequest): Promise<string | null> {
  const named = request.file ?? (request.environment.TAKTGEBER_CONFIG || undefined);
  if (named) return path.resolve(request.cwd, named);
  for (const folder of new Set([request.cwd, request.home, dataFolderBeforeFile(request)])) {
    const found = await filesThatExist(CONFIG_FILES.map((name) => path.join(folder, name)));
    if (found.length > 1)
      throw new UsageError(`found ${found.join(' and ')}. Remove all but one, or choose one with --config`);
    if (found[0]) return found[0];
  }
  return null;
}

/** The data folder according to options and environment, before the configuration file is found. */
function dataFolderBeforeFile({ options, environment, cwd, home }: FileRequest): string {
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

/** JSON is valid YAML, so one parser reads both. */
function parseConfigFile(file: string, text: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error) {
    const sentence = error.message.split('\n')[0]!.replace(/ at line \d+, column (\d+):?$/, ' at column $1');
    throw new UsageError(`${file}:${lines.linePos(error.pos[0]).line}: this is neither YAML nor JSON: ${sentence}`);
  }
  const content = toContent(file, document);
  return {
    file,
    content,
    locate: (key) => {
      const offset = findOffset(document, key);
      return offset === null ? file : `${file}:${lines.linePos(offset).line}`;
    },
  };
}

function toContent(file: string, document: Document): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = document.toJS();
  } catch (error) {
    // Aliases of aliases, which would fill the memory.
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (parsed === null || parsed === undefined) return {};
  if (!isRecord(parsed)) throw new UsageError(`${file}:1: it must hold settings as "key: value"`);
  return parsed;
}

/** Position of the deepest level of a dotted key that the document contains; null when it contains none. */
function findOffset(document: Document, key: string): number | null {
  let node: unknown = document.contents;
  // A key that itself contains a dot, where a level was meant.
  const flat = findLevel(node, key)?.at;
  if (isNode(flat)) return flat.range?.[0] ?? null;
  let offset: number | null = null;
  for (const level of key.split(/[.[\]]+/).filter((part) => part !== '')) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const found = findLevel(holder, level);
    if (found === null) return offset;
    offset = isNode(found.at) ? (found.at.range?.[0] ?? offset) : offset;
    node = found.value;
  }
  return offset;
}

function findLevel(node: unknown, level: string): { readonly at: unknown; readonly value: unknown } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === level);
    return pair ? { at: pair.key, value: pair.value } : null;
  }
  const item = isSeq(node) ? node.items[Number(level)] : undefined;
  return item === undefined ? null : { at: item, value: item };
}
