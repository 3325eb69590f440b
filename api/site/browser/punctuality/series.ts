import type { PunctualityData, PunctualityTable } from '../../../contract/site-charts.ts';
import type { ChartSource } from '../charts/chart-panel.tsx';
import { formatDay } from '../charts/numbers.ts';
import { type Comparison, dataPath, type Selection } from './page-state.ts';

/** The numbers of one selection in the charts. */
export interface Series {
  /** Distinguishes it from the other series; null if there is only one. */
  readonly name: string | null;
  readonly color: string;
  /** As in the CSS classes of the legend. */
  readonly id: 'a' | 'b';
  readonly data: PunctualityData;
  readonly selection: Selection;
}

/** @param other absent: no comparison */
export function listSeries(
  versus: Comparison,
  first: Pick<Series, 'data' | 'selection'>,
  other: Pick<Series, 'data' | 'selection'> | null,
): readonly Series[] {
  const name = ({ data, selection }: Pick<Series, 'data' | 'selection'>) =>
    versus === 'line' ? (selection.line ?? '') : `${formatDay(data.period.from)} – ${formatDay(data.period.to)}`;
  const a = { ...first, id: 'a', color: 'var(--series-a)' } as const;
  if (other === null) return [{ ...a, name: null }];
  return [
    { ...a, name: name(first) },
    { ...other, id: 'b', color: 'var(--series-b)', name: name(other) },
  ];
}

export function listSources(series: readonly Series[], table: PunctualityTable): ChartSource[] {
  return series.map(({ name, data, selection }) => ({ name, path: dataPath(selection, table), sql: data.sql[table] }));
}
