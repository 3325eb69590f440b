import { defineTexts } from './languages.ts';

/** Texts around every chart. */
export const chartTexts = defineTexts({
  de: {
    asTable: 'Als Tabelle',
    statement: 'SQL dieser Zahlen',
    statementNote:
      'Mit der DuckDB-Shell im Lake: duckdb -init data/lake/catalog.sql. Der Dienst stellt dieselbe Frage.',
    download: (what: string, format: string) => `${what} als ${format}`,
    noData: 'keine Daten',
    unknown: 'unbekannt',
    loading: 'Zahlen werden geladen …',
    failed: (detail: string) => `Die Zahlen konnten nicht geladen werden. ${detail}`,
    interval: 'Intervall',
  },
  en: {
    asTable: 'As a table',
    statement: 'SQL of these numbers',
    statementNote: 'With the DuckDB shell on the lake: duckdb -init data/lake/catalog.sql. The service asks the same.',
    download: (what: string, format: string) => `${what} as ${format}`,
    noData: 'no data',
    unknown: 'unknown',
    loading: 'Loading the numbers …',
    failed: (detail: string) => `The numbers could not be loaded. ${detail}`,
    interval: 'Interval',
  },
});
