import type { ComponentChildren } from 'preact';
import { chartTexts } from '../../texts/charts.ts';
import { pageLanguage } from '../page/language.ts';
import './charts.css';

const texts = chartTexts[pageLanguage()];

/** Source of the numbers in a chart. */
export interface ChartSource {
  /** Name of the series; null if the chart has only one. */
  readonly name: string | null;
  /** Path and query of the table, without the format. */
  readonly path: string;
  /** SQL that produces the numbers; absent before anything is published. */
  readonly sql: string | undefined;
}

interface ChartPanelProps {
  readonly title: string;
  /** Explains how to read the chart. */
  readonly note?: ComponentChildren;
  readonly sources: readonly ChartSource[];
  /** The same numbers as a table. */
  readonly table?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Shell command that opens the lake with the names that the statements use. */
const SHELL = 'duckdb -init data/lake/catalog.sql';

const formats = [
  ['CSV', 'csv'],
  ['Parquet', 'parquet'],
] as const;

/** A chart with its numbers as a table and as downloads, and the SQL that produces them. */
export function ChartPanel({ title, note, sources, table, children }: ChartPanelProps) {
  return (
    <section class="chart-panel card" aria-label={title}>
      <h2>{title}</h2>
      {children}
      {note && <p class="note">{note}</p>}
      <div class="chart-foot">
        {table && (
          <details>
            <summary>{texts.asTable}</summary>
            {table}
          </details>
        )}
        {sources.map((source) => source.sql !== undefined && <Statement key={source.path} {...source} />)}
        <p class="downloads">
          {sources.flatMap(({ name, path }) =>
            formats.map(([label, format]) => (
              <a key={path + format} href={`${path}&format=${format}`} download={downloadName(path, format)}>
                {name === null ? label : `${label}: ${name}`}
                <span class="visually-hidden">, {title}</span>
              </a>
            )),
          )}
        </p>
      </div>
    </section>
  );
}

/** The SQL of a chart. */
export function Statement({ name, sql }: Pick<ChartSource, 'name' | 'sql'>) {
  return (
    <details>
      <summary>{name === null ? texts.statement : `${texts.statement}: ${name}`}</summary>
      <p class="note">
        {texts.statementNote} <code>{SHELL}</code>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide content scrolls by keyboard */}
      <pre tabIndex={0}>
        <code>{sql}</code>
      </pre>
    </details>
  );
}

/** `/site/data/punctuality?table=days&…` is saved as `punctuality-days.csv`. */
function downloadName(path: string, format: string): string {
  const { pathname, searchParams } = new URL(path, location.href);
  return `${pathname.split('/').at(-1)}-${searchParams.get('table')}.${format}`;
}
