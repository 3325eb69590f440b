import { defineTexts } from './languages.ts';

export const punctualityTexts = defineTexts({
  de: {
    menu: 'Pünktlichkeit',
    title: 'Pünktlichkeit',
    summary: 'Was geplant war, was geschah, und die Anteile von beidem.',
  },
  en: {
    menu: 'Punctuality',
    title: 'Punctuality',
    summary: 'What was scheduled, what happened, and the shares of both.',
  },
});
