import { type Dialect, type DialectFunction, dialectFunctions } from './dialect-functions.ts';

/**
 * Writes the SQL of a file for one engine: `@name(…)` becomes what the engine calls it. Comments, texts and quoted names
 * are passed on unchanged.
 * @throws RangeError for an unknown function, a wrong number of arguments, or a parenthesis without its counterpart
 */
export function expandSql(sql: string, dialect: Dialect): string {
  let expanded = '';
  let at = 0;
  while (at < sql.length) {
    const end = skipQuoted(sql, at);
    if (end > at) {
      expanded += sql.slice(at, end);
      at = end;
    } else if (sql[at] === '@') {
      const call = readCall(sql, at);
      expanded += write(call, dialect);
      at = call.end;
    } else {
      expanded += sql[at];
      at += 1;
    }
  }
  return expanded;
}

/** Names of the functions that a text uses, those in arguments among them; in the order of their beginnings. */
export function listFunctions(sql: string): string[] {
  const names: string[] = [];
  for (let at = 0; at < sql.length; ) {
    const end = skipQuoted(sql, at);
    if (end === at && sql[at] === '@') names.push(readCall(sql, at).name);
    at = Math.max(end, at + 1);
  }
  return names;
}

interface Call {
  readonly name: string;
  readonly args: readonly string[];
  /** Behind the closing parenthesis. */
  readonly end: number;
}

function write({ name, args }: Call, dialect: Dialect): string {
  const known: Readonly<Record<string, DialectFunction>> = dialectFunctions;
  if (!Object.hasOwn(known, name)) throw new RangeError(`there is no @${name}: see dialect-functions.ts`);
  const { takes, [dialect]: toSql } = known[name]!;
  if (!takes(args.length)) throw new RangeError(`@${name} does not take ${args.length} arguments`);
  return toSql(...args.map((argument) => expandSql(argument, dialect)));
}

function readCall(sql: string, start: number): Call {
  const name = /^@(\w+)\(/.exec(sql.slice(start, start + 100))?.[1];
  if (name === undefined) throw new RangeError(`@ without a function: ${sql.slice(start, start + 40)}`);
  const first = start + name.length + 2;
  const args: string[] = [];
  let depth = 0;
  let from = first;
  for (let at = first; at < sql.length; ) {
    const end = skipQuoted(sql, at);
    const character = sql[at]!;
    if (end > at) {
      at = end;
      continue;
    }
    if (character === ')' && depth === 0) {
      const last = sql.slice(from, at).trim();
      if (last !== '' || args.length > 0) args.push(last);
      return { name, args, end: at + 1 };
    }
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) {
      args.push(sql.slice(from, at).trim());
      from = at + 1;
    }
    at += 1;
  }
  throw new RangeError(`@${name}( is not closed`);
}

/** @returns where a comment, a text or a quoted name that begins here ends; `at` where none does */
function skipQuoted(sql: string, at: number): number {
  const character = sql[at];
  if (character === "'" || character === '"') return endOf(sql, character, at + 1);
  if (sql.startsWith('--', at)) return endOf(sql, '\n', at);
  if (sql.startsWith('/*', at)) return endOf(sql, '*/', at + 2);
  return at;
}

/** A doubled quote within a literal counts as the end of one literal and the start of the next: the result is the same. */
function endOf(sql: string, closing: string, from: number): number {
  const found = sql.indexOf(closing, from);
  return found < 0 ? sql.length : found + closing.length;
}
