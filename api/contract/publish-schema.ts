type Json = Record<string, unknown>;

/**
 * A schema as the documents show it: what is filled in for a member that is left out is said in its description, not as
 * `default`. Generators of clients take a member with a default for one that is always there, also in requests.
 * @param references where types are kept in the document, e.g. `#/components/schemas/`
 */
export function publishSchema(schema: object, references = '#/$defs/'): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/$defs/', references);
    return isWithDefault(value) ? describeDefault(value) : value;
  });
}

function isWithDefault(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && 'default' in value;
}

function describeDefault({ default: standard, description, ...schema }: Json): Json {
  const absent = `Absent: ${JSON.stringify(standard)}.`;
  return { ...schema, description: description === undefined ? absent : `${description} ${absent}` };
}
