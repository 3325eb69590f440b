import { areaY, dot, line, type PlotOptions, ruleY } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { ExampleCall, PredictionData } from '../../../contract/site-charts.ts';
import { ChartPanel, type ChartSource } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { Legend } from '../charts/legend.tsx';
import { formatClock, formatCount, formatInstant, formatMinutes } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { aroundCharts, texts } from './page-texts.ts';

const t = texts.example;

interface ExampleChartProps {
  readonly data: PredictionData;
  readonly sources: readonly ChartSource[];
  readonly showExample: (example: number) => void;
}

/** One prediction call by call: the inputs, the predicted delay and the observed delay. */
export function ExampleChart({ data, sources, showExample }: ExampleChartProps) {
  const { example: calls, examples } = data;
  const draw = useCallback((width: number) => drawExample(calls, width), [calls]);
  const [first] = calls;
  if (!first) {
    return (
      <section class="chart-panel card" aria-label={t.title}>
        <h2>{t.title}</h2>
        <p class="note">{t.none}</p>
      </section>
    );
  }
  const another = () =>
    showExample(((first.example - 1 + 1 + Math.floor(Math.random() * (examples - 1))) % examples) + 1);
  return (
    <ChartPanel
      title={t.title}
      note={t.note}
      sources={sources}
      table={<DataTable caption={t.title} columns={columns} rows={calls} keyOf={({ position }) => String(position)} />}
    >
      <div class="example-head" aria-live="polite">
        <h3>
          <bdi>{t.trip(first.line ?? aroundCharts.unknown, first.direction ?? aroundCharts.unknown)}</bdi>
        </h3>
        <button type="button" onClick={another} disabled={examples < 2}>
          {t.another}
        </button>
        <span class="note">{t.number(formatCount(first.example), formatCount(examples))}</span>
      </div>
      <p>{describeOrigin(calls)}</p>
      <Legend
        entries={[
          { name: t.known, id: 'ink', symbol: 'circle' },
          { name: t.forecast, id: 'a' },
          { name: t.came, id: 'd', symbol: 'diamond' },
          { name: t.bySource, id: 'c', symbol: 'square' },
          { name: t.persistence, id: 'b', symbol: 'dash' },
        ]}
      />
      <PlotChart label={t.drawing} draw={draw} />
    </ChartPanel>
  );
}

function describeOrigin(calls: readonly ExampleCall[]): string {
  const { made_at: made, observed_at: observed, from_position: from, current_delay_seconds: delay } = calls[0]!;
  const at = calls.find(({ position }) => position === from);
  const next = calls.find(({ median_seconds: median }) => median !== null);
  const origin = t.made(
    formatInstant(made),
    formatClock(observed),
    at?.stop_name ?? aroundCharts.unknown,
    formatMinutes(delay),
  );
  return next ? `${origin} ${t.past(next.train_runs ?? 0, next.pattern_runs ?? 0, next.leg_values ?? 0)}` : origin;
}

const toMinutes = (seconds: number | null) => (seconds === null ? Number.NaN : seconds / 60);
const timeOf = ({ scheduled_time: time }: ExampleCall) => new Date(time);

function drawExample(calls: readonly ExampleCall[], width: number): PlotOptions {
  const { from_position: from, current_delay_seconds: current } = calls[0]!;
  const known = calls.filter(({ position }) => position <= from);
  const later = calls.filter(({ position }) => position > from);
  // The prediction starts at the last observation of the vehicle.
  const start = { low: current, median: current, high: current };
  const forecast = [
    ...known.slice(-1).map((call) => ({ call, ...start })),
    ...later.map((call) => ({ call, low: call.low_seconds, median: call.median_seconds, high: call.high_seconds })),
  ];
  const x = ({ call }: (typeof forecast)[number]) => timeOf(call);
  const observed = (call: ExampleCall) => toMinutes(call.delay_seconds);
  return {
    marginLeft: 40,
    marginRight: 16,
    height: width < 500 ? 260 : 320,
    x: {
      type: 'time',
      label: null,
      tickFormat: (time: Date) => formatClock(time.toISOString()),
      ticks: width < 500 ? 4 : 8,
    },
    y: { grid: true, label: t.delayMinutes, ticks: 6 },
    marks: [
      ruleY([0], { stroke: 'var(--line)' }),
      areaY(forecast, {
        x,
        y1: ({ low }) => toMinutes(low),
        y2: ({ high }) => toMinutes(high),
        fill: 'var(--series-a)',
        fillOpacity: 0.18,
      }),
      line(forecast, { x, y: () => current / 60, stroke: 'var(--series-b)', strokeDasharray: '5 4', strokeWidth: 1.5 }),
      line(forecast, { x, y: ({ median }) => toMinutes(median), stroke: 'var(--series-a)', strokeWidth: 2 }),
      line(known, { x: timeOf, y: observed, stroke: 'var(--ink)', strokeWidth: 2 }),
      dot(known, { x: timeOf, y: observed, fill: 'var(--ink)', r: 3.5, title: describeCall }),
      dot(later, {
        x: timeOf,
        y: (call: ExampleCall) => toMinutes(call.reported_delay_seconds),
        symbol: 'square',
        stroke: 'var(--series-c)',
        strokeWidth: 2,
        r: 4,
        title: describeCall,
      }),
      dot(later, {
        x: timeOf,
        y: observed,
        fill: 'var(--series-d)',
        stroke: 'var(--card)',
        symbol: 'diamond',
        r: 5,
        title: describeCall,
      }),
    ],
  };
}

function describeCall(call: ExampleCall): string {
  return `${call.stop_name ?? ''}, ${formatClock(call.scheduled_time)}: ${formatObserved(call)}`;
}

function formatObserved({ delay_seconds: delay }: ExampleCall): string {
  return delay === null ? t.unobserved : formatMinutes(delay);
}

function formatForecast({ low_seconds: low, median_seconds: median, high_seconds: high }: ExampleCall): string {
  return median === null ? '' : `${formatMinutes(median)} (${formatMinutes(low)} – ${formatMinutes(high)})`;
}

const columns: readonly TableColumn<ExampleCall>[] = [
  { name: t.stop, show: ({ stop_name: name }) => <bdi>{name ?? aroundCharts.unknown}</bdi> },
  { name: t.scheduled, show: ({ scheduled_time: time }) => formatClock(time), isNumber: true },
  {
    name: t.known,
    show: (call) => (call.position <= call.from_position ? formatObserved(call) : ''),
    isNumber: true,
  },
  { name: t.forecast, show: formatForecast, isNumber: true },
  {
    name: t.bySource,
    show: ({ reported_delay_seconds: delay }) => (delay === null ? '' : formatMinutes(delay)),
    isNumber: true,
  },
  { name: t.came, show: (call) => (call.position > call.from_position ? formatObserved(call) : ''), isNumber: true },
];
