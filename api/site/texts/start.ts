import { defineTexts } from './languages.ts';

export const startTexts = defineTexts({
  de: {
    title: 'Öffentlicher Verkehr in Österreich',
    slogan: ['Öffentlicher Verkehr in Österreich,', 'im Takt'],
    intro:
      'Abfahrten, Fahrten und Verbindungen von Tür zu Tür, aus Fahrplan und Echtzeit. Für Apps über HTTP, für alle mit eigenen ' +
      'Fragen als Parquet, und hier zum Ansehen.',
    search: 'Abfahrten an einer Haltestelle',
    areas: 'Wie es gerade läuft',
    sources: 'Wie frisch die Daten sind',
    pages: 'Ansehen',
    tryIt: 'Für eigene Programme',
    tryItText: 'Ohne Schlüssel und ohne Anmeldung. Diese Anfragen haben jetzt eine Antwort:',
    docs: ['API-Dokumentation', 'Jede Route mit ihren Parametern und Antworten, zum Lesen und Ausprobieren.'],
    schema: ['JSON Schema', 'Alle Typen der Antworten, abgeschlossen und mit ihren Grenzen.'],
    examples: {
      board: (stop: string) => `Nächste Abfahrten: ${stop}`,
      trips: (stop: string) => `Verbindungen nach ${stop}`,
      search: 'Suche nach einer Haltestelle',
      health: 'Zustand des Dienstes',
    },
  },
  en: {
    title: 'Public transport in Austria',
    slogan: ['Public transport in Austria,', 'on the beat'],
    intro:
      'Departures, journeys and trips from door to door, from timetables and realtime. For apps by HTTP, for analysts ' +
      'as Parquet, and here to look at.',
    search: 'Departures at a stop',
    areas: 'How it is running',
    sources: 'How fresh the data is',
    pages: 'Look at',
    tryIt: 'For programs of your own',
    tryItText: 'Without a key or an account. These requests have an answer now:',
    docs: ['API documentation', 'Every route with its parameters and answers, to read and to try.'],
    schema: ['JSON Schema', 'All types of the answers, closed and with their bounds.'],
    examples: {
      board: (stop: string) => `Next departures: ${stop}`,
      trips: (stop: string) => `Trips to ${stop}`,
      search: 'Search for a stop',
      health: 'Health of the service',
    },
  },
});
