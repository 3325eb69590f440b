import { dot, type PlotOptions, ruleX, ruleY } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PredictionClass, PredictionData, PredictionError } from '../../../contract/site-charts.ts';
import { ChartPanel, type ChartSource } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { formatCount, formatSeconds, formatShare, formatWholeShare } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { sliceLabel, slices, texts } from './page-texts.ts';

/** Share of arrivals that an interval should contain. */
const AIM = 0.8;
const t = texts.intervals;

interface IntervalChartProps {
  readonly data: PredictionData;
  readonly sources: readonly ChartSource[];
}

/** Coverage of the prediction intervals over the month. */
export function IntervalChart({ data, sources }: IntervalChartProps) {
  const rows = slices.flatMap((name) =>
    data.month_errors.filter(
      ({ slice, forecaster, covered }) => slice === name && forecaster === 'ours' && covered !== null,
    ),
  );
  const draw = useCallback((width: number) => drawCovered(data.month_errors, width), [data]);
  return (
    <ChartPanel
      title={t.title}
      note={t.note}
      sources={sources}
      table={<DataTable caption={t.title} columns={columns} rows={rows} keyOf={({ slice }) => slice} />}
    >
      <PlotChart label={t.drawing} draw={draw} />
      <h3>{t.byConfidence}</h3>
      <DataTable
        caption={t.byConfidence}
        columns={classColumns}
        rows={data.confidence}
        keyOf={({ confidence }) => confidence}
      />
    </ChartPanel>
  );
}

function drawCovered(errors: readonly PredictionError[], width: number): PlotOptions {
  const rows = errors.filter(({ covered }) => covered !== null);
  return {
    marginLeft: width < 420 ? 132 : 140,
    marginRight: 20,
    marginTop: 4,
    height: slices.length * 28 + 34,
    x: { domain: [0, 1], grid: true, label: null, tickFormat: formatWholeShare, ticks: 5 },
    y: { type: 'point', domain: slices.map(sliceLabel), label: null, tickSize: 0, padding: 0.6 },
    marks: [
      ruleY(slices.map(sliceLabel), { stroke: 'var(--line)' }),
      ruleX([AIM], { stroke: 'var(--ink)', strokeDasharray: '4 3' }),
      dot(rows, {
        x: 'covered',
        y: ({ slice }: PredictionError) => sliceLabel(slice),
        fill: 'var(--series-a)',
        r: 5,
        title: ({ slice, covered, pairs }: PredictionError) =>
          `${sliceLabel(slice)}: ${formatShare(covered)}, ${formatCount(pairs)}`,
      }),
    ],
  };
}

const columns: readonly TableColumn<PredictionError>[] = [
  { name: texts.errors.horizon, show: ({ slice }) => sliceLabel(slice) },
  { name: t.covered, show: ({ covered }) => formatShare(covered), isNumber: true },
  { name: t.width, show: ({ mean_width_seconds: width }) => formatSeconds(width), isNumber: true },
  { name: texts.errors.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
];

const classColumns: readonly TableColumn<PredictionClass>[] = [
  { name: t.confidence, show: ({ confidence }) => t.classes[confidence] ?? confidence },
  { name: texts.errors.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
  { name: t.within(60), show: ({ within_60: share }) => formatShare(share), isNumber: true },
  { name: t.within(120), show: ({ within_120: share }) => formatShare(share), isNumber: true },
  { name: t.within(180), show: ({ within_180: share }) => formatShare(share), isNumber: true },
  { name: t.covered, show: ({ covered }) => formatShare(covered), isNumber: true },
];
