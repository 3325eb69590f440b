import { UnreadableAnswer } from '../model/problem.ts';

/** An object of an answer, its members unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is an object; an empty object where it is absent or something else. */
export function getObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A text or a number as trimmed text; publishers write numbers in both forms. */
export function findText(object: JsonObject, name: string): string | undefined {
  return toText(object[name]);
}

/** A finite number. */
export function findNumber(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The items of a list; none if it is absent. A single value counts as a list of one item. */
export function listItems(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** The distinct texts and numbers of a list, as texts; other items are ignored. */
export function listTexts(object: JsonObject, name: string): readonly string[] {
  const texts = listItems(object, name).map(toText);
  return [...new Set(texts.filter((text) => text !== undefined))];
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** Maximum number of characters of an answer that an error quotes. */
export const MAX_QUOTED_LETTERS = 200;

/**
 * Parses the text of an answer.
 * @throws UnreadableAnswer `truncated`, `not_json`
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The cause matters more than the parser's position: the HTML page of a proxy is not a truncated answer.
    const start = text.trimStart().slice(0, MAX_QUOTED_LETTERS);
    if (start === '' || start.startsWith('{')) {
      throw new UnreadableAnswer('truncated', `JSON that ends too early, after ${text.length} characters`);
    }
    throw new UnreadableAnswer('not_json', `no JSON: ${start}`);
  }
}
