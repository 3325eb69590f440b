/** A type as the REST protocol describes it. @see Trino's ClientTypeSignature */
export interface TypeSignature {
  readonly rawType: string;
  readonly arguments: readonly { readonly kind: string; readonly value: unknown }[];
}

/** An instant as DuckDB's results have it: microseconds since 1970. */
interface TrinoTimestamp {
  readonly micros: bigint;
}

/**
 * A value of a result as this project has it: rows as objects, timestamps with a zone as instants; numbers, texts and
 * dates as they come.
 */
export function readTrinoValue(value: unknown, type: TypeSignature): unknown {
  if (value === null || value === undefined) return null;
  if (type.rawType === 'array') {
    const of = type.arguments[0]!.value as TypeSignature;
    return (value as readonly unknown[]).map((item) => readTrinoValue(item, of));
  }
  if (type.rawType === 'row') {
    const fields = type.arguments.map((argument) => argument.value as FieldSignature);
    const values = value as readonly unknown[];
    return Object.fromEntries(
      fields.map(({ fieldName, typeSignature }, i) => [fieldName.name, readTrinoValue(values[i], typeSignature)]),
    );
  }
  if (type.rawType === 'timestamp with time zone') return toTimestamp(String(value));
  // Decimals come as texts.
  return type.rawType === 'decimal' ? Number(value) : value;
}

interface FieldSignature {
  readonly fieldName: { readonly name: string };
  readonly typeSignature: TypeSignature;
}

/** @param text `2026-01-15 12:00:00.000000 UTC`: the session's zone */
function toTimestamp(text: string): TrinoTimestamp {
  const parts = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?\d* (?:UTC|\+00:00)$/.exec(text);
  if (!parts) throw new Error(`a timestamp of Trino is not in UTC: ${text}`);
  const [, day, time, fraction = ''] = parts;
  return { micros: BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0')) };
}
