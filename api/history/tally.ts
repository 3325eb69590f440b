import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { PunctualityDefinition } from '../../pipeline/snapshots/history-contract.ts';
import type { DatePeriod } from './question.ts';

/** The history shown on the page. */
export interface Punctuality {
  readonly numbers: HistoryNumbers;
  readonly definition: PunctualityDefinition;
}

/** Counts of calls. `observed` is the denominator of every share. */
export interface Tally {
  /** Scheduled calls. */
  readonly expected: number;
  /** Calls with an observed time. */
  readonly observed: number;
  /** Among the observed: times derived from positions. */
  readonly derived: number;
  /** Among the observed: final forecasts; 0 unless the query counts them. */
  readonly forecasts: number;
  /** Among the observed; early ones too. */
  readonly onTime: number;
  readonly early: number;
  readonly late10: number;
  /** Reported as cancelled; never counted as observed. */
  readonly cancelled: number;
  /** Among the cancelled: calls at whose stop a replacement trip called within a quarter of an hour. */
  readonly replaced: number;
  /** Sum over the observed; early is negative. */
  readonly delaySumSeconds: number;
}

/** Counts of an answer, from which each route derives its shares. */
export interface HistoryNumbers {
  readonly period: DatePeriod;
  readonly totals: Tally;
  /** Days with at least one scheduled call, ascending. */
  readonly daily: readonly (Tally & { readonly day: ServiceDate })[];
  /** Lines with at least one observed call, by label, product and operator as UTF-8 sorts. */
  readonly lines: readonly LineTally[];
  /** Weekdays (1 Monday to 7 Sunday) and hours with at least one observed call, ascending. */
  readonly heatmap: readonly HourTally[];
}

type Observed = Pick<Tally, 'observed' | 'delaySumSeconds'>;
/** Networks share labels, so a line is label, product and operator; each `''` where unknown. */
export interface LineTally extends Observed, Pick<Tally, 'onTime'> {
  readonly line: string;
  readonly product: string;
  readonly operator: string;
}
export type HourTally = Observed & { readonly dow: number; readonly hour: number };

export function sumTallies(tallies: readonly Tally[]): Tally {
  const sum = {
    expected: 0,
    observed: 0,
    derived: 0,
    forecasts: 0,
    onTime: 0,
    early: 0,
    late10: 0,
    cancelled: 0,
    replaced: 0,
    delaySumSeconds: 0,
  };
  for (const tally of tallies) {
    for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key];
  }
  return sum;
}

/** Numbers of an empty history. */
export function emptyNumbers(period: DatePeriod): HistoryNumbers {
  return { period, totals: sumTallies([]), daily: [], lines: [], heatmap: [] };
}

/** @returns null for an empty whole */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** 0 to 100 with one decimal. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : roundTo((100 * part) / whole, 10);
}

/** Minutes with two decimals; early is negative. */
export function averageMinutes({ delaySumSeconds, observed }: Observed): number | null {
  return observed === 0 ? null : roundTo(delaySumSeconds / observed / 60, 100);
}

/** Rounds half away from zero, as SQL does, so that queries of the lake give the same digits. */
function roundTo(value: number, steps: number): number {
  const rounded = Math.round(Math.abs(value) * steps) / steps;
  // Without this, an answer could contain minus zero.
  return value < 0 && rounded > 0 ? -rounded : rounded;
}
