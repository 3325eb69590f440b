import { parse as parseYaml } from 'yaml';
import { isSourceId, type SourceId } from '../model/ids.ts';
import { isTimeZone } from '../model/service-time.ts';
import {
  type ArchiveFileFormat,
  type ArchiveMapping,
  archiveEncodings,
  type EventColumns,
  MappingError,
  type NumberColumn,
  numberColumns,
  type TextColumn,
  textColumns,
  type UnknownRule,
  type UnknownWhere,
} from './archive-mapping.ts';
import { parseCondition, parseExpression, parseValue } from './parse-expressions.ts';
import {
  type Field,
  fail,
  isAbsent,
  readChoice,
  readFlag,
  readInteger,
  readList,
  readMembers,
  readNumber,
  readOr,
  readScalar,
  readText,
} from './read-fields.ts';

const MAPPING_KEYS = [
  'title',
  'source',
  'timetable',
  'file',
  'zone',
  'clock',
  'serviceDate',
  'columns',
  'position',
  'arrival',
  'departure',
  'countedEvent',
  'isCancelled',
  'isAdded',
  'skip',
  'unknown',
  'duplicates',
  'limits',
  'repairsDays',
] as const;

const EVENTS = ['arrival', 'departure'] as const;

/**
 * Reads a mapping.
 * @param name what it is called, as its file is
 * @throws MappingError naming the key that is wrong, and what it must be
 */
export function parseMapping(name: string, text: string): ArchiveMapping {
  const members = readMembers({ path: '', value: readYaml(text) }, MAPPING_KEYS);
  const columns = readMembers(members.columns, [...textColumns, ...numberColumns]);
  const mapping: ArchiveMapping = {
    name,
    title: readText(members.title),
    source: readSource(members.source),
    timetable: readOr(members.timetable, null, readSource),
    file: readFormat(members.file),
    zone: readZone(members.zone),
    clock: readChoice(members.clock, ['local', 'utc']),
    serviceDate: parseValue(members.serviceDate),
    columns: { ...readSome<TextColumn>(columns, textColumns), tripId: parseValue(columns.tripId) },
    numbers: readSome<NumberColumn>(columns, numberColumns),
    position: readOr(members.position, null, readPosition),
    arrival: readEvent(members.arrival),
    departure: readEvent(members.departure),
    countedEvent: readOr(
      members.countedEvent,
      { firstCall: 'departure', otherCalls: 'arrival' } as const,
      readCountedEvent,
    ),
    isCancelled: readOr(members.isCancelled, null, parseCondition),
    isAdded: readOr(members.isAdded, null, parseCondition),
    skip: isAbsent(members.skip) ? [] : readList(members.skip).map(readSkip),
    unknown: isAbsent(members.unknown) ? [] : readUnknownRules(members.unknown),
    duplicates: readOr(members.duplicates, { keep: 'last', by: null } as const, readDuplicates),
    limits: readOr(members.limits, { earlySeconds: 7200, lateSeconds: 86_400 }, readLimits),
    repairsDays: readOr(members.repairsDays, false, readFlag),
  };
  const tellsTimes = mapping.arrival.actual !== null || mapping.departure.actual !== null;
  // A time that happened would stay behind when its plan is moved by a day.
  if (mapping.repairsDays && tellsTimes) fail(members.repairsDays, 'goes together with delays, not with actual times');
  return mapping;
}

function readYaml(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw new MappingError(`this is no YAML: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
}

function readSome<Name extends string>(members: Record<Name, Field>, names: readonly Name[]) {
  const present = names.filter((name) => !isAbsent(members[name]));
  return Object.fromEntries(present.map((name) => [name, parseValue(members[name])])) as Partial<
    Record<Name, ReturnType<typeof parseValue>>
  >;
}

function readSource(field: Field): SourceId {
  const text = readText(field);
  if (!isSourceId(text)) fail(field, 'must be 1 to 40 of a-z, 0-9, "_" and "-"');
  return text;
}

function readZone(field: Field): string {
  const zone = readText(field);
  if (!isTimeZone(zone)) fail(field, `is "${zone}", but must be a time zone such as Europe/Vienna`);
  return zone;
}

function readFormat(field: Field): ArchiveFileFormat {
  const members = readMembers(field, ['format', 'delimiter', 'encoding']);
  const format = readChoice(members.format, ['parquet', 'csv']);
  for (const one of [members.delimiter, members.encoding]) {
    if (format === 'parquet' && !isAbsent(one)) fail(one, 'is of CSV, and the format is parquet');
  }
  const delimiter = readOr(members.delimiter, ',', readText);
  if (delimiter.length !== 1) fail(members.delimiter, 'must be one character');
  const encodings = isAbsent(members.encoding)
    ? (['utf-8'] as const)
    : readList(members.encoding, true).map((one) => readChoice(one, archiveEncodings));
  return { format, delimiter, encodings };
}

function readPosition(field: Field): { column: string; minus: number } | null {
  if (field.value === 'scheduledTime') return null;
  if (typeof field.value === 'string') return { column: field.value, minus: 0 };
  const members = readMembers(field, ['column', 'minus']);
  return {
    column: readText(members.column),
    minus: readOr(members.minus, 0, (one) => readInteger(one, 0, 65_535)),
  };
}

function readEvent(field: Field): EventColumns {
  const members = readMembers(field, ['scheduled', 'delay', 'actual', 'evidence']);
  if (isAbsent(members.delay) === isAbsent(members.actual)) fail(field, 'must have either delay or actual');
  return {
    scheduled: parseExpression(members.scheduled),
    delay: readOr(members.delay, null, readDelay),
    actual: readOr(members.actual, null, parseExpression),
    evidence: parseValue(members.evidence),
  };
}

function readDelay(field: Field): EventColumns['delay'] {
  const members = readMembers(field, ['column', 'unit']);
  return { column: readText(members.column), unit: readChoice(members.unit, ['seconds', 'minutes']) };
}

function readCountedEvent(field: Field): ArchiveMapping['countedEvent'] {
  const members = readMembers(field, ['firstCall', 'otherCalls']);
  return { firstCall: readChoice(members.firstCall, EVENTS), otherCalls: readChoice(members.otherCalls, EVENTS) };
}

/** Codes under which rows are refused anyway. */
const OWN_CODES = ['no_service_date', 'no_trip', 'no_position', 'no_time', 'impossible_time', 'duplicate', 'replaced'];

function readSkip(field: Field): ArchiveMapping['skip'][number] {
  const members = readMembers(field, ['code', 'when']);
  const code = readText(members.code);
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(code)) fail(members.code, 'must be a word of a-z, 0-9 and "_"');
  if (OWN_CODES.includes(code)) fail(members.code, 'is a code with a meaning of its own');
  return { code, when: parseCondition(members.when) };
}

function readUnknownRules(field: Field): UnknownRule[] {
  const rules = readList(field).map((one) => {
    const members = readMembers(one, ['value', 'where']);
    return { value: readNumber(members.value), where: readWhere(members.where) };
  });
  if (rules.filter(({ where }) => where.kind === 'neverOther').length > 1) fail(field, 'may have neverOther only once');
  return rules;
}

function readWhere(field: Field): UnknownWhere {
  if (typeof field.value === 'string') return { kind: readChoice(field, ['always', 'afterLastOther']) };
  const members = readMembers(field, ['column', 'is', 'in', 'scheduledAfter', 'neverOther', 'rows']);
  if (!isAbsent(members.scheduledAfter)) return { kind: 'scheduledAfter', column: readText(members.scheduledAfter) };
  if (isAbsent(members.neverOther)) return { kind: 'condition', when: parseCondition(field) };
  return {
    kind: 'neverOther',
    column: readText(members.neverOther),
    rows: readOr(members.rows, 10, (one) => readInteger(one, 1, 1_000_000)),
  };
}

function readDuplicates(field: Field): ArchiveMapping['duplicates'] {
  const members = readMembers(field, ['keep', 'by']);
  return { keep: readChoice(members.keep, ['first', 'last']), by: readOr<string | null>(members.by, null, readScalar) };
}

function readLimits(field: Field): ArchiveMapping['limits'] {
  const members = readMembers(field, ['earlySeconds', 'lateSeconds']);
  const read = (one: Field) => readInteger(one, 0, 7 * 86_400);
  return {
    earlySeconds: readOr(members.earlySeconds, 7200, read),
    lateSeconds: readOr(members.lateSeconds, 86_400, read),
  };
}
