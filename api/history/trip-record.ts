import type { TripDayStatus, TripRecord, TripRecordDay } from '../contract/site-trip-record.ts';
import type { DatePeriod } from './question.ts';

/** A row of the chart `trip_days`. */
export interface TripDayRow {
  readonly day: string;
  readonly operator: string;
  readonly first_stop_name: string | null;
  readonly last_stop_name: string | null;
  readonly first_departure_minutes: number;
  readonly scheduled: number;
  readonly observed: number;
  readonly cancelled: number;
  readonly final_delay_seconds: number | null;
}

interface TripQuestion {
  readonly number: string;
  readonly period: DatePeriod;
  /** `null`: the operator with the most days. */
  readonly operator: string | null;
  readonly onTimeMaxDelaySeconds: number;
}

/**
 * The record of one trip number. Trips of the same number, operator and day are parts or copies of one: the one with
 * the most calls counts.
 * @param rows by day, then the trip with the most calls first
 */
export function toTripRecord(question: TripQuestion, rows: readonly TripDayRow[]): TripRecord {
  const { number, period, onTimeMaxDelaySeconds } = question;
  const byOperator = new Map<string, Map<string, TripDayRow>>();
  for (const row of rows) {
    const days = byOperator.get(row.operator) ?? new Map<string, TripDayRow>();
    byOperator.set(row.operator, days);
    if (!days.has(row.day)) days.set(row.day, row);
  }
  const operators = [...byOperator].sort(([a, of], [b, other]) => other.size - of.size || (a < b ? -1 : 1));
  const chosen = question.operator ?? operators[0]?.[0] ?? null;
  const days = [...((chosen === null ? null : byOperator.get(chosen)) ?? new Map<string, TripDayRow>()).values()].map(
    (row) => toDay(row, onTimeMaxDelaySeconds),
  );
  const late = days.filter(({ status }) => status === 'late').map(({ finalDelaySeconds }) => finalDelaySeconds!);
  const count = (status: TripDayStatus) => days.filter((day) => day.status === status).length;
  return {
    number,
    period,
    onTimeMaxDelaySeconds,
    operator: chosen,
    operators: operators.map(([operator]) => operator),
    days,
    counts: {
      onTime: count('onTime'),
      late: count('late'),
      cancelled: count('cancelled'),
      unknown: count('unknown'),
    },
    lateMedianSeconds: medianOf(late),
  };
}

function toDay(row: TripDayRow, onTimeMaxDelaySeconds: number): TripRecordDay {
  const { day, scheduled, observed, cancelled, final_delay_seconds: finalDelaySeconds } = row;
  const minutes = row.first_departure_minutes;
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  return {
    day,
    status: judgeDay(row, onTimeMaxDelaySeconds),
    departure: `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`,
    from: row.first_stop_name,
    to: row.last_stop_name,
    scheduled,
    observed,
    cancelled,
    finalDelaySeconds,
  };
}

function judgeDay(row: TripDayRow, onTimeMaxDelaySeconds: number): TripDayStatus {
  if (row.cancelled === row.scheduled) return 'cancelled';
  if (row.final_delay_seconds === null) return 'unknown';
  return row.final_delay_seconds < onTimeMaxDelaySeconds ? 'onTime' : 'late';
}

/** @returns null without values */
function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[upper]! : (sorted[upper - 1]! + sorted[upper]!) / 2;
}
