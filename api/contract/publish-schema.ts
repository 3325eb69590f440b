type Json = Record<string, unknown>;

/**
 * The published form of a schema. Defaults go into the description instead of `default`, because client generators
 * treat a member with a default as always present, even in requests.
 * @param references location of types in the document, e.g. `#/components/schemas/`
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
