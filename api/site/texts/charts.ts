import { defineTexts } from './languages.ts';

/** Texts around every chart. */
export const chartTexts = defineTexts({
  de: {
    asTable: 'Als Tabelle',
    statement: 'SQL dieser Zahlen',
    statementNote: 'Der Dienst stellt dieselbe Frage. Im Lake läuft sie in der Shell von DuckDB:',
    noData: 'keine Daten',
    unknown: 'unbekannt',
    loading: 'Zahlen werden geladen …',
    failed: (detail: string) => `Die Zahlen konnten nicht geladen werden. ${detail}`,
    interval: 'Intervall',
  },
  en: {
    asTable: 'As a table',
    statement: 'SQL of these numbers',
    statementNote: 'The service asks the same. On the lake it runs in the shell of DuckDB:',
    noData: 'no data',
    unknown: 'unknown',
    loading: 'Loading the numbers …',
    failed: (detail: string) => `The numbers could not be loaded. ${detail}`,
    interval: 'Interval',
  },
});
