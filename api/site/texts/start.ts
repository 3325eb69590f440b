import { defineTexts } from './languages.ts';

export const startTexts = defineTexts({
  de: {
    title: 'Öffentlicher Verkehr in Österreich',
    slogan: ['Öffentlicher Verkehr in Österreich,', 'im Takt'],
    intro:
      'Abfahrten, Fahrten und Verbindungen von Tür zu Tür, nach Fahrplan und in Echtzeit: für Apps über HTTP, für ' +
      'Auswertungen als Parquet und hier zum Ansehen.',
    search: 'Abfahrten an einer Haltestelle',
    areas: 'Wie es gerade läuft',
    sources: 'Wie aktuell die Daten sind',
    pages: 'Entdecken',
    tryIt: 'Für eigene Programme',
    tryItText: 'Ohne Schlüssel und ohne Anmeldung. Diese Anfragen funktionieren sofort:',
    docs: ['API-Dokumentation', 'Anleitungen und jede Route mit ihren Parametern und Antworten, zum Ausprobieren.'],
    schema: ['JSON Schema', 'Alle Antworttypen mit ihren Grenzen, ohne undokumentierte Felder.'],
    examples: {
      board: (stop: string) => `Nächste Abfahrten: ${stop}`,
      trips: (stop: string) => `Verbindungen nach ${stop}`,
      search: 'Suche nach einer Haltestelle',
      health: 'Zustand des Dienstes',
    },
  },
  en: {
    title: 'Public transport in Austria',
    slogan: ['Public transport in Austria,', 'like clockwork'],
    intro:
      'Departures, journeys and door-to-door trips, from timetables and realtime data: for apps over HTTP, for analysts ' +
      'as Parquet, and here in your browser.',
    search: 'Departures at a stop',
    areas: 'How things are running',
    sources: 'How current the data is',
    pages: 'Explore',
    tryIt: 'For your own programs',
    tryItText: 'No key or account needed. These requests work right now:',
    docs: ['API documentation', 'Guides, and every route with its parameters and responses, ready to try.'],
    schema: ['JSON Schema', 'All response types with their limits, without undocumented members.'],
    examples: {
      board: (stop: string) => `Next departures: ${stop}`,
      trips: (stop: string) => `Trips to ${stop}`,
      search: 'Search for a stop',
      health: 'Health of the service',
    },
  },
});
