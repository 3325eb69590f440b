import type { HistoryTable } from '../../pipeline/snapshots/history-contract.ts';
import type { Chart } from './chart.ts';
import { composeStatement, readStatements } from './compose-statement.ts';
import type { DatePeriod, HistoryQuestion } from './question.ts';
import { type CountedBy, inPeriod, listConditions } from './question-conditions.ts';
import type { ColumnKind } from './render-columns.ts';

/** A query of the charts: its definition may differ from that of the API's answers. */
export interface PunctualityQuestion extends HistoryQuestion {
  readonly definition: CountedBy;
}

const statementNames = [
  ...(['totals', 'days', 'lines', 'shares', 'hours', 'stop_hours', 'delays'] as const),
  ...(['definitions', 'trip_days', 'stops'] as const),
] as const;

/** Statements of the charts, by name. */
export type ChartSql = Readonly<Record<(typeof statementNames)[number], string>>;

export const readChartSql = (): Promise<ChartSql> => readStatements('charts', statementNames);

const counts = {
  expected: 'count',
  observed: 'count',
  derived: 'count',
  forecasts: 'count',
  cancelled: 'count',
  replaced: 'count',
  on_time: 'count',
  early: 'count',
  late10: 'count',
  delay_sum_seconds: 'whole',
} as const satisfies Record<string, ColumnKind>;

const shares = {
  ...counts,
  coverage: 'number',
  on_time_share: 'number',
  on_time_low: 'number',
  on_time_high: 'number',
  mean_delay_seconds: 'number',
} as const satisfies Record<string, ColumnKind>;

const hours = {
  dow: 'small',
  hour: 'small',
  observed: 'count',
  on_time: 'whole',
  on_time_share: 'number',
  mean_delay_seconds: 'number',
} as const satisfies Record<string, ColumnKind>;

/** Columns of each chart; names and order are those of its statement. */
export const punctualityColumns = {
  totals: shares,
  days: { day: 'day', ...shares },
  hours,
  lines: { line: 'text', product: 'text', operator: 'text', ...shares },
  delays: { delay_minutes: 'whole', observed: 'count', share: 'number' },
} as const satisfies Record<string, Readonly<Record<string, ColumnKind>>>;

export type PunctualityChart = keyof typeof punctualityColumns;

/** The charts of a query. The marts have no distribution of delays by stop. */
export function punctualityCharts(
  sql: ChartSql,
  question: PunctualityQuestion,
): Readonly<Record<PunctualityChart, Chart | null>> {
  const isStop = question.stops !== null;
  const [byDay, byHour] = chooseTables(question);
  const conditions = listConditions(question, question.definition);
  const chart = (name: PunctualityChart, statement: string, table: HistoryTable): Chart => ({
    ...composeStatement({ statement, table, conditions }),
    columns: punctualityColumns[name],
  });
  const shared = (name: PunctualityChart, counted: string, table: HistoryTable): Chart => ({
    ...composeStatement({ statement: sql.shares, counted, table, conditions }),
    columns: punctualityColumns[name],
  });
  return {
    totals: shared('totals', sql.totals, byDay),
    days: shared('days', sql.days, byDay),
    hours: chart('hours', isStop ? sql.stop_hours : sql.hours, byHour),
    lines: shared('lines', sql.lines, isStop ? 'stop_daily' : 'line_daily'),
    delays: isStop ? null : chart('delays', sql.delays, 'punctuality_cube'),
  };
}

/** The smallest tables with the columns of the question. */
export function chooseTables({
  line,
  operator,
  stops,
}: HistoryQuestion): readonly [byDay: HistoryTable, byHour: HistoryTable] {
  if (stops !== null) return ['stop_daily', 'stop_daily'];
  if (line !== null) return ['line_daily', 'punctuality_cube'];
  return operator === null ? ['network_hourly', 'network_hourly'] : ['operator_hourly', 'operator_hourly'];
}

/** Lists the definitions in the period; not shown as a chart. */
export function definitionsChart(sql: ChartSql, { period, source }: HistoryQuestion): Chart {
  return {
    ...composeStatement({
      statement: sql.definitions,
      table: 'network_hourly',
      conditions: [['source = $source', { source }], inPeriod(period)],
    }),
    columns: {
      on_time_max_delay_seconds: 'whole',
      late_min_delay_seconds: 'whole',
      early_min_seconds: 'whole',
      evidence: 'text',
    },
  };
}

/** Every trip with a number, day by day; not shown as a chart. */
export function tripDaysChart(sql: ChartSql, tripNumber: string, period: DatePeriod): Chart {
  return {
    ...composeStatement({
      statement: sql.trip_days,
      table: 'trip_daily',
      conditions: [['trip_number = $trip_number', { trip_number: tripNumber }], inPeriod(period)],
    }),
    columns: {
      day: 'day',
      operator: 'text',
      product: 'text',
      line: 'text',
      first_stop_name: 'text',
      last_stop_name: 'text',
      first_departure_minutes: 'whole',
      scheduled: 'count',
      observed: 'count',
      cancelled: 'count',
      final_delay_seconds: 'whole',
    },
  };
}

/** Every stop with scheduled calls, over all lines. */
export function stopsChart(sql: ChartSql, question: PunctualityQuestion): Chart {
  return {
    ...composeStatement({
      statement: sql.stops,
      table: 'stop_daily',
      conditions: listConditions(question, question.definition),
    }),
    columns: { feed_source: 'text', stop_id: 'text', expected: 'count', observed: 'count', on_time: 'count' },
  };
}
