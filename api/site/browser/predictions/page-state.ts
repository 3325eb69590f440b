import type { PredictionTable } from '../../../contract/site-charts.ts';

/** State of the page, stored in the URL; null: not chosen. */
export interface PredictionsPageState {
  readonly source: string | null;
  readonly day: string | null;
  readonly pairs: string | null;
  readonly example: string | null;
}

const names = ['source', 'day', 'pairs', 'example'] as const;

export function readState(query: URLSearchParams): PredictionsPageState {
  return Object.fromEntries(names.map((name) => [name, query.get(name) || null])) as unknown as PredictionsPageState;
}

/** @param table absent: all charts */
export function dataPath(state: PredictionsPageState, table?: PredictionTable): string {
  const query = new URLSearchParams();
  if (table) query.set('table', table);
  for (const name of names) {
    const value = state[name];
    if (value !== null) query.set(name, value);
  }
  return `/site/data/predictions?${query.toString().replaceAll('+', '%20')}`;
}
