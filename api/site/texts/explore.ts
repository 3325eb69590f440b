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
    rows: (count: string) => (count === '1' ? '1 Zeile' : `${count} Zeilen`),
    cut: (count: string) => `Angezeigt werden die ersten ${count} Zeilen. Die Dateien enthalten mehr.`,
    noRows: 'Die Abfrage liefert keine Zeilen.',
    scroll: 'Ergebnis, seitlich verschiebbar',
    failures: {
      syntax: 'Die Abfrage enthält einen Syntaxfehler. Prüfen Sie bitte die Stelle, die unten markiert ist.',
      name: 'Diese Tabelle oder Funktion gibt es nicht. Wählen Sie bitte eine andere.',
      column:
        'Die Abfrage passt nicht zu den Spalten der Tabelle. Vergleichen Sie bitte die Namen und ihre Schreibweise.',
      value: 'Ein Wert hat nicht die Form, die die Abfrage verlangt. Prüfen Sie bitte Umwandlungen und Vergleiche.',
      forbidden:
        'Hier sind nur lesende Abfragen auf diesen Daten erlaubt. Beginnen Sie bitte mit „select“ oder „from“.',
      empty: 'Die Abfrage ist leer. Schreiben Sie bitte eine, oder wählen Sie unten ein Beispiel.',
      time: (seconds: number) =>
        `Die Abfrage hat länger als ${seconds} Sekunden gedauert. Grenzen Sie sie bitte ein, zum Beispiel auf wenige Tage.`,
      memory: 'Die Abfrage braucht zu viel Speicher. Grenzen Sie sie bitte ein, zum Beispiel auf wenige Tage.',
      other: 'Die Abfrage konnte nicht ausgeführt werden. Den Grund nennt die Meldung unten.',
    },
    allTables: 'Alle Tabellen und Spalten',
    engine: 'Meldung der Datenbank (englisch)',
    download: 'Herunterladen als',
    link: 'Daten erkunden (SQL)',
    samples: {
      lines: 'Die pünktlichsten Linien',
      hours: 'Pünktlichkeit nach Stunde',
      transfers: 'Umstiege, die am häufigsten scheitern',
      stops: 'Haltestellen im Fahrplan',
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
    rows: (count: string) => (count === '1' ? '1 row' : `${count} rows`),
    cut: (count: string) => `These are the first ${count} rows. The files contain more.`,
    noRows: 'The query returns no rows.',
    scroll: 'Result, scrollable',
    failures: {
      syntax: 'The query has a syntax error. Check the position marked below.',
      name: 'There is no such table or function. Choose another one.',
      column: 'The query does not match the columns of the table. Check the names and their spelling.',
      value: 'A value does not have the form that the query needs. Check conversions and comparisons.',
      forbidden: 'Only queries that read this data are allowed here. Begin with “select” or “from”.',
      empty: 'The query is empty. Write one, or choose an example below.',
      time: (seconds: number) =>
        `The query took longer than ${seconds} seconds. Narrow it down, for example to a few days.`,
      memory: 'The query needs too much memory. Narrow it down, for example to a few days.',
      other: 'The query could not be run. The message below gives the reason.',
    },
    allTables: 'All tables and columns',
    engine: 'Database message',
    download: 'Download as',
    link: 'Explore the data (SQL)',
    samples: {
      lines: 'The most punctual lines',
      hours: 'Punctuality by hour',
      transfers: 'Transfers that fail most often',
      stops: 'Stops in the timetable',
    },
  },
});
