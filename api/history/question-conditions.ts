import {
  type CountedEvidence,
  type DefinitionColumn,
  definitionColumns,
  type PunctualityDefinition,
} from '../../pipeline/snapshots/history-contract.ts';
import type { Condition } from './compose-statement.ts';
import { type DatePeriod, type HistoryQuestion, toStopValues } from './question.ts';

/** Limits of the counts, and what counts as observed. */
export interface CountedBy extends PunctualityDefinition {
  readonly evidence: CountedEvidence;
}

/**
 * The conditions of a query on rows, in any mart with its columns.
 * @param days the condition on the days of the period
 * @param columns those in which definitions differ; default: all. Conditions on all take a third of the query time
 */
export function listConditions(
  question: HistoryQuestion,
  countedBy: CountedBy,
  {
    days = inPeriod(question.period),
    columns = definitionColumns,
  }: { readonly days?: Condition | undefined; readonly columns?: readonly DefinitionColumn[] } = {},
): Condition[] {
  const { source, line, operator, stops } = question;
  return [
    ['source = $source', { source }],
    days,
    ...columns.map((column) => toDefinitionCondition(column, countedBy)),
    ...(line === null ? [] : [['line = $line', { line }] as const]),
    ...(operator === null ? [] : [['operator = $operator', { operator }] as const]),
    ...(stops === null ? [] : listStopConditions(stops)),
  ];
}

/** The condition that a row is of a day of the period. */
export function inPeriod({ from, to }: DatePeriod): Condition {
  return [
    'service_date between cast($first_date as date) and cast($last_date as date)',
    { first_date: from, last_date: to },
  ];
}

/** Conditions that select the days outside of whole months, and the sums of these months. */
export function besideMonths({ from, to }: DatePeriod): { readonly days: Condition; readonly months: Condition } {
  const months = 'between cast($first_month_day as date) and cast($last_month_day as date)';
  const values = { first_month_day: from, last_month_day: to };
  return { days: [`service_date not ${months}`, values], months: [`first_date ${months}`, values] };
}

function toDefinitionCondition(column: DefinitionColumn, countedBy: CountedBy): Condition {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, evidence } = countedBy;
  const conditions: Readonly<Record<DefinitionColumn, Condition>> = {
    on_time_max_delay_seconds: ['on_time_max_delay_seconds = $on_time_max', { on_time_max: onTimeMaxDelaySeconds }],
    late_min_delay_seconds: ['late_min_delay_seconds = $late_min', { late_min: lateMinDelaySeconds }],
    early_min_seconds: ['early_min_seconds = $early_min', { early_min: earlyMinSeconds }],
    evidence: ['evidence = $evidence', { evidence }],
  };
  return conditions[column];
}

function listStopConditions(stops: NonNullable<HistoryQuestion['stops']>): Condition[] {
  const { first_feed, last_feed, first_stop, last_stop, public_ids } = toStopValues(stops);
  return [
    ['feed_source between $first_feed and $last_feed', { first_feed, last_feed }],
    ['stop_id between $first_stop and $last_stop', { first_stop, last_stop }],
    ["@list_contains($public_ids, feed_source || ':' || stop_id)", { public_ids }],
  ];
}
