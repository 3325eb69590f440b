import type { PunctualityLine } from '../../../contract/site-charts.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { IntervalBar } from '../charts/interval-bar.tsx';
import { formatCount, formatInterval, formatMinutes, formatShare } from '../charts/numbers.ts';
import { MIN_OBSERVED, texts } from './page-texts.ts';
import { listSources, type Series } from './series.ts';

export interface LineListsProps {
  readonly series: readonly Series[];
  /** URL of the page for one line of an operator. */
  readonly linkLine: (line: PunctualityLine) => string;
}

/** The least and the most punctual lines. */
export function LineLists({ series, linkLine }: LineListsProps) {
  const columns = listColumns(linkLine);
  return (
    <ChartPanel
      title={texts.lines.title}
      note={texts.lines.note(formatCount(series[0]!.data.lines.count))}
      sources={listSources(series, 'lines')}
    >
      {series.map((one) => (
        <div key={one.id}>
          <LineList caption={listCaption(texts.lines.worst, one)} lines={one.data.lines.worst} columns={columns} />
          <LineList caption={listCaption(texts.lines.best, one)} lines={one.data.lines.best} columns={columns} />
        </div>
      ))}
    </ChartPanel>
  );
}

function listCaption(caption: string, { name }: Series): string {
  return name === null ? caption : `${caption}, ${name}`;
}

interface LineListProps {
  readonly caption: string;
  readonly lines: readonly PunctualityLine[];
  readonly columns: readonly TableColumn<PunctualityLine>[];
}

function LineList({ caption, lines, columns }: LineListProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{caption}</h3>
      <DataTable
        caption={caption}
        columns={columns}
        rows={lines}
        keyOf={({ line, product, operator }) => JSON.stringify([line, product, operator])}
      />
    </>
  );
}

function listColumns(linkLine: LineListsProps['linkLine']): readonly TableColumn<PunctualityLine>[] {
  return [
    {
      name: texts.lines.line,
      show: (line) => (
        <>
          <a href={linkLine(line)} aria-label={texts.lines.show(line.line)}>
            <bdi>{line.line}</bdi>
          </a>{' '}
          <bdi class="note">{line.operator}</bdi>
        </>
      ),
    },
    {
      name: texts.columns.onTime,
      show: (line) => (
        <>
          {line.observed < MIN_OBSERVED && <span class="few">{texts.lines.few}</span>} {formatShare(line.on_time_share)}
        </>
      ),
      isNumber: true,
    },
    {
      name: '0 – 100 %',
      show: ({ on_time_low: low, on_time_share: share, on_time_high: high }) => (
        <IntervalBar low={low!} share={share!} high={high!} />
      ),
    },
    { name: texts.totals.interval('').trim(), show: (line) => formatInterval(line.on_time_low, line.on_time_high) },
    { name: texts.columns.observed, show: ({ observed }) => formatCount(observed), isNumber: true },
    { name: texts.columns.expected, show: ({ expected }) => formatCount(expected), isNumber: true },
    { name: texts.columns.meanDelay, show: (line) => formatMinutes(line.mean_delay_seconds), isNumber: true },
  ];
}
