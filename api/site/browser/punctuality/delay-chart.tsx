import { lineY, type PlotOptions, rect } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PunctualityDelay } from '../../../contract/site-charts.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { Legend } from '../charts/legend.tsx';
import { formatCount, formatShare, formatWholeShare } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { formatLimit, texts } from './page-texts.ts';
import { listSources, type Series } from './series.ts';

/** Minutes of the outermost bars, which include all delays beyond. */
const FIRST_MINUTE = -5;
const LAST_MINUTE = 30;

/** Distribution of the delays of observed calls. */
export function DelayChart({ series }: { readonly series: readonly Series[] }) {
  const draw = useCallback((width: number) => drawDelays(series, width), [series]);
  if (series.some(({ data }) => data.delays === null)) {
    return (
      <section class="chart-panel card" aria-label={texts.delays.title}>
        <h2>{texts.delays.title}</h2>
        <p class="note">{texts.delays.ofStop}</p>
      </section>
    );
  }
  const isAlone = series.length === 1;
  const limit = formatLimit(series[0]!.data.definition.onTimeMaxDelaySeconds);
  return (
    <ChartPanel
      title={texts.delays.title}
      note={isAlone ? texts.delays.note(limit) : texts.delays.noteOther}
      sources={listSources(series, 'delays')}
      table={series.map((one) => <DelayTable key={one.id} series={one} />)}
    >
      {!isAlone && <Legend entries={series.map(({ name, id }) => ({ name: name!, id }))} />}
      <PlotChart label={texts.delays.drawing} draw={draw} />
    </ChartPanel>
  );
}

interface Bar {
  readonly minute: number;
  readonly share: number;
  readonly observed: number;
}

function listBars(delays: readonly PunctualityDelay[]): Bar[] {
  return Array.from({ length: LAST_MINUTE - FIRST_MINUTE + 1 }, (_, i) => {
    const minute = FIRST_MINUTE + i;
    const held = delays.filter(
      ({ delay_minutes: delay }) => Math.min(LAST_MINUTE, Math.max(FIRST_MINUTE, delay)) === minute,
    );
    const sum = (count: (row: PunctualityDelay) => number) => held.reduce((total, row) => total + count(row), 0);
    return { minute, share: sum(({ share }) => share), observed: sum(({ observed }) => observed) };
  });
}

function drawDelays(series: readonly Series[], width: number): PlotOptions {
  return {
    marginLeft: 46,
    marginRight: 12,
    marginTop: 10,
    marginBottom: 42,
    height: width < 500 ? 200 : 240,
    x: {
      domain: [FIRST_MINUTE, LAST_MINUTE + 1],
      label: texts.delays.minutes,
      labelAnchor: 'center',
      ticks: [-5, 0, 5, 10, 15, 20, 25, 30],
      tickFormat: minuteLabel,
    },
    y: { tickFormat: formatWholeShare, grid: true, label: null, ticks: 5, zero: true },
    opacity: { type: 'identity' },
    marks: series.map((one, i) => (i === 0 ? drawBars(one) : drawSteps(one))),
  };
}

function minuteLabel(minute: number): string {
  if (minute === FIRST_MINUTE) return `≤ ${minute}`;
  return minute === LAST_MINUTE ? `≥ ${minute}` : String(minute);
}

function drawBars({ data, color }: Series) {
  const limitMinutes = data.definition.onTimeMaxDelaySeconds / 60;
  return rect(listBars(data.delays ?? []), {
    x1: ({ minute }: Bar) => minute,
    x2: ({ minute }: Bar) => minute + 1,
    y1: 0,
    y2: 'share',
    fill: color,
    // The minute that contains the limit belongs to neither side.
    fillOpacity: ({ minute }: Bar) => (minute + 1 <= limitMinutes ? 0.4 : minute >= limitMinutes ? 1 : 0.7),
    inset: 0.5,
    title: ({ minute, share, observed }: Bar) =>
      `${minuteLabel(minute)} min: ${formatShare(share)}, ${formatCount(observed)}`,
  });
}

/** The second series is an outline over the bars of the first. */
function drawSteps({ data, color }: Series) {
  return lineY(listBars(data.delays ?? []), {
    x: ({ minute }: Bar) => minute + 0.5,
    y: 'share',
    curve: 'step',
    stroke: color,
    strokeWidth: 2,
  });
}

const columns: readonly TableColumn<PunctualityDelay>[] = [
  { name: texts.delays.minutes, show: ({ delay_minutes: minutes }) => minutes },
  { name: texts.columns.observed, show: ({ observed }) => formatCount(observed), isNumber: true },
  { name: texts.delays.share, show: ({ share }) => formatShare(share), isNumber: true },
];

function DelayTable({ series: { name, data } }: { readonly series: Series }) {
  const caption = name === null ? texts.delays.title : `${texts.delays.title}, ${name}`;
  return (
    <>
      {name !== null && <h3>{name}</h3>}
      <DataTable
        caption={caption}
        columns={columns}
        rows={data.delays ?? []}
        keyOf={({ delay_minutes: minutes }) => String(minutes)}
      />
    </>
  );
}
