import { sqlText } from '../../effects/duckdb.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { type MartDefinition, selectBuiltDay, selectDefinitions } from './definitions.ts';
import type { DailyMart } from './mart-tables.ts';
import type { DayInput } from './plan-months.ts';

/** Steps before the marts, by the names of their files, in their order. An engine that keeps tables keeps these. */
export const daySteps = [
  { sql: 'stg_stop_events', kind: 'view' },
  { sql: 'int_calls', kind: 'table' },
  { sql: 'int_names', kind: 'table' },
  { sql: 'int_merged_calls', kind: 'view' },
  { sql: 'int_shared_lines', kind: 'table' },
  { sql: 'int_shared_line_calls', kind: 'table' },
  { sql: 'int_lines', kind: 'table' },
  { sql: 'int_judged_calls', kind: 'view' },
  { sql: 'int_call_count', kind: 'table' },
] as const;

/** Marts that are sums of another one: they are made where its rows are. */
export const rolledUpMarts: readonly DailyMart[] = ['operator_hourly', 'network_hourly'];

/** A day to be built, of all its sources. */
export interface BuiltDay {
  readonly date: ServiceDate;
  readonly inputs: readonly DayInput[];
  readonly definitions: readonly MartDefinition[];
}

/** What the SQL of a day selects from besides its stop events, as selects that every engine takes. */
export function selectDayInputs({ date, inputs, definitions }: BuiltDay): Readonly<Record<string, string>> {
  const sources = inputs.map(({ source }) => source).sort();
  // By name, because of two sources with equal evidence the first counts.
  const numbers = ['*', ...sources].map((source, number) => `(${number}, ${sqlText(source)})`);
  const counts = inputs.map(({ source, scheduled, cancelled }) => `(${sqlText(source)}, ${scheduled}, ${cancelled})`);
  return {
    built_day: selectBuiltDay(date),
    definitions: selectDefinitions(definitions),
    day_sources: `select cast(number as smallint) as number, cast(source as varchar) as source
      from (values ${numbers.join(', ')}) as listed(number, source)`,
    input_counts: `select cast(source as varchar) as source, cast(scheduled as bigint) as scheduled,
      cast(cancelled as bigint) as cancelled
      from (values ${counts.join(', ')}) as listed(source, scheduled, cancelled)`,
  };
}
