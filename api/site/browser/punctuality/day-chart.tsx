import { areaY, dot, lineY, type PlotOptions, rect } from '@observablehq/plot';
import { useCallback } from 'preact/hooks';
import type { PunctualityDay } from '../../../contract/site-charts.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { Legend } from '../charts/legend.tsx';
import {
  formatCount,
  formatDay,
  formatInterval,
  formatMinutes,
  formatShare,
  formatShortDay,
  formatWholeShare,
  toDate,
} from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot-chart.tsx';
import type { Comparison } from './page-state.ts';
import { aroundCharts, MIN_COVERAGE, MIN_OBSERVED, texts } from './page-texts.ts';
import { listSources, type Series } from './series.ts';

const DAY_MILLISECONDS = 86_400_000;

/** A day on the axis: its start and end, in milliseconds or in days of the period. */
interface PlacedDay {
  readonly day: PunctualityDay;
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** Shares by day above the share of observed calls, so that missing data does not look like a good day. */
export function DayChart({ series, versus }: { readonly series: readonly Series[]; readonly versus: Comparison }) {
  const isByNumber = versus === 'period' && series.length > 1;
  const floor = findFloor(series);
  const shares = useCallback(
    (width: number) => drawShares(series, isByNumber, floor, width),
    [series, isByNumber, floor],
  );
  const coverage = useCallback((width: number) => drawCoverage(series, isByNumber, width), [series, isByNumber]);
  return (
    <ChartPanel
      title={texts.days.title}
      sources={listSources(series, 'days')}
      note={
        <>
          {texts.days.note(formatWholeShare(floor))} {texts.days.independence}
        </>
      }
      table={series.map((one) => <DayTable key={one.id} series={one} />)}
    >
      <Legend
        entries={[
          ...series.map(({ name, id }) => ({ name: name ?? texts.days.share, id })),
          { name: aroundCharts.noData, id: 'gap' },
        ]}
      />
      <PlotChart label={texts.days.drawing} draw={shares} />
      <h3>{texts.days.coverage}</h3>
      <PlotChart label={texts.days.coverage} draw={coverage} />
    </ChartPanel>
  );
}

/** Start of the axis of shares: a tenth below the lowest, since most are near 1. */
function findFloor(series: readonly Series[]): number {
  const lows = series.flatMap(({ data }) => data.days.flatMap(({ on_time_low: low }) => low ?? []));
  return Math.max(0, Math.floor(Math.min(0.9, ...lows) * 10) / 10);
}

function placeDays({ data }: Series, isByNumber: boolean): PlacedDay[] {
  return data.days.map((day, i) => {
    const start = isByNumber ? i + 0.5 : toDate(day.day).getTime();
    const length = isByNumber ? 1 : DAY_MILLISECONDS;
    return { day, start, middle: start + length / 2, end: start + length };
  });
}

function axes(series: readonly Series[], isByNumber: boolean): PlotOptions {
  const placed = series.flatMap((one) => placeDays(one, isByNumber));
  const domain = [Math.min(...placed.map(({ start }) => start)), Math.max(...placed.map(({ end }) => end))];
  return {
    marginLeft: 46,
    marginRight: 12,
    marginTop: 10,
    marginBottom: isByNumber ? 40 : 24,
    x: isByNumber
      ? {
          domain,
          label: texts.days.dayNumber,
          labelAnchor: 'center',
          tickFormat: (n: number) => (Number.isInteger(n) ? String(n) : ''),
        }
      : { type: 'utc', domain, label: null, tickFormat: formatShortDay, ticks: 6 },
  };
}

const isThin = ({ observed, coverage }: PunctualityDay) =>
  observed < MIN_OBSERVED || (coverage !== null && coverage < MIN_COVERAGE);

function drawShares(series: readonly Series[], isByNumber: boolean, floor: number, width: number): PlotOptions {
  return {
    ...axes(series, isByNumber),
    height: width < 500 ? 220 : 260,
    y: { domain: [floor, 1], tickFormat: formatWholeShare, grid: true, label: null, ticks: 5 },
    marks: [
      drawGaps(
        series.map((one) => placeDays(one, isByNumber)),
        floor,
      ),
      ...series.flatMap((one) => {
        const days = placeDays(one, isByNumber);
        const x = ({ middle }: PlacedDay) => middle;
        const y = ({ day }: PlacedDay) => day.on_time_share ?? Number.NaN;
        const { color } = one;
        return [
          areaY(days, {
            x,
            y1: ({ day }: PlacedDay) => day.on_time_low ?? Number.NaN,
            y2: ({ day }: PlacedDay) => day.on_time_high ?? Number.NaN,
            fill: color,
            fillOpacity: 0.16,
          }),
          lineY(days, { x, y, stroke: color, strokeWidth: 2 }),
          dot(days, {
            x,
            y,
            r: days.length > 120 ? 1.5 : 2.5,
            stroke: color,
            fill: ({ day }: PlacedDay) => (isThin(day) ? 'var(--card)' : color),
            title: ({ day }: PlacedDay) => describeDay(day),
          }),
        ];
      }),
    ],
    color: { type: 'identity' },
  };
}

/** Ranges of consecutive days without an observed call in any series. */
function drawGaps([first, ...others]: readonly (readonly PlacedDay[])[], floor: number) {
  const gaps: { start: number; end: number; title: string }[] = [];
  for (const { day, start, end } of first!) {
    const isSeen = ({ start: place, day: { observed } }: PlacedDay) => place === start && observed > 0;
    if (day.observed > 0 || others.some((days) => days.some(isSeen))) continue;
    const last = gaps.at(-1);
    if (last?.end === start) last.end = end;
    else gaps.push({ start, end, title: describeDay(day) });
  }
  return rect(gaps, { x1: 'start', x2: 'end', y1: floor, y2: 1, fill: 'var(--gap-fill)', title: 'title' });
}

function drawCoverage(series: readonly Series[], isByNumber: boolean, width: number): PlotOptions {
  const shared = axes(series, isByNumber);
  return {
    ...shared,
    marginBottom: 24,
    x: { ...shared.x, label: null },
    height: width < 500 ? 80 : 96,
    y: { domain: [0, 1], tickFormat: formatWholeShare, grid: true, label: null, ticks: 2 },
    marks: series.map((one, i) => {
      const [days, coverage] = [placeDays(one, isByNumber), ({ day }: PlacedDay) => day.coverage ?? 0];
      const title = ({ day }: PlacedDay) => describeDay(day);
      return i === 0
        ? rect(days, {
            x1: ({ start }) => start,
            x2: ({ end }) => end,
            y1: 0,
            y2: coverage,
            fill: one.color,
            fillOpacity: 0.45,
            inset: 0.5,
            title,
          })
        : lineY(days, { x: ({ middle }) => middle, y: coverage, stroke: one.color, strokeWidth: 2, curve: 'step' });
    }),
  };
}

function describeDay({ day, observed, expected, ...shares }: PunctualityDay): string {
  const calls = `${formatCount(observed)} / ${formatCount(expected)} ${texts.columns.observed}`;
  return `${formatDay(day)}: ${formatShare(shares.on_time_share)} ${texts.days.share}, ${calls}`;
}

const columns: readonly TableColumn<PunctualityDay>[] = [
  { name: texts.days.day, show: ({ day }) => formatDay(day) },
  { name: texts.columns.onTime, show: ({ on_time_share: share }) => formatShare(share), isNumber: true },
  { name: aroundCharts.interval, show: (day) => formatInterval(day.on_time_low, day.on_time_high), isNumber: true },
  { name: texts.columns.observed, show: ({ observed }) => formatCount(observed), isNumber: true },
  { name: texts.columns.expected, show: ({ expected }) => formatCount(expected), isNumber: true },
  { name: texts.columns.coverage, show: ({ coverage }) => formatShare(coverage), isNumber: true },
  { name: texts.columns.cancelled, show: ({ cancelled }) => formatCount(cancelled), isNumber: true },
  { name: texts.columns.meanDelay, show: ({ mean_delay_seconds: delay }) => formatMinutes(delay), isNumber: true },
];

function DayTable({ series: { name, data } }: { readonly series: Series }) {
  const caption = name === null ? texts.days.title : `${texts.days.title}, ${name}`;
  return (
    <>
      {name !== null && <h3>{name}</h3>}
      <DataTable caption={caption} columns={columns} rows={data.days} keyOf={({ day }) => day} />
    </>
  );
}
