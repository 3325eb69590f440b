import { isSourceId, type SourceId } from '../../model/ids.ts';
import { type CallEvent, callEvents } from '../../model/observation.ts';
import { isTimeZone } from '../../model/service-time.ts';

/**
 * How to read an external archive: facts about it, and a query that turns its rows into staging columns.
 * `data/lookups/archives/README.md` explains each of them to authors of mappings.
 */
export interface ArchiveMapping {
  /** Name of its file. */
  readonly name: string;
  readonly title: string;
  /** The source of the rows, unless the import names another one. */
  readonly source: SourceId;
  /** The timetable of its trip and stop ids; null if the archive uses other ids. */
  readonly timetable: SourceId | null;
  readonly format: 'parquet' | 'csv';
  readonly delimiter: string;
  /** Tried in this order; the first in which the whole file can be decoded is used. */
  readonly encodings: readonly ArchiveEncoding[];
  /** Columns that a file may lack: they are null then. */
  readonly optionalColumns: readonly string[];
  /** IANA name; local time where the vehicles run. */
  readonly zone: string;
  /** Kind of the archive's times: local time of the zone, UTC, or relative to the start of the service day. */
  readonly clock: ArchiveClock;
  /** False: calls are ordered by their scheduled times. */
  readonly hasPositions: boolean;
  /** Which of several rows of one call is kept. */
  readonly keep: 'last' | 'first';
  readonly firstCall: CallEvent;
  readonly otherCalls: CallEvent;
  /** Delays beyond these are unknown. */
  readonly earlySeconds: number;
  readonly lateSeconds: number;
  /** A call that is a day later than its successor is moved a day back. */
  readonly repairsDays: boolean;
  /** Where a placeholder delay means unknown. */
  readonly placeholders: readonly PlaceholderRule[];
  /** Number of rows from which a place with only the placeholder value is taken to have no measurements. */
  readonly neverOtherRows: number;
  /** The text of its file: the facts are comments. */
  readonly sql: string;
}

type ArchiveClock = (typeof clocks)[number];
const clocks = ['local', 'utc', 'service'] as const;
export type ArchiveEncoding = (typeof encodings)[number];
const encodings = ['utf-8', 'latin-1'] as const;
type PlaceholderRule = (typeof placeholderRules)[number];
const placeholderRules = ['always', 'after_last_other', 'never_other'] as const;

/** The mapping is invalid; the message names what and where, for its author to correct. */
export class MappingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MappingError';
  }
}

/** The names of facts, in the order in which error messages list them. */
export const factNames = [
  'title',
  'source',
  'timetable',
  'format',
  'delimiter',
  'encoding',
  'optional',
  'zone',
  'clock',
  'order',
  'keep',
  'first_call',
  'other_calls',
  'early_seconds',
  'late_seconds',
  'repairs_days',
  'placeholders',
  'never_other_rows',
] as const;
type FactName = (typeof factNames)[number];

interface Fact {
  readonly line: number;
  readonly text: string;
}

/** Valid values of a fact; `read` returns undefined for an invalid one. */
interface FactKind<Value> {
  readonly mustBe: string;
  read(text: string): Value | undefined;
}

/**
 * Parses a mapping: lines `-- name: value`, then one query.
 * @param name name of its file
 * @throws MappingError naming the invalid line and fact, and the valid values
 */
export function parseMapping(name: string, sql: string): ArchiveMapping {
  const facts = readFacts(sql);
  const fact = <Value>(of: FactName, kind: FactKind<Value>, absent?: Value): Value => {
    const found = facts.get(of);
    if (found) return readFact(of, found, kind);
    if (absent === undefined) throw new MappingError(`the line "-- ${of}: …" is missing; it must be ${kind.mustBe}`);
    return absent;
  };
  const format = fact('format', oneOf(['parquet', 'csv']));
  for (const of of ['delimiter', 'encoding'] as const) {
    const line = facts.get(of)?.line;
    if (line && format === 'parquet')
      throw new MappingError(`line ${line}: ${of} applies to CSV, but the format is parquet`);
  }
  return {
    name,
    title: fact('title', anyText),
    source: fact('source', sourceId),
    timetable: fact<SourceId | null>('timetable', sourceId, null),
    format,
    delimiter: fact('delimiter', oneCharacter, ','),
    encodings: fact('encoding', severalOf(encodings), ['utf-8']),
    optionalColumns: fact('optional', columnNames, []),
    zone: fact('zone', timeZone),
    clock: fact('clock', oneOf(clocks)),
    hasPositions: fact('order', oneOf(['position', 'scheduled_time']), 'position') === 'position',
    keep: fact('keep', oneOf(['first', 'last']), 'last'),
    firstCall: fact('first_call', oneOf(callEvents), 'departure'),
    otherCalls: fact('other_calls', oneOf(callEvents), 'arrival'),
    earlySeconds: fact('early_seconds', wholeNumber(0, 7 * 86_400), 7200),
    lateSeconds: fact('late_seconds', wholeNumber(0, 7 * 86_400), 86_400),
    repairsDays: fact('repairs_days', oneOf(['true', 'false']), 'false') === 'true',
    placeholders: fact('placeholders', severalOf(placeholderRules), ['always']),
    neverOtherRows: fact('never_other_rows', wholeNumber(1, 1_000_000), 10),
    sql,
  };
}

/** Parses the comments at the start of the file; comments after an empty line are ordinary ones. */
function readFacts(sql: string): ReadonlyMap<FactName, Fact> {
  const facts = new Map<FactName, Fact>();
  for (const [index, text] of sql
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (!text.startsWith('--')) break;
    const line = index + 1;
    const [, name, value] = /^--\s*(\w+)\s*:(.*)$/.exec(text) ?? [];
    if (name === undefined) {
      throw new MappingError(`line ${line}: must be "-- name: value"; comments go below an empty line`);
    }
    const known = factNames.find((one) => one === name);
    if (!known)
      throw new MappingError(`line ${line}: ${name} is not understood; understood are ${factNames.join(', ')}`);
    if (facts.has(known)) throw new MappingError(`line ${line}: ${name} is there twice`);
    facts.set(known, { line, text: value!.trim() });
  }
  return facts;
}

function readFact<Value>(name: FactName, { line, text }: Fact, kind: FactKind<Value>): Value {
  const value = kind.read(text);
  if (value === undefined) throw new MappingError(`line ${line}: ${name} is "${text}", but must be ${kind.mustBe}`);
  return value;
}

const anyText: FactKind<string> = { mustBe: 'a text', read: (text) => text || undefined };

const sourceId: FactKind<SourceId> = {
  mustBe: '1 to 40 of a-z, 0-9, "_" and "-"',
  read: (text) => (isSourceId(text) ? text : undefined),
};

const timeZone: FactKind<string> = {
  mustBe: 'a time zone such as Europe/Vienna',
  read: (text) => (isTimeZone(text) ? text : undefined),
};

const oneCharacter: FactKind<string> = {
  mustBe: 'one character, or \\t',
  read: (text) => (text === '\\t' ? '\t' : text.length === 1 ? text : undefined),
};

function oneOf<const Choice extends string>(choices: readonly Choice[]): FactKind<Choice> {
  return { mustBe: choices.join(' or '), read: (text) => choices.find((choice) => choice === text) };
}

function severalOf<const Choice extends string>(choices: readonly Choice[]): FactKind<readonly Choice[]> {
  const read = (text: string) => {
    const found = text.split(',').map((one) => choices.find((choice) => choice === one.trim()));
    return found.includes(undefined) ? undefined : (found as Choice[]);
  };
  return { mustBe: `one or several, with commas, of ${choices.join(', ')}`, read };
}

/** Names as SQL writes them: one with a comma or spaces around it is quoted. */
const columnNames: FactKind<readonly string[]> = {
  mustBe: 'names of columns, with commas, such as platform, "track, changed"',
  read: (text) => {
    const name = /\s*(?:"((?:[^"]|"")+)"|([^\s",][^",]*?))\s*/;
    if (!new RegExp(`^${name.source}(?:,${name.source})*$`).test(text)) return undefined;
    const names = [...text.matchAll(new RegExp(`${name.source}(?:,|$)`, 'g'))].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
    );
    return new Set(names.map((one) => one.toLowerCase())).size === names.length ? names : undefined;
  },
};

function wholeNumber(minimum: number, maximum: number): FactKind<number> {
  const isFit = (number: number) => Number.isSafeInteger(number) && number >= minimum && number <= maximum;
  const read = (text: string) => (/^\d+$/.test(text) && isFit(Number(text)) ? Number(text) : undefined);
  return { mustBe: `a whole number from ${minimum} to ${maximum}`, read };
}
