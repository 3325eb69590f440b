import Type, { type TSchema, type TUnsafe } from 'typebox';
import { isSourceId, type SourceId } from '../model/ids.ts';
import { isTimeZone } from '../model/service-time.ts';

/**
 * One option of a source: its schema, typed as the value after reading. Error messages name what is allowed and never
 * contain a value, which may be a secret.
 */
export type Option<Value> = TUnsafe<Value> & OptionFacts;

interface OptionFacts {
  /** One sentence for the table in docs/realtime-sources.md. */
  readonly description: string;
  /** Completes "must be …". */
  readonly allowed: string;
  /** Value when the option is not set; absent for a required option. */
  readonly default?: unknown;
}

/** Options of an entry, by key; other keys are refused. `Values` is the type of an entry after reading. */
export type OptionsSchema<Values = Readonly<Record<string, unknown>>> = TSchema & {
  readonly properties: { readonly [Key in keyof Values]: Option<Values[Key]> };
  /** Keys of which at least one is required. */
  readonly atLeastOneOf?: readonly string[];
};

export function optionsSchema<Values>(
  properties: { readonly [Key in keyof Values]: Option<Values[Key]> },
  rules: { readonly atLeastOneOf?: readonly (keyof Values & string)[] } = {},
): OptionsSchema<Values> {
  return Type.Object(properties, { additionalProperties: false, ...rules }) as unknown as OptionsSchema<Values>;
}

/** An optional option; `initial` is its default, in the form after reading. */
export function optional<Value>(option: Option<Value>): Option<Value | null>;
export function optional<Value>(option: Option<Value>, initial: NoInfer<Value>): Option<Value>;
export function optional<Value>(option: Option<Value>, initial: Value | null = null): Option<Value | null> {
  return Type.Optional(Type.With(option as TSchema, { default: initial })) as unknown as Option<Value | null>;
}

/** Reads a valid entry: every option is present, null if it is neither set nor has a default. */
export function readOptions<Values>(schema: OptionsSchema<Values>, entry: Readonly<Record<string, unknown>>): Values {
  const read = (key: string, option: TSchema & OptionFacts) => {
    const value = entry[key];
    if (value === undefined) return option.default ?? null;
    return Type.IsCodec(option) ? option['~codec'].decode(value) : value;
  };
  const properties: [string, Option<unknown>][] = Object.entries(schema.properties);
  return Object.fromEntries(properties.map(([key, option]) => [key, read(key, option)])) as Values;
}

// ---- Kinds of values -------------------------------------------------------------------------------------------------

/** @param read converts a valid value */
export function option<Value>(
  description: string,
  allowed: string,
  schema: TSchema,
  read?: (value: never) => Value,
): Option<Value> {
  const described = Type.With(schema, { description, allowed }) as TSchema;
  return (read === undefined
    ? described
    : Type.Decode(described, read as (value: unknown) => Value)) as unknown as Option<Value>;
}

const filledText = Type.String({ pattern: '\\S' });
const httpAddress = Type.Refine(Type.String({ pattern: '^[hH][tT][tT][pP][sS]?://' }), (text) => URL.canParse(text));
const safeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const numberOrText = Type.Union([filledText, safeInteger]);
const filledList = (items: TSchema) => Type.Array(items, { minItems: 1 });
const toTexts = (list: readonly (string | number)[]) => list.map(String);

export const sourceId = (about: string) =>
  option<SourceId>(about, '1 to 40 of a-z, 0-9, "_" and "-"', Type.Refine(Type.String(), isSourceId));
export const headers = (about: string) =>
  option<Readonly<Record<string, string>>>(
    about,
    'header names with their texts',
    Type.Record(Type.String(), Type.String()),
  );
export const oneOf = (about: string, values: readonly string[]) =>
  option<string>(about, `one of ${values.join(', ')}`, Type.Enum([...values]));

export const text = (about: string) => option<string>(about, 'a text', filledText);
export const texts = (about: string) => option<readonly string[]>(about, 'a list of texts', filledList(filledText));
export const flag = (about: string) => option<boolean>(about, 'true or false', Type.Boolean());
export const address = (about: string) => option<string>(about, 'an http or https address', httpAddress);

/** A single URL becomes a list of one. */
export const addresses = (about: string) =>
  option(
    about,
    'an http or https address, or a list of them',
    Type.Union([httpAddress, filledList(httpAddress)]),
    (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value),
  );

/** Unquoted station numbers arrive as numbers. */
export const stopIds = (about: string) =>
  option<readonly string[]>(about, 'a list of stop numbers or ids', filledList(numberOrText), toTexts);

export const wholeNumber = (about: string, minimum: number, maximum: number) =>
  option<number>(about, `a whole number from ${minimum} to ${maximum}`, Type.Integer({ minimum, maximum }));

export const timeZone = (about: string) =>
  option<string>(about, 'a time zone such as Europe/Vienna', Type.Refine(Type.String(), isTimeZone));

/** A version of a standard; unquoted, 2.0 arrives as the number 2. */
export function version<const Version extends string>(about: string, ...versions: readonly Version[]): Option<Version> {
  const toVersion = (value: unknown) => (typeof value === 'number' ? value.toFixed(1) : value);
  const isKnown = (value: unknown) => versions.some((one) => one === toVersion(value));
  const schema = Type.Refine(Type.Union([Type.String(), Type.Number()]), isKnown);
  return option(about, versions.join(' or '), schema, (value: unknown) => toVersion(value) as Version);
}
