/** A value for a statement: a number is whole. */
type TrinoValue = number | string | null | readonly string[];

/**
 * A value as an SQL literal. Trino's texts have no escapes but the doubled quote, so whatever a text holds, it stays a
 * text.
 * @see Trino documentation, "Data types", VARCHAR
 */
export function toTrinoLiteral(value: TrinoValue): string {
  if (value === null) return 'cast(null as varchar)';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number`);
    return String(value);
  }
  return `array[${value.map(toTrinoLiteral).join(', ')}]`;
}

/** A name as an SQL identifier. */
export function toTrinoName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
