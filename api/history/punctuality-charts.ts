import type { HistoryTable, PunctualityDefinition } from '../../pipeline/snapshots/history-contract.ts';
import type { Chart } from './chart.ts';
import { type Condition, composeChart, readChartStatements } from './compose-chart.ts';
import { type DatePeriod, type HistoryQuestion, toStopValues } from './question.ts';
import type { ColumnKind } from './render-columns.ts';

/** Limits of the counts, and what counts as observed. */
export interface CountedBy extends PunctualityDefinition {
  readonly evidence: 'observed_actual' | 'forecast';
}

/** A query of the charts: the definition may be another one than that of the api's answers. */
export interface PunctualityQuestion extends HistoryQuestion {
  readonly definition: CountedBy;
}

const statementNames = ['totals', 'days', 'lines', 'shares', 'hours', 'stop_hours', 'delays', 'definitions'] as const;

/** Statements of the charts, by name. */
export type ChartSql = Readonly<Record<(typeof statementNames)[number], string>>;

export const readChartSql = (): Promise<ChartSql> => readChartStatements(statementNames);

const counts = {
  expected: 'count',
  observed: 'count',
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

/** The charts of a question. By stop the marts have no distribution of delays, so there is none. */
export function punctualityCharts(
  sql: ChartSql,
  question: PunctualityQuestion,
): Readonly<Record<PunctualityChart, Chart | null>> {
  const isStop = question.stops !== null;
  const [byDay, byHour] = chooseTables(question);
  const conditions = listConditions(question);
  const chart = (name: PunctualityChart, statement: string, table: HistoryTable): Chart => ({
    ...composeChart({ statement, table, conditions }),
    columns: punctualityColumns[name],
  });
  const shared = (name: PunctualityChart, counted: string, table: HistoryTable): Chart => ({
    ...composeChart({ statement: sql.shares, counted, table, conditions }),
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
function chooseTables({
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
    ...composeChart({
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

/** The condition that a row is of a day of the period. */
export function inPeriod({ from, to }: DatePeriod): Condition {
  return [
    'service_date between cast($first_date as date) and cast($last_date as date)',
    { first_date: from, last_date: to },
  ];
}

// ---- Conditions --------------------------------------------------------------------------------

function listConditions({ period, source, line, operator, stops, definition }: PunctualityQuestion): Condition[] {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, evidence } = definition;
  return [
    ['source = $source', { source }],
    inPeriod(period),
    ['on_time_max_delay_seconds = $on_time_max', { on_time_max: onTimeMaxDelaySeconds }],
    ['late_min_delay_seconds = $late_min', { late_min: lateMinDelaySeconds }],
    ['early_min_seconds = $early_min', { early_min: earlyMinSeconds }],
    ['evidence = $evidence', { evidence }],
    ...(line === null ? [] : [['line = $line', { line }] as const]),
    ...(operator === null ? [] : [['operator = $operator', { operator }] as const]),
    ...(stops === null ? [] : listStopConditions(stops)),
  ];
}

function listStopConditions(stops: NonNullable<HistoryQuestion['stops']>): Condition[] {
  const { first_feed, last_feed, first_stop, last_stop, public_ids } = toStopValues(stops);
  return [
    ['feed_source between $first_feed and $last_feed', { first_feed, last_feed }],
    ['stop_id between $first_stop and $last_stop', { first_stop, last_stop }],
    ["@list_contains($public_ids, feed_source || ':' || stop_id)", { public_ids }],
  ];
}
