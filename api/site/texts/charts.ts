import { defineTexts } from './languages.ts';

/** Texts around every chart. */
export const chartTexts = defineTexts({
  de: {
    asTable: 'Als Tabelle',
    statement: 'SQL zu diesen Zahlen',
    statementNote: 'Genau diese Abfrage führt der Dienst aus. In der DuckDB-Shell läuft sie auch auf dem Data Lake:',
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
