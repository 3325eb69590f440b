import { dot, line, type PlotOptions, ruleX } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PredictionData, TransferBin } from '../../../contract/site-charts.ts';
import { ChartPanel, type ChartSource } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { formatCount, formatInterval, formatShare, formatWholeShare } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { aroundCharts, texts } from './page-texts.ts';

const t = texts.changes;
const BRIER_DIGITS = 3;

interface TransferChartProps {
  readonly data: PredictionData;
  readonly sources: readonly ChartSource[];
}

/** Calibration curve of transfer probabilities over the month. */
export function TransferChart({ data, sources }: TransferChartProps) {
  const { changes } = data;
  const draw = useCallback((width: number) => drawCurve(changes, width), [changes]);
  if (changes.length === 0) {
    return (
      <section class="chart-panel card" aria-label={t.title}>
        <h2>{t.title}</h2>
        <p class="note">{t.none}</p>
      </section>
    );
  }
  return (
    <ChartPanel
      title={t.title}
      note={`${t.note} ${describeCounts(data)}`}
      sources={sources}
      table={<DataTable caption={t.title} columns={columns} rows={changes} keyOf={({ bin }) => String(bin)} />}
    >
      <PlotChart label={t.drawing} draw={draw} />
    </ChartPanel>
  );
}

function describeCounts({ change_counts: counts }: PredictionData): string {
  const all = counts.reduce((sum, { pairs }) => sum + pairs, 0);
  const measured = counts.find(({ status }) => status === 'measured');
  const score = measured?.brier_score ?? null;
  const sentence = t.counts(formatCount(measured?.pairs ?? 0), formatCount(all));
  return score === null ? sentence : `${sentence} ${t.brier(score.toFixed(BRIER_DIGITS))}.`;
}

function drawCurve(changes: readonly TransferBin[], width: number): PlotOptions {
  const axis = { domain: [0, 1], tickFormat: formatWholeShare, ticks: 5, grid: true };
  return {
    marginLeft: 48,
    marginTop: 30,
    marginBottom: 42,
    marginRight: 20,
    height: Math.min(420, width),
    x: { ...axis, label: t.probability, labelAnchor: 'center' },
    y: { ...axis, label: t.held },
    r: { range: [3, 12], type: 'sqrt' },
    marks: [
      line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: 'var(--ink)', strokeDasharray: '4 3' },
      ),
      ruleX(changes, {
        x: 'mean_probability',
        y1: 'held_low',
        y2: 'held_high',
        stroke: 'var(--series-a)',
        strokeWidth: 2,
      }),
      dot(changes, {
        x: 'mean_probability',
        y: 'held_share',
        r: 'pairs',
        fill: 'var(--series-a)',
        stroke: 'var(--card)',
        title: ({ mean_probability: probability, held_share: held, pairs }: TransferBin) =>
          `${formatShare(probability)} ${t.probability}, ${formatShare(held)} ${t.held}, ${formatCount(pairs)}`,
      }),
    ],
  };
}

const columns: readonly TableColumn<TransferBin>[] = [
  { name: t.probability, show: ({ mean_probability: probability }) => formatShare(probability) },
  { name: t.held, show: ({ held_share: share }) => formatShare(share), isNumber: true },
  { name: aroundCharts.interval, show: (bin) => formatInterval(bin.held_low, bin.held_high), isNumber: true },
  { name: t.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
];
