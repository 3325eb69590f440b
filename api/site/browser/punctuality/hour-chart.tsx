import { cell, type PlotOptions } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PunctualityHour } from '../../../contract/site-charts.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { Legend } from '../charts/legend.tsx';
import { formatCount, formatMinutes, formatShare, formatWeekday } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { MIN_OBSERVED, texts } from './page-texts.ts';
import { listSources, type Series } from './series.ts';

/** Thresholds of the mean delay in minutes, with the shade of a cell from there on. */
const steps: readonly (readonly [minutes: number, opacity: number])[] = [
  [1, 0.25],
  [2, 0.42],
  [3, 0.6],
  [5, 0.8],
  [8, 1],
];
const LEAST_OPACITY = 0.1;
const days = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** Mean delay by weekday and hour. */
export function HourChart({ series }: { readonly series: readonly Series[] }) {
  return (
    <ChartPanel
      title={texts.hours.title}
      note={texts.hours.note}
      sources={listSources(series, 'hours')}
      table={series.map((one) => <HourTable key={one.id} series={one} />)}
    >
      <div class={series.length > 1 ? 'chart-pair' : undefined}>
        {series.map((one) => (
          <HourMap key={one.id} series={one} />
        ))}
      </div>
    </ChartPanel>
  );
}

function HourMap({ series }: { readonly series: Series }) {
  const { name, id, data } = series;
  const draw = useCallback((width: number) => drawHours(series, width), [series]);
  return (
    <div>
      {name !== null && <h3>{name}</h3>}
      <Legend
        entries={[
          { name: texts.hours.below(steps[0]![0]), id, opacity: LEAST_OPACITY },
          ...steps.map(([minutes, opacity]) => ({ name: texts.hours.from(minutes), id, opacity })),
        ]}
      />
      {data.hours.length > 0 && <PlotChart label={texts.hours.drawing} draw={draw} />}
    </div>
  );
}

/** A mean of few calls is mostly chance, so it never looks strong. */
function findOpacity({ mean_delay_seconds: delay, observed }: PunctualityHour): number {
  if (observed < MIN_OBSERVED) return LEAST_OPACITY;
  return steps.findLast(([minutes]) => delay >= minutes * 60)?.[1] ?? LEAST_OPACITY;
}

function drawHours({ data, color }: Series, width: number): PlotOptions {
  return {
    marginLeft: 36,
    marginTop: 4,
    marginRight: 4,
    height: Math.max(7 * 18, Math.min(7 * 30, (7 * (width - 40)) / 24)) + 34,
    x: { domain: hours, label: null, tickFormat: (hour: number) => (hour % 6 === 0 ? String(hour) : ''), tickSize: 0 },
    y: { domain: days, label: null, tickFormat: formatWeekday, tickSize: 0 },
    opacity: { type: 'identity' },
    marks: [
      cell(data.hours, {
        x: 'hour',
        y: 'dow',
        fill: color,
        fillOpacity: findOpacity,
        inset: 0.5,
        rx: 2,
        title: (hour: PunctualityHour) =>
          texts.hours.cell(
            formatWeekday(hour.dow),
            hour.hour,
            formatMinutes(hour.mean_delay_seconds),
            formatCount(hour.observed),
          ),
      }),
      cell(
        data.hours.filter(({ observed }) => observed < MIN_OBSERVED),
        { x: 'hour', y: 'dow', fill: 'none', stroke: 'var(--soft)', strokeDasharray: '2 2', inset: 1, rx: 2 },
      ),
    ],
  };
}

const columns: readonly TableColumn<PunctualityHour>[] = [
  { name: texts.hours.weekday, show: ({ dow }) => formatWeekday(dow) },
  { name: texts.hours.hour, show: ({ hour }) => hour, isNumber: true },
  { name: texts.columns.meanDelay, show: (row) => formatMinutes(row.mean_delay_seconds), isNumber: true },
  { name: texts.columns.onTime, show: ({ on_time_share: share }) => formatShare(share), isNumber: true },
  { name: texts.columns.observed, show: ({ observed }) => formatCount(observed), isNumber: true },
];

/** Shares by hour are not stored per stop. */
const columnsOfStops = columns.filter(({ name }) => name !== texts.columns.onTime);

function HourTable({ series: { name, data, selection } }: { readonly series: Series }) {
  const caption = name === null ? texts.hours.title : `${texts.hours.title}, ${name}`;
  return (
    <>
      {name !== null && <h3>{name}</h3>}
      <DataTable
        caption={caption}
        columns={selection.stopId === null ? columns : columnsOfStops}
        rows={data.hours}
        keyOf={({ dow, hour }) => `${dow} ${hour}`}
      />
    </>
  );
}
