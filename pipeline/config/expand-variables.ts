import { isRecord } from './source-config.ts';

export interface Expansion {
  readonly content: Record<string, unknown>;
  /** Keys such as `realtime[0].key` whose text came, in whole or in part, from the environment. */
  readonly expanded: ReadonlySet<string>;
  /** One sentence for each variable that is named and not set. */
  readonly problems: readonly string[];
}

/** `$${NAME}` is the escape: it stands for the characters `${NAME}`. */
const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${NAME}` in every text of a configuration file by the variable of that name, so that keys of upstreams
 * need not be written into the file. Names of keys stay as they are.
 * A variable that is set to nothing counts as not set, as everywhere in the configuration.
 */
export function expandVariables(
  content: Record<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): Expansion {
  const expanded = new Set<string>();
  const problems: string[] = [];

  const expandText = (text: string, key: string): string =>
    text.replace(REFERENCE, (reference, name: string) => {
      if (reference.startsWith('$$')) return reference.slice(1);
      expanded.add(key);
      const value = environment[name];
      if (value === undefined || value === '') problems.push(`${key} names the variable ${name}, which is not set`);
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
