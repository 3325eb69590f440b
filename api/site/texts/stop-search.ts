import { defineTexts } from './languages.ts';

export const stopSearchTexts = defineTexts({
  de: {
    recent: 'Zuletzt gewählt',
    forget: 'Verlauf löschen',
    placeholder: 'Name einer Haltestelle',
    placePlaceholder: 'Haltestelle, Adresse oder Ort',
    kinds: { poi: 'Ort', address: 'Adresse' },
    places: {
      none: 'Keine Treffer. Ist der Name richtig geschrieben?',
      found: (count: number) => (count === 1 ? 'Ein Treffer' : `${count} Treffer`),
    },
    none: 'Keine Haltestelle heißt so. Ist der Name richtig geschrieben?',
    failed: 'Die Suche antwortet gerade nicht. Versuchen Sie es bitte gleich noch einmal.',
    found: (count: number) => (count === 1 ? 'Eine Haltestelle' : `${count} Haltestellen`),
  },
  en: {
    recent: 'Recently chosen',
    forget: 'Clear history',
    placeholder: 'Name of a stop',
    placePlaceholder: 'Stop, address or place',
    kinds: { poi: 'Place', address: 'Address' },
    places: {
      none: 'No results. Is the name spelt correctly?',
      found: (count: number) => (count === 1 ? 'One result' : `${count} results`),
    },
    none: 'No stop has this name. Is it spelt correctly?',
    failed: 'Search is not responding right now. Please try again shortly.',
    found: (count: number) => (count === 1 ? 'One stop' : `${count} stops`),
  },
});
