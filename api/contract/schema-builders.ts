import type { Static, TObject, TObjectOptions, TProperties, TSchema, TUnsafe } from 'typebox';
import { Type } from './json-schema.ts';

/** The largest integer that every JSON parser represents exactly; the bound of all integers in the contract. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** A named type of the contract: its entry in `$defs`, and the reference to it. */
export interface Definition<S extends TSchema = TSchema> {
  readonly name: string;
  readonly schema: S;
  /** `{"$ref": "#/$defs/<name>"}`, typed as the definition itself. */
  readonly ref: TUnsafe<Static<S>>;
}

export function define<S extends TSchema>(name: string, schema: S): Definition<S> {
  return { name, schema, ref: Type.Unsafe<Static<S>>({ $ref: `#/$defs/${name}` }) };
}

/** An object that refuses unknown members, like every object of the contract. */
export function closed<P extends TProperties>(properties: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export function oneOf<const V extends string>(...values: readonly V[]): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', enum: [...values] });
}

export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] });
}

/**
 * A member that clients may omit: optional in the published schema, but always present in the static type, because
 * reading fills in the default.
 */
export function defaulted<S extends TSchema>(schema: S, value: Static<S>): S {
  return Type.Optional({ ...schema, default: value }) as TSchema as S;
}

export function described<S extends TSchema>(description: string, schema: S): S {
  return { ...schema, description };
}

// ---- Numbers -----------------------------------------------------------------------------------

export function integer(minimum: number, maximum: number = MAX_INTEGER) {
  return Type.Integer({ minimum, maximum });
}

/** A positive or negative integer. */
export const signedInteger = () => integer(-MAX_INTEGER);
/** An integer from 0. */
export const count = () => integer(0);
/** A fraction of a whole, 0 to 1. */
export const share = () => Type.Number({ minimum: 0, maximum: 1 });
export const latitude = () => Type.Number({ minimum: -90, maximum: 90 });
export const longitude = () => Type.Number({ minimum: -180, maximum: 180 });

// ---- Text --------------------------------------------------------------------------------------

/** A string in a request: not empty, at most `maxLength` characters. */
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const calendarDate = () => Type.String({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

/** An instant in a request: RFC 3339 with `Z` or any offset. */
export const instant = () =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  });

// ---- Constraints across members ----------------------------------------------------------------

/** Requires all or none of the members. */
export function allOrNone(...names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(names.map((name) => [name, names.filter((other) => other !== name)]));
}

/** Allows at most one member of each pair. */
export function exclusive(...pairs: readonly (readonly [string, string])[]): { allOf: TSchema[] } {
  // With the type, since a value that is not an object has no missing members and would break the rule, and with the
  // members, since linters of OpenAPI report required members that a schema does not define.
  const both = (pair: readonly [string, string]) => ({
    type: 'object',
    properties: Object.fromEntries(pair.map((name) => [name, {}])),
    required: [...pair],
  });
  return { allOf: pairs.map((pair) => ({ not: both(pair) })) };
}

/** Requires at least one complete group of members. */
export function anyGroup(...groups: readonly (readonly string[])[]): { anyOf: TSchema[] } {
  return { anyOf: groups.map((group) => ({ required: [...group] })) };
}
