/** An object as JSON brings it: nothing is known of its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one where something else stands. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The list, or an empty one where something else stands. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text with something in it, white space at its ends taken off; else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** @throws TypeError */
export function assertObject(value: unknown): asserts value is JsonObject {
  if (!isObject(value)) throw new TypeError('it is no object');
}
