import { UnreadableAnswer } from '../../model/unreadable-answer.ts';
import { findText, getObject, isJsonObject, type JsonObject } from './json-fields.ts';

/** What every answer of the interface has around its data. */
export interface Answer {
  readonly data: JsonObject;
  /** As written; answers of `monitor` alone tell it. */
  readonly serverTime: string | undefined;
}

/** The only code of an answer that holds data. */
const OK = '1';
const MAX_QUOTED_LETTERS = 200;

/**
 * Reads the envelope `{data, message: {messageCode, value, serverTime}}` of an answer.
 * @throws UnreadableAnswer `truncated`, `not_json`, `foreign_format`, or `upstream_error` with the publisher's code and
 * words (316: asked too often)
 * @see Wiener Linien, "Echtzeitdaten, Schnittstellenbeschreibung"
 */
export function readAnswer(bytes: Uint8Array): Answer {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!isJsonObject(answer) || !isJsonObject(answer.message)) {
    throw new UnreadableAnswer('foreign_format', 'JSON without a message of this interface');
  }
  const code = findText(answer.message, 'messageCode');
  if (code !== OK) {
    const words = findText(answer.message, 'value')?.slice(0, MAX_QUOTED_LETTERS) ?? '';
    throw new UnreadableAnswer('upstream_error', `messageCode ${code ?? 'absent'}: ${words}`);
  }
  return { data: getObject(answer, 'data'), serverTime: findText(answer.message, 'serverTime') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Why it is none matters more than where the parser gave up: a page of a proxy is another trouble than a cut.
    const start = text.trimStart().slice(0, MAX_QUOTED_LETTERS);
    if (start === '' || start.startsWith('{')) {
      throw new UnreadableAnswer('truncated', `JSON that ends too early, after ${text.length} characters`);
    }
    throw new UnreadableAnswer('not_json', `no JSON: ${start}`);
  }
}
