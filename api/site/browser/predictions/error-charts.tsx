import { dot, lineY, type PlotOptions, rect, ruleY } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PredictionData, PredictionDay, PredictionError } from '../../../contract/site-charts.ts';
import { ChartPanel, type ChartSource } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { Legend } from '../charts/legend.tsx';
import { formatCount, formatDay, formatSeconds, formatShortDay, toDate } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import { aroundCharts, forecasterLabel, forecasters, sliceLabel, slices, texts } from './page-texts.ts';

interface ChartProps {
  readonly data: PredictionData;
  readonly sources: readonly ChartSource[];
}

/** Mean errors by prediction horizon, on the day and over the month. */
export function HorizonChart({ data, sources }: ChartProps) {
  const day = useCallback((width: number) => drawHorizons(data.day_errors, width), [data]);
  const month = useCallback((width: number) => drawHorizons(data.month_errors, width), [data]);
  return (
    <ChartPanel
      title={texts.errors.title}
      note={texts.errors.note}
      sources={sources}
      table={
        <>
          <h3>{texts.errors.day}</h3>
          <ErrorTable caption={`${texts.errors.title}, ${texts.errors.day}`} errors={data.day_errors} />
          <h3>{texts.errors.month}</h3>
          <ErrorTable caption={`${texts.errors.title}, ${texts.errors.month}`} errors={data.month_errors} />
        </>
      }
    >
      <Legend entries={listEntries(data.month_errors)} />
      <div class="chart-pair">
        <div>
          <h3>{texts.errors.day}</h3>
          <PlotChart label={`${texts.errors.drawing}, ${texts.errors.day}`} draw={day} />
        </div>
        <div>
          <h3>{texts.errors.month}</h3>
          <PlotChart label={`${texts.errors.drawing}, ${texts.errors.month}`} draw={month} />
        </div>
      </div>
    </ChartPanel>
  );
}

function listEntries(rows: readonly { readonly forecaster: string | null }[]) {
  return forecasters
    .filter(({ name }) => rows.some(({ forecaster }) => forecaster === name))
    .map(({ name, id, symbol }) => ({ name: forecasterLabel(name), id, symbol }));
}

function drawHorizons(errors: readonly PredictionError[], width: number): PlotOptions {
  return {
    marginLeft: width < 420 ? 132 : 140,
    marginRight: 20,
    marginTop: 4,
    marginBottom: 40,
    height: slices.length * 34 + 44,
    x: { zero: true, grid: true, label: texts.errors.seconds, labelAnchor: 'center', ticks: 5 },
    y: { type: 'point', domain: slices.map(sliceLabel), label: null, tickSize: 0, padding: 0.6 },
    marks: [
      ruleY(slices.map(sliceLabel), { stroke: 'var(--line)' }),
      ...forecasters.map(({ name, color, symbol }) =>
        dot(
          errors.filter(({ forecaster, mean_error_seconds: error }) => forecaster === name && error !== null),
          {
            x: 'mean_error_seconds',
            y: ({ slice }: PredictionError) => sliceLabel(slice),
            fill: color,
            symbol,
            r: 5,
            title: describeError,
          },
        ),
      ),
    ],
  };
}

function describeError({ slice, forecaster, mean_error_seconds: error, pairs }: PredictionError): string {
  return `${sliceLabel(slice)}, ${forecasterLabel(forecaster)}: ${formatSeconds(error)}, ${formatCount(pairs)}`;
}

const errorColumns: readonly TableColumn<PredictionError>[] = [
  { name: texts.errors.horizon, show: ({ slice }) => sliceLabel(slice) },
  { name: texts.errors.forecaster, show: ({ forecaster }) => forecasterLabel(forecaster) },
  { name: texts.errors.error, show: ({ mean_error_seconds: error }) => formatSeconds(error), isNumber: true },
  { name: texts.errors.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
];

function ErrorTable({ caption, errors }: { readonly caption: string; readonly errors: readonly PredictionError[] }) {
  const rows = slices.flatMap((slice) => errors.filter((error) => error.slice === slice));
  return (
    <DataTable
      caption={caption}
      columns={errorColumns}
      rows={rows}
      keyOf={({ slice, forecaster }) => `${slice} ${forecaster}`}
    />
  );
}

// ---- By day ------------------------------------------------------------------------------------

/** Mean errors of all horizons by day; days without metrics are gaps. */
export function ErrorDayChart({ data, sources }: ChartProps) {
  const draw = useCallback((width: number) => drawDays(data.days, width), [data]);
  return (
    <ChartPanel
      title={texts.days.title}
      note={texts.days.note}
      sources={sources}
      table={
        <DataTable
          caption={texts.days.title}
          columns={dayColumns}
          rows={data.days}
          keyOf={({ day, forecaster }) => `${day} ${forecaster}`}
        />
      }
    >
      <Legend entries={[...listEntries(data.days), { name: aroundCharts.noData, id: 'gap' }]} />
      <PlotChart label={texts.days.drawing} draw={draw} />
    </ChartPanel>
  );
}

const DAY_MILLISECONDS = 86_400_000;
const HALF_DAY_MILLISECONDS = DAY_MILLISECONDS / 2;

function drawDays(rows: readonly PredictionDay[], width: number): PlotOptions {
  const days = [...new Set(rows.map(({ day }) => day))].sort();
  const startOf = (day: string) => toDate(day).getTime();
  const gaps = rows.filter(({ forecaster }) => forecaster === null).map(({ day }) => day);
  const errorOf = (day: string, name: string) =>
    rows.find((row) => row.day === day && row.forecaster === name)?.mean_error_seconds ?? Number.NaN;
  return {
    marginLeft: 40,
    marginRight: 12,
    height: width < 500 ? 220 : 250,
    x: {
      type: 'utc',
      domain: [startOf(days[0]!), startOf(days.at(-1)!) + DAY_MILLISECONDS],
      label: null,
      tickFormat: formatShortDay,
      ticks: 6,
    },
    y: { zero: true, grid: true, label: texts.errors.seconds, ticks: 5 },
    marks: [
      rect(gaps, {
        x1: startOf,
        x2: (day: string) => startOf(day) + DAY_MILLISECONDS,
        fill: 'var(--gap-fill)',
        title: (day: string) => `${formatDay(day)}: ${aroundCharts.noData}`,
      }),
      ...forecasters.flatMap(({ name, color, symbol }) => {
        const x = (day: string) => startOf(day) + HALF_DAY_MILLISECONDS;
        const y = (day: string) => errorOf(day, name);
        const title = (day: string) => `${formatDay(day)}, ${forecasterLabel(name)}: ${formatSeconds(y(day))}`;
        return [
          lineY(days, { x, y, stroke: color, strokeWidth: 1.5 }),
          dot(days, { x, y, fill: color, symbol, r: 3, title }),
        ];
      }),
    ],
  };
}

const dayColumns: readonly TableColumn<PredictionDay>[] = [
  { name: texts.filters.day, show: ({ day }) => formatDay(day) },
  {
    name: texts.errors.forecaster,
    show: ({ forecaster }) => (forecaster === null ? aroundCharts.noData : forecasterLabel(forecaster)),
  },
  { name: texts.errors.error, show: ({ mean_error_seconds: error }) => formatSeconds(error), isNumber: true },
  { name: texts.errors.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
];
