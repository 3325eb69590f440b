import type { Static, TArray, TObject, TSchema } from 'typebox';
import { addDefaults } from './fill-defaults.ts';
import { ApiProblem } from './problems.ts';
import { ECHO_LENGTH, type Flaw, findFlaw } from './validation.ts';

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;
const PLAIN_WHOLE = /^-?\d+$/;
const PLAIN_TEXT = /^[^%\x80-\xff]*$/;

/**
 * Reads the text after `?` into typed values.
 * Lists are comma-separated; a comma within an item is percent-encoded twice. A plus is not a space.
 * @param schema closed and without references; its members are strings, numbers, booleans and lists of them
 * @param rawQuery the percent-encoded text after `?`, or an empty text
 * @param continuation parameter that, if present, suppresses defaults
 * @returns only members of the schema, with defaults
 * @throws ApiProblem `unknown_parameter`, `invalid_parameter` or `missing_query`, with the parameter's name
 */
export function readQuery<S extends TObject>(schema: S, rawQuery: string, continuation?: string): Static<S> {
  const values: Record<string, unknown> = {};
  for (const pair of rawQuery.split('&')) {
    if (pair !== '') readPair(schema, pair, values);
  }
  const flaw = findFlaw(schema, values);
  if (flaw) throw toProblem(flaw);
  if (continuation !== undefined && Object.hasOwn(values, continuation)) return values as Static<S>;
  return addDefaults(schema, values);
}

function readPair(schema: TObject, pair: string, values: Record<string, unknown>): void {
  const equals = pair.indexOf('=');
  const rawName = equals < 0 ? pair : pair.slice(0, equals);
  const name = decode(rawName, rawName.slice(0, ECHO_LENGTH));
  // Own members only: "constructor" is not a parameter, although every object inherits one.
  const parameter = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (!parameter) throw unknownParameter(schema, name);
  if (Object.hasOwn(values, name)) {
    throw invalidParameter(name, `"${name}" is given twice. Send a list as one parameter, separated by commas.`);
  }
  values[name] = readValue(parameter, decode(equals < 0 ? '' : pair.slice(equals + 1), name), name);
}

/** @returns the text itself if it does not have the schema's type; validation then refuses it */
function readValue(schema: TSchema, text: string, name: string): unknown {
  switch ((schema as { type?: string }).type) {
    case 'integer':
      return PLAIN_WHOLE.test(text) ? Number(text) : text;
    case 'number':
      return PLAIN_DECIMAL.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'array':
      return text.split(',').map((item) => readValue((schema as TArray).items, decodeItem(item, name), name));
    default:
      return text;
  }
}

// ---- Percent-encoding --------------------------------------------------------------------------

function decode(text: string, name: string): string {
  // Most texts have neither an escape nor a raw byte, and every request has several.
  if (PLAIN_TEXT.test(text)) return text;
  // Node versions before 20.20 accept raw bytes in a URL and decode them as Latin-1.
  const encoded = text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const decoded = percentDecode(encoded);
  if (decoded === null) throw invalidParameter(name, `"${name}" must be percent-encoded UTF-8.`);
  return decoded;
}

function decodeItem(item: string, name: string): string {
  const decoded = percentDecode(item);
  if (decoded !== null) return decoded;
  const detail = `"${name}" is a list: percent-encode a comma or percent sign within an item twice.`;
  throw invalidParameter(name, detail);
}

/** @returns null if the percent-encoding is invalid or does not decode to UTF-8 */
function percentDecode(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // decodeURIComponent only throws URIError.
    return null;
  }
}

// ---- Problems ----------------------------------------------------------------------------------

function invalidParameter(name: string, detail: string): ApiProblem {
  return new ApiProblem('invalid_parameter', detail, name);
}

function unknownParameter(schema: TObject, name: string): ApiProblem {
  const known = Object.keys(schema.properties).join(', ');
  const shown = name.slice(0, ECHO_LENGTH);
  const allowed = known === '' ? 'this route takes no parameters' : `this route takes ${known}`;
  return new ApiProblem('unknown_parameter', `"${shown}" is not a parameter; ${allowed}.`, shown);
}

function toProblem(flaw: Flaw): ApiProblem {
  if (flaw.kind === 'incomplete') return new ApiProblem('missing_query', `The request ${flaw.sentence}.`);
  // The pointer is "/name", or "/name/3" for an item of a list; names hold no slash.
  const [, name = '', item] = flaw.pointer.split('/');
  const subject = item === undefined ? `"${name}"` : `Item ${Number(item) + 1} of "${name}"`;
  return invalidParameter(name, `${subject} ${flaw.sentence}.`);
}
