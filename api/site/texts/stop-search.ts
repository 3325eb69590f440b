import { defineTexts } from './languages.ts';

export const stopSearchTexts = defineTexts({
  de: {
    placeholder: 'Name einer Haltestelle',
    placePlaceholder: 'Haltestelle, Adresse oder Ort',
    kinds: { poi: 'Ort', address: 'Adresse' },
    places: {
      none: 'Nichts heißt so.',
      found: (count: number) => (count === 1 ? 'Ein Treffer' : `${count} Treffer`),
    },
    none: 'Keine Haltestelle heißt so.',
    failed: 'Die Suche ist gerade nicht verfügbar.',
    found: (count: number) => (count === 1 ? 'Eine Haltestelle' : `${count} Haltestellen`),
  },
  en: {
    placeholder: 'Name of a stop',
    placePlaceholder: 'Stop, address or place',
    kinds: { poi: 'Place', address: 'Address' },
    places: {
      none: 'Nothing has this name.',
      found: (count: number) => (count === 1 ? 'One result' : `${count} results`),
    },
    none: 'No stop has this name.',
    failed: 'The search is unavailable right now.',
    found: (count: number) => (count === 1 ? 'One stop' : `${count} stops`),
  },
});
