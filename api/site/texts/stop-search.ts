import { defineTexts } from './languages.ts';

export const stopSearchTexts = defineTexts({
  de: {
    placeholder: 'Name einer Haltestelle',
    none: 'Keine Haltestelle heißt so.',
    failed: 'Die Suche ist gerade nicht verfügbar.',
    found: (count: number) => (count === 1 ? 'Eine Haltestelle' : `${count} Haltestellen`),
  },
  en: {
    placeholder: 'Name of a stop',
    none: 'No stop has this name.',
    failed: 'The search is unavailable right now.',
    found: (count: number) => (count === 1 ? 'One stop' : `${count} stops`),
  },
});
