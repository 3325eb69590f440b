import { defineTexts } from './languages.ts';

/** Texts of the page on which the lake is queried. */
export const exploreTexts = defineTexts({
  de: {
    title: 'Daten erkunden',
    intro:
      'Fahrpläne, Beobachtungen und Auswertungen in SQL abfragen, wie mit „taktgeber sql“: nur lesend, eine Abfrage nach der anderen.',
    sql: 'Abfrage',
    run: 'Ausführen',
    limits: (seconds: number, shown: string, file: string) =>
      `Höchstens ${seconds} Sekunden, ${shown} Zeilen auf dieser Seite und ${file} in einer Datei.`,
    examples: 'Beispiele',
    tables: 'Tabellen',
    result: 'Ergebnis',
    rows: (count: string) => `${count} Zeilen`,
    cut: (count: string) => `Hier stehen die ersten ${count} Zeilen. In den Dateien sind mehr.`,
    noRows: 'Die Abfrage ergibt keine Zeilen.',
    scroll: 'Ergebnis, zum Verschieben',
    failed: 'Die Abfrage ist nicht gelungen:',
    download: 'Herunterladen als',
    link: 'Daten erkunden (SQL)',
    samples: {
      lines: 'Die pünktlichsten Linien',
      hours: 'Pünktlichkeit nach Stunde',
      transfers: 'Umstiege, die am öftesten scheitern',
      stops: 'Haltestellen des Fahrplans',
    },
  },
  en: {
    title: 'Explore the data',
    intro:
      'Query timetables, observations and marts in SQL, as with “taktgeber sql”: read-only, one query after the other.',
    sql: 'Query',
    run: 'Run',
    limits: (seconds: number, shown: string, file: string) =>
      `At most ${seconds} seconds, ${shown} rows on this page, and ${file} in a file.`,
    examples: 'Examples',
    tables: 'Tables',
    result: 'Result',
    rows: (count: string) => `${count} rows`,
    cut: (count: string) => `These are the first ${count} rows. The files have more.`,
    noRows: 'The query returns no rows.',
    scroll: 'Result, scrollable',
    failed: 'The query failed:',
    download: 'Download as',
    link: 'Explore the data (SQL)',
    samples: {
      lines: 'The most punctual lines',
      hours: 'Punctuality by hour',
      transfers: 'Transfers that fail most often',
      stops: 'Stops of the timetable',
    },
  },
});
