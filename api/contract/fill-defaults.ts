import type { Static, TObject, TSchema } from 'typebox';

// Caching is safe: a schema never changes.
const defaultsOf = new WeakMap<TSchema, readonly (readonly [name: string, value: unknown])[]>();

/** Fills omitted members that have a default, on the first level, in a copy of a valid value. */
export function fillDefaults<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (getDefaults(schema).length === 0) return value as Static<S>;
  return addDefaults(schema, { ...(value as Record<string, unknown>) });
}

/** As `fillDefaults`, without a copy. */
export function addDefaults<S extends TSchema>(schema: S, values: Record<string, unknown>): Static<S> {
  for (const [name, standard] of getDefaults(schema)) {
    if (!Object.hasOwn(values, name))
      values[name] = typeof standard === 'object' ? structuredClone(standard) : standard;
  }
  return values as Static<S>;
}

function getDefaults(schema: TSchema) {
  const known = defaultsOf.get(schema);
  if (known) return known;
  const members = Object.entries((schema as Partial<TObject>).properties ?? {});
  const made = members.flatMap(([name, member]) => ('default' in member ? [[name, member.default] as const] : []));
  defaultsOf.set(schema, made);
  return made;
}
