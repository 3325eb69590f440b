import { sqlName, sqlText } from '../effects/duckdb.ts';
import {
  type ArchiveMapping,
  type CallEvent,
  type Condition,
  type EventColumns,
  type Expression,
  MappingError,
  numberColumns,
  textColumns,
  type UnknownWhere,
} from './archive-mapping.ts';

/** Types of the archive's columns by name. */
export type ArchiveColumns = ReadonlyMap<string, string>;

/** Days of rows without one, and of rows that were not asked for, among the partitions of staged rows. */
export const NO_DAY = 'none';
export const OUTSIDE_DAY = 'outside';

export interface StagePeriod {
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * The query that turns the rows of an archive into rows with columns of ours, one by one: nothing is looked up, sorted
 * or left out, so it streams. `day` says which service date a row belongs to.
 * @param relation what stands behind `from`; has `file_row_number`
 * @throws MappingError when the mapping names a column that the archive does not have
 */
export function buildStageSelect(
  mapping: ArchiveMapping,
  columns: ArchiveColumns,
  relation: string,
  period: StagePeriod,
): string {
  const world: World = { mapping, columns };
  const selected = [
    `${toDay(world, period)} as "day"`,
    'file_row_number as row_number',
    `${textOr(world, mapping.columns.tripId)} as trip_id`,
    ...textColumns
      .filter((name) => name !== 'tripId')
      .map((name) => `${textOr(world, mapping.columns[name])} as ${toSnakeCase(name)}`),
    ...numberColumns.map((name) => `try_cast(${textOr(world, mapping.numbers[name])} as double) as ${name}`),
    `${toPosition(world)} as position_number`,
    `${mapping.position !== null} as has_positions`,
    `${conditionOr(world, mapping.isCancelled)} as is_cancelled`,
    `${conditionOr(world, mapping.isAdded)} as is_added`,
    `${toSkipCode(world)} as skip_code`,
    `${toRecency(world)} as recency`,
    `${toMutePlace(world)} as mute_place`,
    ...selectEvent(world, 'arrival'),
    ...selectEvent(world, 'departure'),
  ];
  return `select ${selected.join(',\n')}\nfrom ${relation}`;
}

interface World {
  readonly mapping: ArchiveMapping;
  readonly columns: ArchiveColumns;
}

// ---- Columns and texts -------------------------------------------------------------------------

/** @throws MappingError */
function getColumn({ mapping, columns }: World, name: string): { readonly sql: string; readonly type: string } {
  const type = columns.get(name);
  if (type !== undefined) return { sql: sqlName(name), type };
  const known = [...columns.keys()].join(', ');
  throw new MappingError(`the mapping ${mapping.name} names the column ${name}, but the archive has ${known}`);
}

function columnText(world: World, name: string): string {
  return `nullif(trim(${getColumn(world, name).sql}::varchar), '')`;
}

function toText(world: World, expression: Expression): string {
  switch (expression.kind) {
    case 'column': {
      const text = columnText(world, expression.column);
      if (expression.map === null) return text;
      const cases = Object.entries(expression.map).map(([from, to]) => {
        return `when ${sqlText(from.toLowerCase())} then ${sqlText(to)}`;
      });
      const otherwise = expression.otherwise === null ? 'null' : sqlText(expression.otherwise);
      return `case lower(${text}) ${cases.join(' ')} else ${otherwise} end`;
    }
    case 'constant':
      return sqlText(expression.value);
    case 'join': {
      const parts = expression.columns.map((name) => `coalesce(${columnText(world, name)}, '')`);
      return `nullif(concat_ws(${sqlText(expression.with)}, ${parts.join(', ')}), '')`;
    }
    case 'serviceSeconds':
      return columnText(world, expression.column);
    case 'firstOf':
      return `coalesce(${expression.of.map((one) => toText(world, one)).join(', ')})`;
  }
}

function textOr(world: World, expression: Expression | undefined): string {
  return expression === undefined ? 'null::varchar' : `(${toText(world, expression)})::varchar`;
}

function toCondition(world: World, { column, in: values }: Condition): string {
  const list = values.map((value) => sqlText(value.toLowerCase())).join(', ');
  return `coalesce(lower(${columnText(world, column)}) in (${list}), false)`;
}

function conditionOr(world: World, condition: Condition | null): string {
  return condition === null ? 'false' : toCondition(world, condition);
}

// ---- Times -------------------------------------------------------------------------------------

/** A clock reading, or a date; null for what is none. */
function toTimestamp(world: World, expression: Expression): string {
  if (expression.kind === 'firstOf') {
    return `coalesce(${expression.of.map((one) => toTimestamp(world, one)).join(', ')})`;
  }
  if (expression.kind !== 'column') return `try_cast(${toText(world, expression)} as timestamp)`;
  const { sql, type } = getColumn(world, expression.column);
  // Without the calendar extension DuckDB casts no moment with a zone; counting from 1970 it can.
  if (type === 'TIMESTAMP WITH TIME ZONE') return `make_timestamp(epoch_us(${sql}))`;
  if (type === 'DATE' || type.startsWith('TIMESTAMP')) return `${sql}::timestamp`;
  const text = columnText(world, expression.column);
  if (expression.parse.length === 0) return `try_cast(${text} as timestamp)`;
  return `try_strptime(${text}, [${expression.parse.map(sqlText).join(', ')}])`;
}

/** Numbers as they are, and `26:30:00`. */
function toServiceSeconds(world: World, column: string): string {
  const text = columnText(world, column);
  const part = (index: number) => `split_part(${text}, ':', ${index})::integer`;
  return `case
    when regexp_full_match(${text}, '\\d{1,3}:[0-5]\\d:[0-5]\\d')
        then ${part(1)} * 3600 + ${part(2)} * 60 + ${part(3)}
    else try_cast(${text} as integer)
  end`;
}

function toDay(world: World, { from, to }: StagePeriod): string {
  const date = `(${toTimestamp(world, world.mapping.serviceDate)})::date`;
  const bounds = [
    ...(from ? [`${date} < date ${sqlText(from)}`] : []),
    ...(to ? [`${date} > date ${sqlText(to)}`] : []),
  ];
  return `case
    when ${date} is null or ${date} not between date '1970-01-01' and date '2199-12-31' then ${sqlText(NO_DAY)}
    ${bounds.map((bound) => `when ${bound} then ${sqlText(OUTSIDE_DAY)}`).join(' ')}
    else strftime(${date}, '%Y-%m-%d')
  end`;
}

// ---- Events ------------------------------------------------------------------------------------

function selectEvent(world: World, event: CallEvent): string[] {
  const { scheduled, delay, actual, evidence } = world.mapping[event];
  const plan = toTime(world, scheduled);
  const happening = actual === null ? { reading: 'null::timestamp', seconds: 'null::integer' } : toTime(world, actual);
  const told = delay ? `try_cast(${columnText(world, delay.column)} as double)` : 'null::double';
  const named = toText(world, evidence);
  const toldText = delay ? columnText(world, delay.column) : toText(world, actual!);
  const toldValue = delay ? told : `coalesce(${happening.reading}::varchar, ${happening.seconds}::varchar)`;
  const value = delay ? told : differenceOf(plan, happening);
  return [
    `${plan.reading} as ${event}_scheduled_reading`,
    `${plan.seconds} as ${event}_scheduled_seconds`,
    `${toText(world, scheduled)} is not null and coalesce(${plan.reading}::varchar, ${plan.seconds}::varchar) is null
      as ${event}_schedule_is_bad`,
    `try_cast(round(${told} * ${delay?.unit === 'minutes' ? 60 : 1}) as integer) as ${event}_told_delay`,
    `${happening.reading} as ${event}_actual_reading`,
    `${happening.seconds} as ${event}_actual_seconds`,
    `${toldText} is not null and ${toldValue} is null as ${event}_told_is_bad`,
    `case when ${named} in ('observed_actual', 'forecast') then ${named} else 'unknown' end as ${event}_evidence`,
    `${value} is not null as ${event}_is_told`,
    `${anyOf(here(world, value, scheduled))} as ${event}_is_doubtful`,
    `${anyOf(valuesOf(world, 'afterLastOther', value))} as ${event}_is_doubtful_behind`,
    `${anyOf(valuesOf(world, 'neverOther', value))} as ${event}_is_doubtful_if_mute`,
  ];
}

function toTime(world: World, expression: Expression): { readonly reading: string; readonly seconds: string } {
  if (expression.kind === 'serviceSeconds') {
    return { reading: 'null::timestamp', seconds: toServiceSeconds(world, expression.column) };
  }
  return { reading: toTimestamp(world, expression), seconds: 'null::integer' };
}

/** Seconds by the clock; good enough to compare with what means unknown. */
function differenceOf(
  plan: { reading: string; seconds: string },
  actual: { reading: string; seconds: string },
): string {
  return `coalesce(epoch(${actual.reading} - ${plan.reading}), ${actual.seconds} - ${plan.seconds})`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `coalesce(${conditions.map((one) => `(${one})`).join(' or ')}, false)`;
}

function valuesOf({ mapping }: World, kind: UnknownWhere['kind'], value: string): string[] {
  return mapping.unknown.filter(({ where }) => where.kind === kind).map((rule) => `${value} = ${rule.value}`);
}

/** Rules that a row alone decides. */
function here(world: World, value: string, scheduled: EventColumns['scheduled']): string[] {
  return world.mapping.unknown.flatMap(({ value: unknown, where }) => {
    const isValue = `${value} = ${unknown}`;
    if (where.kind === 'always') return [isValue];
    if (where.kind === 'condition') return [`${isValue} and ${toCondition(world, where.when)}`];
    if (where.kind !== 'scheduledAfter') return [];
    const moment = toTimestamp(world, { kind: 'column', column: where.column, parse: [], map: null, otherwise: null });
    return [`${isValue} and ${toTimestamp(world, scheduled)} > ${moment}`];
  });
}

// ---- The rest ----------------------------------------------------------------------------------

function toPosition(world: World): string {
  const { position } = world.mapping;
  if (position === null) return 'null::integer';
  const number = `try_cast(${columnText(world, position.column)} as integer) - ${position.minus}`;
  return `case when ${number} between 0 and 65535 then ${number} end`;
}

function toSkipCode(world: World): string {
  const { skip } = world.mapping;
  if (skip.length === 0) return 'null::varchar';
  const cases = skip.map(({ code, when }) => `when ${toCondition(world, when)} then ${sqlText(code)}`);
  return `case ${cases.join(' ')} end`;
}

/** What tells the later one of duplicates: a moment or a number as seconds, else the order in the file. */
function toRecency(world: World): string {
  const { by } = world.mapping.duplicates;
  if (by === null) return 'null::double';
  const moment = toTimestamp(world, { kind: 'column', column: by, parse: [], map: null, otherwise: null });
  return `coalesce(try_cast(${columnText(world, by)} as double), epoch(${moment}))::double`;
}

function toMutePlace(world: World): string {
  for (const { where } of world.mapping.unknown) {
    if (where.kind === 'neverOther') return columnText(world, where.column);
  }
  return 'null::varchar';
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
