/** An object of an answer, before anything is known of its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is an object; one without members where it is absent or something else. */
export function getObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A text or a number as text, trimmed; numbers come in both forms, depending on the field and the year. */
export function findText(object: JsonObject, name: string): string | undefined {
  return toText(object[name]);
}

/** A finite number. */
export function findNumber(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The members of a list; none where it is absent. Anything else in place of a list is a list of one, and not lost. */
export function listItems(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** The texts and numbers of a list as texts, each once; others are no part of it. */
export function listTexts(object: JsonObject, name: string): readonly string[] {
  const texts = listItems(object, name).map(toText);
  return [...new Set(texts.filter((text) => text !== undefined))];
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}
