import { isSourceId, type SourceId } from '../model/ids.ts';
import { isTimeZone } from '../model/service-time.ts';

/**
 * One option of a source. Error messages name what is allowed and never contain a value, which may be a secret.
 */
export interface Option<Value> {
  /** One sentence for the table in docs/realtime-sources.md. */
  readonly description: string;
  /** Completes "must be …". */
  readonly allowed: string;
  /** Value when the option is not set; absent for a required option. */
  readonly default?: unknown;
  isValid(value: unknown): boolean;
  /** Converts a valid value. */
  read(value: unknown): Value;
}

/** Options of an entry, by key; other keys are refused. `Values` is the type of an entry after reading. */
export interface OptionsSchema<Values = Readonly<Record<string, unknown>>> {
  readonly properties: { readonly [Key in keyof Values]: Option<Values[Key]> };
  /** Keys of which at least one is required. */
  readonly atLeastOneOf?: readonly string[];
}

export function optionsSchema<Values>(
  properties: { readonly [Key in keyof Values]: Option<Values[Key]> },
  rules: { readonly atLeastOneOf?: readonly (keyof Values & string)[] } = {},
): OptionsSchema<Values> {
  return { properties, ...rules };
}

/** An optional option; `initial` is its default, in the form after reading. */
export function optional<Value>(option: Option<Value>): Option<Value | null>;
export function optional<Value>(option: Option<Value>, initial: NoInfer<Value>): Option<Value>;
export function optional<Value>(option: Option<Value>, initial: Value | null = null): Option<Value | null> {
  return { ...option, default: initial };
}

/** Reads a valid entry: every option is present, null if it is neither set nor has a default. */
export function readOptions<Values>(schema: OptionsSchema<Values>, entry: Readonly<Record<string, unknown>>): Values {
  const properties: [string, Option<unknown>][] = Object.entries(schema.properties);
  const read = ([key, option]: [string, Option<unknown>]) => {
    const value = entry[key];
    return [key, value === undefined ? (option.default ?? null) : option.read(value)];
  };
  return Object.fromEntries(properties.map(read)) as Values;
}

// ---- Kinds of values -------------------------------------------------------------------------------------------------

type IsValid = (value: unknown) => boolean;

/** @param read converts a valid value */
export function option<Value>(
  description: string,
  allowed: string,
  isValid: IsValid,
  read = (value: never): Value => value,
): Option<Value> {
  return { description, allowed, isValid, read: read as (value: unknown) => Value };
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFilledText: IsValid = (value) => isText(value) && /\S/.test(value);
/** A mapping, whose values are all valid. */
export const isMapping = (value: unknown, isValid: IsValid = () => true): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isValid);
/** A list with at least one item, all of them valid. */
export const isFilledList = (value: unknown, isValid: IsValid): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isValid);
export const isWhole = (value: unknown, minimum: number, maximum: number): boolean =>
  Number.isInteger(value) && minimum <= (value as number) && (value as number) <= maximum;

const isHttpAddress: IsValid = (value) => isText(value) && /^https?:\/\//i.test(value) && URL.canParse(value);
const toTexts = (list: readonly (string | number)[]) => list.map(String);

export const sourceId = (about: string) =>
  option<SourceId>(about, '1 to 40 of a-z, 0-9, "_" and "-"', (value) => isText(value) && isSourceId(value));
export const headers = (about: string) =>
  option<Readonly<Record<string, string>>>(about, 'header names with their texts', (value) => isMapping(value, isText));
export const oneOf = (about: string, values: readonly string[]) =>
  option<string>(about, `one of ${values.join(', ')}`, (value) => values.some((one) => one === value));

export const text = (about: string) => option<string>(about, 'a text', isFilledText);
export const texts = (about: string) =>
  option<readonly string[]>(about, 'a list of texts', (value) => isFilledList(value, isFilledText));
export const flag = (about: string) => option<boolean>(about, 'true or false', (value) => typeof value === 'boolean');
export const address = (about: string) => option<string>(about, 'an http or https address', isHttpAddress);

/** A single URL becomes a list of one. */
export const addresses = (about: string) =>
  option(
    about,
    'an http or https address, or a list of them',
    (value) => isHttpAddress(value) || isFilledList(value, isHttpAddress),
    (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value),
  );

/** Unquoted station numbers arrive as numbers. */
export const stopIds = (about: string) =>
  option<readonly string[]>(
    about,
    'a list of stop numbers or ids',
    (value) => isFilledList(value, (item) => isFilledText(item) || Number.isSafeInteger(item)),
    toTexts,
  );

export const wholeNumber = (about: string, minimum: number, maximum: number) =>
  option<number>(about, `a whole number from ${minimum} to ${maximum}`, (value) => isWhole(value, minimum, maximum));

export const timeZone = (about: string) =>
  option<string>(about, 'a time zone such as Europe/Vienna', (value) => isText(value) && isTimeZone(value));

/** A version of a standard; unquoted, 2.0 arrives as the number 2. */
export function version<const Version extends string>(about: string, ...versions: readonly Version[]): Option<Version> {
  const toVersion = (value: unknown) => (typeof value === 'number' ? value.toFixed(1) : value);
  const isKnown = (value: unknown) => versions.some((one) => one === toVersion(value));
  return option(about, versions.join(' or '), isKnown, (value: unknown) => toVersion(value) as Version);
}
