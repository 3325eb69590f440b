import { defineTexts } from './languages.ts';

/** Texts of the page that queries the lake. */
export const exploreTexts = defineTexts({
  de: {
    title: 'Daten erkunden',
    intro:
      'Fragen Sie Fahrpläne, Beobachtungen und Auswertungen mit SQL ab, wie mit „taktgeber sql“: nur lesend, eine Abfrage nach der anderen.',
    sql: 'Abfrage',
    run: 'Ausführen',
    limits: (seconds: number, shown: string, file: string) =>
      `Höchstens ${seconds} Sekunden, ${shown} Zeilen auf dieser Seite und ${file} in einer Datei.`,
    examples: 'Beispiele',
    tables: 'Tabellen',
    result: 'Ergebnis',
    rows: (count: string) => `${count} Zeilen`,
    cut: (count: string) => `Angezeigt werden die ersten ${count} Zeilen. Die Dateien enthalten mehr.`,
    noRows: 'Die Abfrage liefert keine Zeilen.',
    scroll: 'Ergebnis, seitlich verschiebbar',
    failed: 'Die Abfrage ist fehlgeschlagen:',
    download: 'Herunterladen als',
    link: 'Daten erkunden (SQL)',
    samples: {
      lines: 'Die pünktlichsten Linien',
      hours: 'Pünktlichkeit nach Stunde',
      transfers: 'Umstiege, die am häufigsten scheitern',
      stops: 'Haltestellen des Fahrplans',
    },
  },
  en: {
    title: 'Explore the data',
    intro: 'Query timetables, observations and marts in SQL, as with “taktgeber sql”: read-only, one query at a time.',
    sql: 'Query',
    run: 'Run',
    limits: (seconds: number, shown: string, file: string) =>
      `At most ${seconds} seconds, ${shown} rows on this page, and ${file} in a file.`,
    examples: 'Examples',
    tables: 'Tables',
    result: 'Result',
    rows: (count: string) => `${count} rows`,
    cut: (count: string) => `These are the first ${count} rows. The files contain more.`,
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
