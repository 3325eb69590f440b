import type { ComponentChildren } from 'preact';
import { chartTexts } from '../../texts/charts.ts';
import { pageLanguage } from '../page/language.ts';
import './charts.css';

const texts = chartTexts[pageLanguage()];

/** Where the numbers of a chart come from. */
export interface ChartSource {
  /** Name of the numbers where a chart has several; null: there is only one. */
  readonly name: string | null;
  /** Path and query of the table; the format is added to it. */
  readonly path: string;
  /** The statement that makes the numbers; absent before anything is published. */
  readonly sql: string | undefined;
}

interface ChartFigureProps {
  readonly title: string;
  /** How to read the drawing. */
  readonly note?: ComponentChildren;
  readonly sources: readonly ChartSource[];
  /** The same numbers to be read. */
  readonly table?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Opens the lake as the statements name it. */
const SHELL = 'duckdb -init data/lake/catalog.sql';

const formats = [
  ['CSV', 'csv'],
  ['Parquet', 'parquet'],
] as const;

/** A chart with all that belongs to it: its numbers as a table, as files, and the statement that makes them. */
export function ChartFigure({ title, note, sources, table, children }: ChartFigureProps) {
  return (
    <section class="chart-figure card" aria-label={title}>
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
              <a key={path + format} href={`${path}&format=${format}`} download={nameFile(path, format)}>
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

function Statement({ name, sql }: ChartSource) {
  return (
    <details>
      <summary>{name === null ? texts.statement : `${texts.statement}: ${name}`}</summary>
      <p class="note">
        {texts.statementNote} <code>{SHELL}</code>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is pushed by keys */}
      <pre tabIndex={0}>
        <code>{sql}</code>
      </pre>
    </details>
  );
}

/** `/site/data/punctuality?table=days&…` is saved as `punctuality-days.csv`. */
function nameFile(path: string, format: string): string {
  const { pathname, searchParams } = new URL(path, location.href);
  return `${pathname.split('/').at(-1)}-${searchParams.get('table')}.${format}`;
}
