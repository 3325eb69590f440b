import { defineTexts } from './languages.ts';

export const startTexts = defineTexts({
  de: {
    title: 'Öffentlicher Verkehr in Österreich',
    slogan: ['Öffentlicher Verkehr in Österreich,', 'im Takt'],
    intro:
      'Abfahrten, Fahrten und Reisen von Tür zu Tür, aus Fahrplan und Echtzeit, beantwortet aus dem Arbeitsspeicher: ' +
      'über HTTP für Apps, und als Parquet für alle, die eigene Fragen stellen.',
    search: 'Abfahrten an einer Haltestelle',
    tryIt: 'Ausprobieren',
    docs: ['API-Dokumentation', 'Jede Route mit ihren Parametern und Antworten, zum Lesen und Ausprobieren.'],
    punctuality: ['Pünktlichkeit', 'Was geplant war, was geschah, und die Anteile von beidem.'],
    status: ['Status', 'Wie es jedem Teil des Dienstes geht, und wie frisch seine Daten sind.'],
    openApi: ['OpenAPI', 'Derselbe Vertrag für Maschinen, für Generatoren und Tests.'],
    schema: ['JSON Schema', 'Alle Typen der Antworten, abgeschlossen und mit ihren Grenzen.'],
  },
  en: {
    title: 'Public transport in Austria',
    slogan: ['Public transport in Austria,', 'on the beat'],
    intro:
      'Departures, journeys and trips from door to door, from timetables and realtime, answered from memory: by HTTP for ' +
      'apps, and as Parquet for everyone who wants to ask their own questions.',
    search: 'Departures at a stop',
    tryIt: 'Try it',
    docs: ['API documentation', 'Every route with its parameters and answers, to read and to try.'],
    punctuality: ['Punctuality', 'What was scheduled, what happened, and the shares of both.'],
    status: ['Status', 'How every part of the service is doing, and how fresh its data is.'],
    openApi: ['OpenAPI', 'The same contract for machines, for client generators and tests.'],
    schema: ['JSON Schema', 'All types of the answers, closed and with their bounds.'],
  },
});
