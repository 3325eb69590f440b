import { sqlName } from '../../effects/duckdb.ts';
import { type ArchiveMapping, MappingError } from './archive-mapping.ts';

/** Types by column. */
export type ColumnTypes = ReadonlyMap<string, string>;

/** A kind of column: its valid types, and the value of a column that a query does not return. */
interface ColumnKind {
  readonly mustBe: string;
  readonly types: RegExp;
  readonly absent: string;
}

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|VARCHAR)$/;
const text: ColumnKind = { mustBe: 'VARCHAR', types: /^VARCHAR$/, absent: 'null::varchar' };
const flag: ColumnKind = { mustBe: 'BOOLEAN', types: /^BOOLEAN$/, absent: 'false' };
const number: ColumnKind = { mustBe: 'a number, or VARCHAR of one', types: NUMBER, absent: 'null::double' };
const rowNumber: ColumnKind = { mustBe: 'file_row_number of the archive', types: /^BIGINT$/, absent: 'null::bigint' };
const reading: ColumnKind = {
  mustBe: 'TIMESTAMP or DATE, or VARCHAR of one',
  types: /^(TIMESTAMP.*|DATE|VARCHAR)$/,
  absent: 'null::timestamp',
};
const serviceTime: ColumnKind = {
  mustBe: 'seconds of the service day, or VARCHAR such as 26:30:00',
  types: NUMBER,
  absent: 'null::varchar',
};

/** Columns whose kind does not depend on the mapping; that of call times depends on its clock. */
const fixedColumns = {
  file_row_number: rowNumber,
  service_date: reading,
  trip_id: text,
  route_id: text,
  line_label: text,
  product: text,
  operator: text,
  direction: text,
  trip_number: text,
  position: number,
  stop_id: text,
  stop_name: text,
  station_id: text,
  lat: number,
  lon: number,
  platform: text,
  arrival_delay_seconds: number,
  arrival_delay_minutes: number,
  arrival_evidence: text,
  arrival_is_placeholder: flag,
  departure_delay_seconds: number,
  departure_delay_minutes: number,
  departure_evidence: text,
  departure_is_placeholder: flag,
  is_cancelled: flag,
  arrival_is_cancelled: flag,
  departure_is_cancelled: flag,
  is_added: flag,
  skip_code: text,
  recency: number,
} as const;

const timeColumns = ['arrival_scheduled', 'arrival_actual', 'departure_scheduled', 'departure_actual'] as const;
const needed = [
  ...(['file_row_number', 'service_date', 'trip_id'] as const),
  ...(['arrival_scheduled', 'arrival_evidence', 'departure_scheduled', 'departure_evidence'] as const),
];

/** All columns that a query may return. */
export function listColumns({ clock }: Pick<ArchiveMapping, 'clock'>): ReadonlyMap<string, ColumnKind> {
  const time = clock === 'service' ? serviceTime : reading;
  return new Map([...Object.entries(fixedColumns), ...timeColumns.map((name) => [name, time] as const)]);
}

/** @throws MappingError naming every column that is missing, unknown, or of an invalid type */
export function checkColumns(mapping: ArchiveMapping, given: ColumnTypes): void {
  const known = listColumns(mapping);
  const wrong = [
    ...[...needed, ...(mapping.hasPositions ? ['position'] : [])]
      .filter((name) => !given.has(name))
      .map((name) => `the column ${name} is missing`),
    ...[...given.keys()]
      .filter((name) => !known.has(name))
      .map((name) => `the column ${name} is unknown; the staging columns are ${[...known.keys()].join(', ')}`),
    ...[...given].flatMap(([name, type]) => {
      const kind = known.get(name);
      const isFit = !kind || isUntyped(type) || kind.types.test(type);
      return isFit ? [] : [`the column ${name} is ${type}, but must be ${kind.mustBe}`];
    }),
    ...(!mapping.hasPositions && given.has('position') ? ['the column position has no use: the order is another'] : []),
    ...(['arrival', 'departure'] as const).flatMap((event) => {
      const ways = [`${event}_delay_seconds`, `${event}_delay_minutes`, `${event}_actual`];
      const there = ways.filter((name) => given.has(name)).length;
      return there === 1 ? [] : [`of the columns ${ways.join(', ')} one must be there, and there are ${there}`];
    }),
  ];
  // An actual time would not move with its scheduled time when that is moved by a day.
  if (mapping.repairsDays && (given.has('arrival_actual') || given.has('departure_actual'))) {
    wrong.push('repairs_days requires delays, not actual times');
  }
  if (wrong.length > 0) throw new MappingError(wrong.join('; '));
}

/** `null` without a cast has no type. */
const isUntyped = (type: string) => type === '"NULL"';

/**
 * Builds the query whose rows are stored: the staging columns that the mapping gives, and `service_day`, a date; null
 * if there is no such column.
 * @param relation the rows of the mapping's query
 * @param given checked
 */
export function buildStageSelect(mapping: ArchiveMapping, given: ColumnTypes, relation: string): string {
  const selected = [...listColumns(mapping)].flatMap(([name, kind]) => {
    const type = given.get(name);
    if (!isAbsent(type)) return [`${toValue(name, kind, type)} as ${sqlName(name)}`];
    return name === 'service_date' ? [`${kind.absent} as ${sqlName(name)}`] : [];
  });
  return `select
    * exclude (service_date, read_day),
    case when read_day between date '1970-01-01' and date '2199-12-31' then read_day end as service_day
  from (select *, try_cast(service_date as timestamp)::date as read_day
  from (select ${selected.join(',\n')} from ${sqlName(relation)}))`;
}

/** The staging columns that `buildStageSelect` leaves out, as SQL: they cost nothing where they are not stored. */
export function listAbsentColumns(mapping: ArchiveMapping, given: ColumnTypes): string[] {
  return [...listColumns(mapping)].flatMap(([name, kind]) =>
    isAbsent(given.get(name)) ? [`${kind.absent} as ${sqlName(name)}`] : [],
  );
}

function isAbsent(type: string | undefined): type is undefined {
  return type === undefined || isUntyped(type);
}

function toValue(name: string, kind: ColumnKind, type: string): string {
  const column = sqlName(name);
  if (kind === flag) return `coalesce(${column}, false)`;
  if (kind === serviceTime) return `nullif(${column}::varchar, '')`;
  // Without the calendar extension DuckDB cannot cast a timestamp with a time zone; conversion through the epoch works.
  if (type === 'TIMESTAMP WITH TIME ZONE') return `make_timestamp(epoch_us(${column}))`;
  return type === 'VARCHAR' ? `nullif(${column}, '')` : column;
}
