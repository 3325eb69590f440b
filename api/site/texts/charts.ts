import { defineTexts } from './languages.ts';

/** Texts around every chart. */
export const chartTexts = defineTexts({
  de: {
    asTable: 'Als Tabelle',
    statement: 'SQL dieser Zahlen',
    statementNote: 'Dieselbe Abfrage führt der Dienst aus. Im Data Lake läuft sie in der DuckDB-Shell:',
    noData: 'keine Daten',
    unknown: 'unbekannt',
    loading: 'Zahlen werden geladen …',
    interval: 'Intervall',
  },
  en: {
    asTable: 'As a table',
    statement: 'SQL for these numbers',
    statementNote: 'The service runs the same query. You can run it on the data lake in the DuckDB shell:',
    noData: 'no data',
    unknown: 'unknown',
    loading: 'Loading the numbers …',
    interval: 'Interval',
  },
});
