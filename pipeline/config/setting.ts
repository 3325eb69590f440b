type SettingType = 'string' | 'integer' | 'number' | 'boolean' | 'words';

/** A setting without its name: the entries of the table in `settings.ts`. */
export interface Setting<Value> {
  readonly environment: string;
  readonly type: SettingType;
  /** Null: not set by default. */
  readonly default: Value;
  /** Allowed values, to complete "must be …". */
  readonly allowed: string;
  /** One sentence. */
  readonly about: string;
  /** A secret's value appears in no message, no log and no listing. */
  readonly isSecret: boolean;
  accepts(value: unknown): value is NonNullable<Value>;
}

interface Naming {
  readonly environment: string;
  readonly about: string;
}

interface NumberNaming<Default extends number | null = number> extends Naming {
  readonly default: Default;
  readonly minimum: number;
  readonly maximum: number;
}

interface TextNaming<Default extends string | null> extends Naming {
  readonly default: Default;
  readonly allowed?: string;
  readonly pattern?: RegExp;
  readonly isSecret?: boolean;
  readonly isAllowed?: (text: string) => boolean;
}

export function integer<Default extends number | null = number>(
  naming: NumberNaming<Default>,
): Setting<Default | number> {
  return numeric('integer', 'a whole number', naming);
}

export function number(naming: NumberNaming): Setting<number> {
  return numeric('number', 'a number', naming);
}

function numeric<Default extends number | null>(
  type: 'integer' | 'number',
  noun: string,
  naming: NumberNaming<Default>,
): Setting<Default | number> {
  const { minimum, maximum } = naming;
  return {
    environment: naming.environment,
    type,
    default: naming.default,
    allowed: `${noun} from ${minimum} to ${maximum}`,
    about: naming.about,
    isSecret: false,
    accepts: (value): value is number =>
      typeof value === 'number' &&
      (type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
      value >= minimum &&
      value <= maximum,
  };
}

export function flag(naming: Naming & { readonly default: boolean }): Setting<boolean> {
  return {
    ...naming,
    type: 'boolean',
    allowed: 'true or false',
    isSecret: false,
    accepts: (value): value is boolean => typeof value === 'boolean',
  };
}

export function text<Default extends string | null>(naming: TextNaming<Default>): Setting<Default | string> {
  return {
    environment: naming.environment,
    type: 'string',
    default: naming.default,
    allowed: naming.allowed ?? 'a text of at least one character',
    about: naming.about,
    isSecret: naming.isSecret ?? false,
    accepts: (value): value is string =>
      typeof value === 'string' &&
      value !== '' &&
      (naming.pattern?.test(value) ?? true) &&
      (naming.isAllowed?.(value) ?? true),
  };
}

/** A program and its arguments; null by default. */
export function commandLine(naming: Naming): Setting<readonly string[] | null> {
  return {
    environment: naming.environment,
    type: 'words',
    default: null,
    allowed: 'a list of texts: a program and its arguments',
    about: naming.about,
    isSecret: false,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string') && value[0] !== '',
  };
}

export function choice<const Choice extends string>(
  naming: Naming & { readonly default: Choice; readonly choices: readonly Choice[] },
): Setting<Choice> {
  return {
    environment: naming.environment,
    type: 'string',
    default: naming.default,
    allowed: `one of ${naming.choices.join(', ')}`,
    about: naming.about,
    isSecret: false,
    accepts: (value): value is Choice => naming.choices.some((choice) => choice === value),
  };
}
