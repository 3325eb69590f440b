type Schema = Readonly<Record<string, unknown>>;

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
/** `not` is no place for values: generators make no type of it. */
const SINGLE = ['items', 'contains', 'additionalProperties', 'if', 'then', 'else'];
const MAPS = ['properties', 'patternProperties'];

/**
 * Lists the objects inside a schema that have members but no name, for which generators of clients invent one such as
 * `PlaceAnyOf1`. References are not followed: what they lead to is named.
 * @returns their paths
 */
export function listAnonymousObjects(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return listParts(schema as Schema).flatMap(([part, inner]) => [
    ...(hasMembers(inner) ? [`${path}.${part}`] : []),
    ...listAnonymousObjects(inner, `${path}.${part}`),
  ]);
}

function hasMembers(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'properties' in schema;
}

function listParts(schema: Schema): (readonly [string, unknown])[] {
  return [
    ...LISTS.flatMap((word) => ((schema[word] ?? []) as unknown[]).map((one, i) => [`${word}[${i}]`, one] as const)),
    ...SINGLE.flatMap((word) => (word in schema ? [[word, schema[word]] as const] : [])),
    ...MAPS.flatMap((word) => Object.entries((schema[word] ?? {}) as Schema)),
  ];
}
