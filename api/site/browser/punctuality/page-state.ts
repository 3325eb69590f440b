import type { PunctualityTable } from '../../../contract/site-charts.ts';
import type { QueryChanges } from '../page/use-query.ts';

export const comparisons = ['none', 'period', 'line'] as const;
export type Comparison = (typeof comparisons)[number];

/** Query parameters of the route; null: not chosen. */
export interface Selection {
  readonly from: string | null;
  readonly to: string | null;
  readonly line: string | null;
  readonly operator: string | null;
  readonly stopId: string | null;
  readonly source: string | null;
  readonly definition: string | null;
}

/** State of the page, stored in the URL. */
export interface PunctualityPageState {
  readonly selection: Selection;
  readonly versus: Comparison;
  /** The selection to compare with. */
  readonly other: { readonly from: string | null; readonly to: string | null; readonly line: string | null };
}

const names = ['from', 'to', 'line', 'operator', 'stopId', 'source', 'definition'] as const;

export function readState(query: URLSearchParams): PunctualityPageState {
  const selection = Object.fromEntries(names.map((name) => [name, query.get(name) || null])) as unknown as Selection;
  const versus = comparisons.find((one) => one === query.get('versus')) ?? 'none';
  const other = (name: string) => query.get(`other-${name}`) || null;
  return { selection, versus, other: { from: other('from'), to: other('to'), line: other('line') } };
}

/** Query parameters of a state. */
export function writeState({ selection, versus, other }: PunctualityPageState): QueryChanges {
  const isPeriod = versus === 'period';
  return {
    ...selection,
    versus: versus === 'none' ? null : versus,
    'other-from': isPeriod ? other.from : null,
    'other-to': isPeriod ? other.to : null,
    'other-line': versus === 'line' ? other.line : null,
  };
}

/** Returns the selection to compare with; null if there is none or it is incomplete. */
export function findOther(
  { selection, versus, other }: PunctualityPageState,
  period: ChosenPeriod | null,
): Selection | null {
  if (versus === 'line') return other.line === null ? null : { ...selection, line: other.line, operator: null };
  if (versus === 'none' || period === null) return null;
  const { from, to } = other.from !== null && other.to !== null ? { from: other.from, to: other.to } : before(period);
  return { ...selection, from, to };
}

export interface ChosenPeriod {
  readonly from: string;
  readonly to: string;
}

const DAY_MILLISECONDS = 86_400_000;

/** Returns the period of the same length that ends the day before this one begins. */
export function before(period: ChosenPeriod): ChosenPeriod {
  return { from: addDays(period.from, -countDays(period)), to: addDays(period.from, -1) };
}

export function countDays({ from, to }: ChosenPeriod): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS) + 1;
}

/** @param day `YYYY-MM-DD` */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** @param table absent: all charts */
export function dataPath(selection: Selection, table?: PunctualityTable): string {
  const query = new URLSearchParams();
  if (table) query.set('table', table);
  for (const name of names) {
    const value = selection[name];
    if (value !== null) query.set(name, value);
  }
  // The service does not read a plus as a space.
  return `/site/data/punctuality?${query.toString().replaceAll('+', '%20')}`;
}
