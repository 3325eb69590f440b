// Constructors of JSON schemas, as plain objects with the types of TypeBox. TypeBox itself is not loaded: its 550 modules
// would take a third of the processor time at startup.
import type {
  TArray,
  TArrayOptions,
  TBoolean,
  TInteger,
  TLiteral,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnion,
  TUnsafe,
} from 'typebox';

/** Marks members that may be absent; the published schema does not contain it. */
const optional = Symbol('optional');

const create = <S extends TSchema>(keywords: object, options: object = {}): S =>
  ({ ...keywords, ...options }) as unknown as S;

function listRequired(properties: TProperties): { required?: string[] } {
  const required = Object.keys(properties).filter((name) => !(optional in properties[name]!));
  return required.length > 0 ? { required } : {};
}

export const Type = {
  Array: <S extends TSchema>(items: S, options?: TArrayOptions) => create<TArray<S>>({ type: 'array', items }, options),
  Boolean: (options?: TSchemaOptions) => create<TBoolean>({ type: 'boolean' }, options),
  Integer: (options?: TNumberOptions) => create<TInteger>({ type: 'integer' }, options),
  Literal: <const Value extends string | number | boolean>(value: Value) =>
    create<TLiteral<Value>>({ type: typeof value, const: value }),
  Number: (options?: TNumberOptions) => create<TNumber>({ type: 'number' }, options),
  Object: <P extends TProperties>(properties: P, options?: TObjectOptions) =>
    create<TObject<P>>({ type: 'object', ...listRequired(properties), properties }, options),
  /** A member that may be absent. */
  Optional: <S extends TSchema>(schema: S) => create<TOptional<S>>(schema, { [optional]: true }),
  String: (options?: TStringOptions) => create<TString>({ type: 'string' }, options),
  Union: <S extends TSchema[]>(anyOf: [...S], options?: TSchemaOptions) => create<TUnion<S>>({ anyOf }, options),
  /** Any schema, with the static type of its values. */
  Unsafe: <Value>(schema: object) => create<TUnsafe<Value>>(schema),
};
export type { Static } from 'typebox';
