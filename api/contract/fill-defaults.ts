import type { Static, TObject, TSchema } from 'typebox';

// Caching is safe: a schema never changes.
const defaultsOf = new WeakMap<TSchema, readonly (readonly [name: string, value: unknown])[]>();

/** Fills omitted members that have a default, on the first level, in a copy of a valid value. */
export function fillDefaults<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const defaults = getDefaults(schema);
  if (defaults.length === 0) return value as Static<S>;
  const filled = { ...(value as Record<string, unknown>) };
  for (const [name, standard] of defaults) {
    if (!Object.hasOwn(filled, name))
      filled[name] = typeof standard === 'object' ? structuredClone(standard) : standard;
  }
  return filled as Static<S>;
}

function getDefaults(schema: TSchema) {
  const known = defaultsOf.get(schema);
  if (known) return known;
  const members = Object.entries((schema as Partial<TObject>).properties ?? {});
  const made = members.flatMap(([name, member]) => ('default' in member ? [[name, member.default] as const] : []));
  defaultsOf.set(schema, made);
  return made;
}
