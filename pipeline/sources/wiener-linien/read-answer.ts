import { UnreadableAnswer } from '../../model/problem.ts';
import { findText, getObject, isJsonObject, type JsonObject, MAX_QUOTED_LETTERS, parseJson } from '../json-answer.ts';

/** The envelope of every answer. */
interface Answer {
  readonly data: JsonObject;
  /** As written; only answers of `monitor` contain it. */
  readonly serverTime: string | undefined;
}

/** The only code of an answer with data. */
const OK = '1';

/**
 * Reads the envelope `{data, message: {messageCode, value, serverTime}}` of an answer. Lists of notices come without a
 * message at times, as the errata of the documentation allow; errors always have one.
 * @param rules `needsMessage`: an answer without a message is of another publisher
 * @throws UnreadableAnswer `truncated`, `not_json`, `foreign_format`, or `upstream_error` with the publisher's code and
 * words (316: too many requests)
 * @see Wiener Linien, "Echtzeitdaten, Schnittstellenbeschreibung"
 */
export function readAnswer(bytes: Uint8Array, { needsMessage }: { readonly needsMessage: boolean }): Answer {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!needsMessage && isJsonObject(answer) && answer.message === undefined && isJsonObject(answer.data)) {
    return { data: answer.data, serverTime: undefined };
  }
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
